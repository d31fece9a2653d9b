import { addDays, type Day } from './calendar.ts';

/** The days from one to another in words. */
export const rangeInWords = (from: Day, to: Day): string => (from === to ? from : `${from} to ${to}`);

/** Days in words, for messages: those that follow each other as one range. */
export const dayRanges = (days: readonly Day[]): string => {
  const ranges: { from: Day; to: Day }[] = [];
  for (const day of [...new Set(days)].sort()) {
    const last = ranges.at(-1);
    if (last !== undefined && addDays(last.to, 1) === day) last.to = day;
    else ranges.push({ from: day, to: day });
  }
  return ranges.map(({ from, to }) => rangeInWords(from, to)).join(', ');
};
