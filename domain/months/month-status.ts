import type { MonthFacts } from './month-facts.ts';
import { doubtsOf } from './month-reasons.ts';

export type MonthStatus = 'open' | 'partial' | 'ready_to_lock' | 'locked' | 'changed_since_lock';

/**
 * Returns the status of a month (docs/concepts.md#a-month-and-its-states). Late spend never moves a locked month, but a changed
 * value does. A new pick without data does not undo the lock. A month that lacks some of its tag or split data is partial for
 * good.
 */
export function monthStatus(facts: MonthFacts): MonthStatus {
  if (facts.lock !== null)
    return facts.valueChanges === facts.lock.valueChanges ? 'locked' : 'changed_since_lock';
  if (facts.uncollected.length > 0) return 'partial';
  const isWhole = facts.valueSum !== null && facts.cost !== null && doubtsOf(facts).length === 0;
  return facts.settled && isWhole ? 'ready_to_lock' : 'open';
}
