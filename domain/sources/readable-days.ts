import { addYears, isDay, type Day } from '../shared/calendar.ts';

// The days that rows of a feed and manifests of an export may name. Any day beyond is a mistake.

export const FIRST_DAY: Day = '1970-01-01';
export const MOST_YEARS = 10;

/** The years of allowed days, for messages. */
export const READABLE_YEARS = `from ${FIRST_DAY.slice(0, 4)} to ${MOST_YEARS} years from now`;

/** Whether a text is an allowed day, at most `lastDay`. */
export const isReadableDay = (text: string, lastDay: Day): text is Day =>
  isDay(text) && text >= FIRST_DAY && text <= lastDay;

/** Whether two texts are the first and the last day of an allowed range, which is at most ten years long. */
export const isReadableRange = ({ from, to }: { from: string; to: string }, lastDay: Day): boolean =>
  isReadableDay(from, lastDay) && isReadableDay(to, lastDay) && from <= to && to < addYears(from, MOST_YEARS);
