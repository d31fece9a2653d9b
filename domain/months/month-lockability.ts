import type { Day } from '../shared/calendar.ts';
import type { Doubt } from '../sources/doubts.ts';
import type { MonthFacts } from './month-facts.ts';
import { doubtsOf, openWaits, partialReason, waitFor, type Wait } from './month-reasons.ts';
import { monthStatus } from './month-status.ts';
import type { SettlementFacts } from './settlement.ts';

/** Whether an admin can lock a month: now, only with doubts that the admin accepts, or not at all. */
export interface Lockability {
  can_lock: 'now' | 'without_missing' | 'no';
  /** Every doubt that holds the month back. Empty for a month that is locked and unchanged: its version keeps its own. */
  missing: Doubt[];
  /** Why the month cannot be locked as it is, in words; null if it can be locked now. */
  refusal: string | null;
  /** What the month waits for, in words. */
  waits: string[];
}

/**
 * Returns whether a month can be locked (docs/http.md#read-and-lock-months). It is the only rule for that: locks and answers use
 * it. A month that has changed since its lock is locked again like the first time, so missing spend needs to be accepted again.
 */
export function lockability(
  facts: MonthFacts,
  settlement: SettlementFacts,
  today: Day,
  status = monthStatus(facts),
): Lockability {
  const { month, lock } = facts;
  // A version whose numbers cannot be opened can be locked again, from today's numbers.
  if (lock !== null && status === 'locked' && lock.value !== null)
    return never(`${month} is locked already, as version ${lock.version}, and no value has changed since`);
  const partial = partialReason(facts);
  if (partial !== null) return never(`${month} cannot be locked: ${partial}`);
  const found = status === 'open' ? openWaits(facts, settlement, today) : relockWaits(facts);
  const waits = found.map(({ reason }) => reason);
  if (waits.length === 0) return { can_lock: 'now', missing: [], refusal: null, waits };
  const refusal = `${month} cannot be locked: ${waits.join('; ')}`;
  const missing = found.flatMap(({ doubt }) => doubt ?? []);
  // Nobody can accept that a number is not known.
  if (missing.length < waits.length || facts.valueSum === null || facts.cost === null)
    return never(refusal, missing, waits);
  return {
    can_lock: 'without_missing',
    missing,
    waits,
    refusal: `${refusal}; send {"accept_missing": true} to lock it without`,
  };
}

const never = (refusal: string, missing: Doubt[] = [], waits: string[] = []): Lockability => ({
  can_lock: 'no',
  missing,
  refusal,
  waits,
});

/** Returns what a month that has changed since its lock waits for. A month that is ready waits for nothing. */
const relockWaits = (facts: MonthFacts): Wait[] => [
  ...(facts.valueSum === null && (facts.unreadable ?? null) === null
    ? [{ reason: 'it no longer has a value', doubt: null }]
    : []),
  ...(facts.cost === null ? [{ reason: 'it no longer has a cost', doubt: null }] : []),
  ...doubtsOf(facts).map(waitFor),
];
