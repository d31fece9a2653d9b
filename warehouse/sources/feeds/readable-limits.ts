import { addDays, addYears, dayOf, type Day } from '../../../domain/shared/calendar.ts';
import { FIRST_DAY, MOST_YEARS, READABLE_YEARS } from '../../../domain/sources/readable-days.ts';

// What a row of a feed may say at most. A row beyond is a mistake, and would cost every later computation its numbers, its
// memory or its end. It is rejected like a row that cannot be read.

/** The last day that a row may name: ten years after the load. */
export const lastReadableDay = (now: Date): Day => addYears(dayOf(now), MOST_YEARS);

/** A day, or null where no row may name it; `lastDay` is SQL. */
export const readableDay = (day: string, lastDay: string): string =>
  `CASE WHEN ${day} BETWEEN DATE '${FIRST_DAY}' AND ${lastDay} THEN ${day} END`;

/** An instant, or null where no row may name it. */
export const readableTime = (time: string, lastDay: Day): string =>
  `CASE WHEN ${time} >= TIMESTAMP '${FIRST_DAY}' AND ${time} < TIMESTAMP '${addDays(lastDay, 1)}' THEN ${time} END`;

/** What a message expects of a time that is null: its form, or, where it is well formed, its years. In SQL. */
export const expectedTime = (form: string, raw: string): string =>
  `CASE WHEN TRY_CAST(TRY(CAST(${raw} AS VARCHAR)) AS TIMESTAMP) IS NULL THEN '${form}' ELSE '${form} ${READABLE_YEARS}' END`;

/** Whether a period is longer than it may be. */
export const isTooLong = (start: string, end: string): string =>
  `${end} > ${start} + INTERVAL ${MOST_YEARS} YEARS`;

/** What messages expect of a period. */
export const LONGEST_PERIOD = `at most ${MOST_YEARS} years`;

/** Ids of cloud resources have about a thousand characters at most. */
const MOST_CHARACTERS = 2_000;

/** A name or an id, but cut where it is too long: then it still is too long, and grouping it costs no more than others. */
export const readableText = (text: string): string =>
  `CASE WHEN strlen(${text}) > ${MOST_CHARACTERS} THEN left(${text}, ${MOST_CHARACTERS + 1}) ELSE ${text} END`;

/** Whether a name or an id is longer than it may be; its bytes are known without a look at them. */
export const isTooLongText = (text: string): string =>
  `strlen(${text}) > ${MOST_CHARACTERS} AND length(${text}) > ${MOST_CHARACTERS}`;

/** What messages expect of a name or an id. */
export const LONGEST_TEXT = `at most ${MOST_CHARACTERS} characters`;

const LARGEST_AMOUNT = '1000000000000000';

/** An amount, or null where sums of it could leave the decimals of the warehouse. */
export const readableAmount = (amount: string): string =>
  `CASE WHEN ${amount} BETWEEN -${LARGEST_AMOUNT} AND ${LARGEST_AMOUNT} THEN ${amount} END`;

/** What a message expects of an amount that is null: a number, or, where it is one, a smaller one. In SQL. */
export const expectedAmount = (raw: string): string => {
  const number = `TRY_CAST(TRY(CAST(${raw} AS VARCHAR)) AS DOUBLE)`;
  return `CASE WHEN abs(${number}) > ${LARGEST_AMOUNT} AND NOT isnan(${number}) THEN 'a decimal number of at most 1e15' ELSE 'a decimal number' END`;
};
