import { daysInclusive, lastDay, addDays, type Day, type Month } from '../shared/calendar.ts';

/** When the values of a daily metric lie in a month. */
export interface ValueDays {
  /** How many days have a value. */
  count: number;
  /** The last day with a value; null without values. */
  last: Day | null;
  /** The most days without a value between a value of the month and the one before it; null if none has one before it. */
  longestGap: number | null;
}

/** So many values in two months show how often a metric has one. */
const FEWEST_VALUES = 3;

/**
 * Returns the last days of a month, both inclusive, on which a daily metric lacks values; null if it lacks none. A pause that is no
 * longer than an earlier one of the month, or of the month before, is as usual: a shop may sell nothing on weekends.
 */
export function missingLastDays(
  month: Month,
  { count, last, longestGap }: ValueDays,
  before: ValueDays | undefined,
): { from: Day; through: Day } | null {
  const through = lastDay(month);
  if (last === null || longestGap === null || last >= through) return null;
  if (count + (before?.count ?? 0) < FEWEST_VALUES) return null;
  const from = addDays(last, 1);
  const usual = Math.max(longestGap, before?.longestGap ?? 0);
  return daysInclusive(from, through) > usual ? { from, through } : null;
}

export function missingDaysInWords({ from, through }: { from: Day; through: Day }): string {
  const days = daysInclusive(from, through);
  return from === through
    ? `no value has been recorded for ${through}, the last day of the month`
    : `no value has been recorded for ${from} to ${through}, the last ${days} days of the month`;
}
