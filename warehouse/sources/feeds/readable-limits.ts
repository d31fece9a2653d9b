import { addDays, addYears, dayOf, type Day } from '../../../domain/shared/calendar.ts';
import { FIRST_DAY, MOST_YEARS, READABLE_YEARS } from '../../../domain/sources/readable-days.ts';

// Limits of the values in a row, as SQL. A row beyond them is a mistake that could make later computations wrong, out of memory
// or endless. It is rejected like an unreadable row.

/** Returns the last day that a row may have: ten years after the load. */
export const lastReadableDay = (now: Date): Day => addYears(dayOf(now), MOST_YEARS);

/** Returns a day, null if it is beyond the limits; `lastDay` is SQL. */
export const readableDay = (day: string, lastDay: string): string =>
  `CASE WHEN ${day} BETWEEN DATE '${FIRST_DAY}' AND ${lastDay} THEN ${day} END`;

/** Returns an instant, null if it is beyond the limits. */
export const readableTime = (time: string, lastDay: Day): string =>
  `CASE WHEN ${time} >= TIMESTAMP '${FIRST_DAY}' AND ${time} < TIMESTAMP '${addDays(lastDay, 1)}' THEN ${time} END`;

/** Returns the SQL of what a message expects instead of a null time: the form, and for a well-formed time its years. */
export const expectedTime = (form: string, raw: string): string =>
  `CASE WHEN TRY_CAST(TRY(CAST(${raw} AS VARCHAR)) AS TIMESTAMP) IS NULL THEN '${form}' ELSE '${form} ${READABLE_YEARS}' END`;

export const isTooLong = (start: string, end: string): string =>
  `${end} > ${start} + INTERVAL ${MOST_YEARS} YEARS`;

/** The expected length of a period, for messages. */
export const LONGEST_PERIOD = `at most ${MOST_YEARS} years`;

/** Ids of cloud resources have at most about a thousand characters. */
const MOST_CHARACTERS = 2_000;

/** Returns a name or an id. A long one is cut to just above the limit, so that it is still too long, but cheap to group. */
export const readableText = (text: string): string =>
  `CASE WHEN strlen(${text}) > ${MOST_CHARACTERS} THEN left(${text}, ${MOST_CHARACTERS + 1}) ELSE ${text} END`;

/** Returns whether a name or an id is too long. It checks the bytes first, because they need no scan of the text. */
export const isTooLongText = (text: string): string =>
  `strlen(${text}) > ${MOST_CHARACTERS} AND length(${text}) > ${MOST_CHARACTERS}`;

/** The expected length of a name or an id, for messages. */
export const LONGEST_TEXT = `at most ${MOST_CHARACTERS} characters`;

const LARGEST_AMOUNT = '1000000000000000';

/** Returns an amount, null if sums of it could overflow the decimals of the warehouse. */
export const readableAmount = (amount: string): string =>
  `CASE WHEN ${amount} BETWEEN -${LARGEST_AMOUNT} AND ${LARGEST_AMOUNT} THEN ${amount} END`;

/** Returns the SQL of what a message expects instead of a null amount: a number, or for a number a smaller one. */
export function expectedAmount(raw: string): string {
  const number = `TRY_CAST(TRY(CAST(${raw} AS VARCHAR)) AS DOUBLE)`;
  return `CASE WHEN abs(${number}) > ${LARGEST_AMOUNT} AND NOT isnan(${number}) THEN 'a decimal number of at most 1e15' ELSE 'a decimal number' END`;
}
