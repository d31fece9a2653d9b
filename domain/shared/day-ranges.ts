import { addDays, type Day } from './calendar.ts';
import { firstAndMore } from './for-message.ts';

/** Days that follow each other, both included. */
export interface DayRange {
  from: Day;
  to: Day;
}

/** The days from one to another in words. */
export const rangeInWords = (from: Day, to: Day): string => (from === to ? from : `${from} to ${to}`);

const MOST_RANGES = 20;

/** Ranges of days in words, for messages. */
export const rangesInWords = (ranges: readonly DayRange[]): string =>
  firstAndMore(
    ranges.map(({ from, to }) => rangeInWords(from, to)),
    MOST_RANGES,
  ).join(', ');

/** Days in words, for messages: those that follow each other as one range. */
export const dayRanges = (days: readonly Day[]): string => {
  const ranges: DayRange[] = [];
  for (const day of [...new Set(days)].sort()) {
    const last = ranges.at(-1);
    if (last !== undefined && addDays(last.to, 1) === day) last.to = day;
    else ranges.push({ from: day, to: day });
  }
  return rangesInWords(ranges);
};
