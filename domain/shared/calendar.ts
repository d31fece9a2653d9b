import { Temporal } from 'temporal-polyfill';

/** A UTC calendar day on the wire and in SQL parameters, `YYYY-MM-DD`. */
export type Day = string;
/** A UTC calendar month on the wire, `YYYY-MM`. */
export type Month = string;

/** The UTC day that an instant lies in. */
export const dayOf = (instant: Date): Day => instant.toISOString().slice(0, 10);

/** A day as a number to reckon with: the days since 1970-01-01. */
export const dayNumber = (day: Day): number => Date.parse(`${day}T00:00:00Z`) / DAY_MS;

/** The day of a number of {@link dayNumber}. */
export const dayAt = (number: number): Day => dayOf(new Date(number * DAY_MS));

const DAY_MS = 86_400_000;

/** Whether a text is a day of the years 1 to 9999, `YYYY-MM-DD`, that the calendar has. */
export const isDay = (text: string): text is Day => {
  if (!DAY.test(text) || text.startsWith('0000')) return false;
  const day = Number(text.slice(8));
  // A day that its month does not have counts on into the next one.
  return day <= 28 || new Date(`${text}T00:00:00Z`).getUTCDate() === day;
};

const DAY = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

/** The month that a day (or a month itself) lies in. */
export const monthOf = (period: Day): Month => period.slice(0, 7);

/** The first day of a month. */
export const firstDay = (month: Month): Day => `${month}-01`;

/** Few months are asked for, by every month of every metric. */
const remembered = (compute: (month: Month, days: number) => Day) => {
  const known = new Map<string, Day>();
  return (month: Month, days: number): Day => {
    const asked = `${month} ${days}`;
    const day = known.get(asked) ?? compute(month, days);
    known.set(asked, day);
    return day;
  };
};

const dayAfterMonth = remembered((month, days) => addDays(firstDay(addMonths(month, 1)), days));

/** The first day after a month. */
export const firstDayAfter = (month: Month): Day => dayAfterMonth(month, 0);

/** The last day of a month. */
export const lastDay = (month: Month): Day => dayAfterMonth(month, -1);

/** The month `count` months later (earlier when negative). */
export const addMonths = (month: Month, count: number): Month =>
  Temporal.PlainYearMonth.from(month).add({ months: count }).toString();

/** The day `count` days later (earlier when negative). */
export const addDays = (day: Day, count: number): Day =>
  Temporal.PlainDate.from(day).add({ days: count }).toString();

/** The day `count` years later; 29 February becomes the 28th. */
export const addYears = (day: Day, count: number): Day =>
  Temporal.PlainDate.from(day).add({ years: count }).toString();

/** How many days lie from `start` to `end`, both counted. */
export const daysInclusive = (start: Day, end: Day): number =>
  Temporal.PlainDate.from(start).until(Temporal.PlainDate.from(end)).days + 1;

/** The `count` months that end with `newest`, newest first. */
export const monthsBack = (newest: Month, count: number): Month[] =>
  Array.from({ length: count }, (_, back) => addMonths(newest, -back));

/** The first day on which a month can settle: `settleDays` full days after its last (design §2). */
export const settlesOn = (month: Month, settleDays: number): Day => dayAfterMonth(month, settleDays);

/** Whole seconds from an instant to the next midnight in UTC, at least 1: when a daily quota resets (spec §8). */
export const secondsToMidnight = (instant: Date): number =>
  Math.max(1, Math.ceil((Date.parse(`${addDays(dayOf(instant), 1)}T00:00:00Z`) - instant.getTime()) / 1000));
