import { Temporal } from 'temporal-polyfill';

/** A UTC calendar day on the wire and in SQL parameters, `YYYY-MM-DD`. */
export type Day = string;
/** A UTC calendar month on the wire, `YYYY-MM`. */
export type Month = string;

/** Returns the UTC day of an instant. Caches the last one, because every request asks several times for today. */
export function dayOf(instant: Date): Day {
  const number = Math.floor(instant.getTime() / DAY_MS);
  if (number !== lastDayOf.number) lastDayOf = { number, day: instant.toISOString().slice(0, 10) };
  return lastDayOf.day;
}

let lastDayOf: { number: number; day: Day } = { number: NaN, day: '' };

/** Returns the number of days from 1970-01-01 to a day, for arithmetic. */
export const dayNumber = (day: Day): number => Date.parse(`${day}T00:00:00Z`) / DAY_MS;

const DAY_MS = 86_400_000;

/** Returns the day of a {@link dayNumber}. */
export const dayAt = (number: number): Day => dayOf(new Date(number * DAY_MS));

/** Whether a text is a calendar day of the years 1 to 9999, as `YYYY-MM-DD`. */
export function isDay(text: string): text is Day {
  if (!DAY.test(text) || text.startsWith('0000')) return false;
  const day = Number(text.slice(8));
  // `Date` reads 30 February as a day of March.
  return day <= 28 || new Date(`${text}T00:00:00Z`).getUTCDate() === day;
}

const DAY = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

/** Returns the month of a day, or a month itself. */
export const monthOf = (period: Day): Month => period.slice(0, 7);

export const firstDay = (month: Month): Day => `${month}-01`;

/** Caches results, because every month of every metric asks for the same few months. */
function cached(compute: (month: Month, days: number) => Day) {
  const known = new Map<string, Day>();
  return (month: Month, days: number): Day => {
    const key = `${month} ${days}`;
    const day = known.get(key) ?? compute(month, days);
    known.set(key, day);
    return day;
  };
}

const dayAfterMonth = cached((month, days) => addDays(firstDay(addMonths(month, 1)), days));

export const firstDayAfter = (month: Month): Day => dayAfterMonth(month, 0);

export const lastDay = (month: Month): Day => dayAfterMonth(month, -1);

/** Returns the month `count` months later, or earlier if `count` is negative. */
export function addMonths(month: Month, count: number): Month {
  const months = Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1 + count;
  const year = Math.floor(months / 12);
  // Every month of every metric asks, and the arithmetic of all calendars takes ten times as long.
  return MONTH.test(month) && year >= 1 && year <= 9999
    ? `${year.toString().padStart(4, '0')}-${(months - year * 12 + 1).toString().padStart(2, '0')}`
    : Temporal.PlainYearMonth.from(month).add({ months: count }).toString();
}

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

/** Returns the day `count` days later, or earlier if `count` is negative. */
export function addDays(day: Day, count: number): Day {
  const number = isDay(day) ? dayNumber(day) + count : NaN;
  return number >= FIRST_NUMBER && number <= LAST_NUMBER
    ? new Date(number * DAY_MS).toISOString().slice(0, 10)
    : Temporal.PlainDate.from(day).add({ days: count }).toString();
}

const FIRST_NUMBER = dayNumber('0001-01-01');
const LAST_NUMBER = dayNumber('9999-12-31');

/** Returns the day `count` years later. 29 February becomes the 28th if that year does not have it. */
export const addYears = (day: Day, count: number): Day =>
  Temporal.PlainDate.from(day).add({ years: count }).toString();

/** Returns the number of months from `start` to `end`, both included. */
export const monthsInclusive = (start: Month, end: Month): number =>
  Temporal.PlainYearMonth.from(start).until(Temporal.PlainYearMonth.from(end), { largestUnit: 'months' })
    .months + 1;

/** Returns the number of days from `start` to `end`, both included. */
export const daysInclusive = (start: Day, end: Day): number =>
  isDay(start) && isDay(end)
    ? dayNumber(end) - dayNumber(start) + 1
    : Temporal.PlainDate.from(start).until(Temporal.PlainDate.from(end)).days + 1;

/** Returns the `count` months that end with `newest`, newest first. */
export const monthsBack = (newest: Month, count: number): Month[] =>
  Array.from({ length: count }, (_, back) => addMonths(newest, -back));

/** Returns the first day on which a month can settle. `settleDays` full days have then passed since its end. */
export const settlesOn = (month: Month, settleDays: number): Day => dayAfterMonth(month, settleDays);

/** Returns the whole seconds from an instant to midnight UTC, at least 1. Daily quotas reset at midnight. */
export const secondsToMidnight = (instant: Date): number =>
  Math.max(1, Math.ceil(((dayNumber(dayOf(instant)) + 1) * DAY_MS - instant.getTime()) / 1000));
