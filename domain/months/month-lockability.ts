import type { Day } from '../shared/calendar.ts';
import type { MonthFacts } from './month-facts.ts';
import { missingSpend, openWaits, partialReason, type Wait } from './month-reasons.ts';
import { monthStatus } from './month-status.ts';
import type { SettlementFacts } from './settlement.ts';

/** Whether an admin can lock a month: now, only without spend that sources have not delivered, or not at all. */
export interface Lockability {
  can_lock: 'now' | 'without_missing' | null;
  /** The spend that a lock would do without, in words; empty unless `can_lock` is `without_missing`. */
  missing: string[];
  /** Why the month cannot be locked as it is, in words; null if it can be locked now. */
  refusal: string | null;
}

/**
 * Returns whether a month can be locked (contract §3, Month). It is the only rule for that: locks and answers use it. A month
 * that has changed since its lock is locked again like the first time, so missing spend needs to be accepted again.
 */
export const lockability = (facts: MonthFacts, settlement: SettlementFacts, today: Day): Lockability => {
  const { month, lock } = facts;
  const status = monthStatus(facts);
  if (lock !== null && status === 'locked')
    return never(`${month} is locked already, as version ${lock.version}, and no value has changed since`);
  const partial = partialReason(facts);
  if (partial !== null) return never(`${month} cannot be locked: ${partial}`);
  const waits = status === 'open' ? openWaits(facts, settlement, today) : relockWaits(facts);
  if (waits.length === 0) return { can_lock: 'now', missing: [], refusal: null };
  const refusal = `${month} cannot be locked: ${waits.map(({ reason }) => reason).join('; ')}`;
  if (waits.some(({ isMissingSpend }) => !isMissingSpend)) return never(refusal);
  return {
    can_lock: 'without_missing',
    missing: missingSpend(facts),
    refusal: `${refusal}; send {"accept_missing": true} to lock it without`,
  };
};

const never = (refusal: string): Lockability => ({ can_lock: null, missing: [], refusal });

/** Returns what a month that has changed since its lock waits for. A month that is ready waits for nothing. */
const relockWaits = (facts: MonthFacts): Wait[] => [
  ...(facts.valueSum === null ? [{ reason: 'it no longer has a value', isMissingSpend: false }] : []),
  ...(facts.cost === null ? [{ reason: 'it no longer has a cost', isMissingSpend: false }] : []),
  ...missingSpend(facts).map((reason) => ({ reason, isMissingSpend: true })),
];
