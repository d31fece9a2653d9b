import { lastDay, settlesOn, type Day, type Month } from '../shared/calendar.ts';
import { coverageOf, type SourceMonth } from '../sources/coverage.ts';
import type { SourceDoubt } from '../sources/doubts.ts';

// The only rule for when a month settles, and for what it still waits (docs/concepts.md#when-a-month-has-settled). Reads, bills
// and the daily settlement use it. The warehouse only delivers its inputs.

/** How many full days after the settle days a month's spend can still become complete in time. */
const DAYS_IN_TIME = 3;

export interface SettlementFacts {
  /** The number of full days after a month in which cloud bills still change. */
  settleDays: number;
}

/** Returns what a month waits for beside its sources, in words; empty once its settle days have passed. */
export function settleDayReasons(month: Month, { settleDays }: SettlementFacts, today: Day): string[] {
  if (today <= lastDay(month)) return ['the month has not ended'];
  const day = settlesOn(month, settleDays);
  return today < day ? [`cloud billing settles on ${day}, ${settleDays} full days after the month`] : [];
}

/** Returns what a month waits for before it settles, in words; empty if its days have passed and no source holds it back. */
export function settlementReasons(
  month: Month,
  { holdingBack, ...settlement }: SettlementFacts & { holdingBack: readonly SourceDoubt[] },
  today: Day,
): string[] {
  const days = settleDayReasons(month, settlement, today);
  return today <= lastDay(month) ? days : [...days, ...holdingBack.map(({ sentence }) => sentence)];
}

/** Whether a month settles on a day: a source exists, and {@link settlementReasons} is empty. */
export function settles(
  month: Month,
  { sources, ...settlement }: SettlementFacts & { sources: readonly SourceMonth[] },
  today: Day,
): boolean {
  const { holdingBack } = coverageOf(month, sources, null);
  return sources.length > 0 && settlementReasons(month, { ...settlement, holdingBack }, today).length === 0;
}

/**
 * Returns the first day on which a month's spend becomes complete too late, so that the month settles by backfill. Its settle
 * days and three full UTC days have then passed: with five settle days, January is in time until the end of 9 February.
 */
export const firstLateDay = (month: Month, { settleDays }: SettlementFacts): Day =>
  settlesOn(month, settleDays + DAYS_IN_TIME + 1);
