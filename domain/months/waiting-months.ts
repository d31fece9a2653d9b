import { dayOf, type Month } from '../shared/calendar.ts';
import type { Doubt } from '../sources/doubts.ts';
import { isBeforeFirstSpend } from './before-first-spend.ts';
import type { MonthFacts } from './month-facts.ts';
import { lockability } from './month-lockability.ts';
import { monthStatus } from './month-status.ts';
import type { SettlementFacts } from './settlement.ts';

/** What waits for someone in the months of a metric, newest first. */
export interface WaitingMonths {
  changed_since_lock: Month[];
  ready_to_lock: Month[];
  /** Months with the doubts that hold them back. */
  doubtful: { month: Month; doubts: Doubt[] }[];
}

/**
 * Returns what waits in the months of a metric, from the facts of consecutive months, oldest first. Like a record, the oldest month
 * is left out. No number is computed, because none is shown.
 */
export function waitingMonths(
  facts: readonly MonthFacts[],
  settlement: SettlementFacts,
  now: Date,
): WaitingMonths {
  const today = dayOf(now);
  const months = facts
    .slice(1)
    .reverse()
    .map((month) => {
      const status = monthStatus(month);
      const { cost, value } = month.lock ?? { cost: month.cost, value: month.valueSum };
      return {
        month: month.month,
        status,
        cost,
        value,
        doubts: lockability(month, settlement, today, status).missing,
      };
    });
  const withStatus = (wanted: string): Month[] =>
    months.flatMap(({ month, status }) => (status === wanted ? [month] : []));
  return {
    changed_since_lock: withStatus('changed_since_lock'),
    ready_to_lock: withStatus('ready_to_lock'),
    doubtful: months
      .filter((month) => month.doubts.length > 0 && !isBeforeFirstSpend(month, months))
      .map(({ month, doubts }) => ({ month, doubts })),
  };
}
