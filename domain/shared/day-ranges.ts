import { addDays, type Day } from './calendar.ts';
import { firstAndMore } from './text/for-message.ts';

/** Consecutive days, both ends included. */
export interface DayRange {
  from: Day;
  to: Day;
}

export const rangeInWords = (from: Day, to: Day): string => (from === to ? from : `${from} to ${to}`);

const MOST_RANGES = 20;

export const rangesInWords = (ranges: readonly DayRange[]): string =>
  firstAndMore(
    ranges.map(({ from, to }) => rangeInWords(from, to)),
    MOST_RANGES,
  ).join(', ');

/** Returns days as ranges, oldest first. Consecutive days become one range. */
export function rangesOf(days: readonly Day[]): DayRange[] {
  const ranges: DayRange[] = [];
  for (const day of [...new Set(days)].sort()) {
    const last = ranges.at(-1);
    if (last !== undefined && addDays(last.to, 1) === day) last.to = day;
    else ranges.push({ from: day, to: day });
  }
  return ranges;
}

/** Returns the words for days, for messages. */
export const dayRanges = (days: readonly Day[]): string => rangesInWords(rangesOf(days));
