/** A UTC day, `YYYY-MM-DD`, as in the API. */
export type Day = string;
/** A UTC month, `YYYY-MM`, as in the API. */
export type Month = string;

const DAY_MS = 86_400_000;

/** The milliseconds of a day since 1970. The browser's own dates suffice for UTC, so that no page waits for a library. */
const timeOf = (day: Day): number => Date.parse(`${day}T00:00:00Z`);
const dayAt = (time: number): Day => new Date(time).toISOString().slice(0, 10);

export const monthOf = (day: Day): Month => day.slice(0, 7);
export const firstDay = (month: Month): Day => `${month}-01`;
export const lastDay = (month: Month): Day => addDays(firstDay(addMonths(month, 1)), -1);
export const addDays = (day: Day, count: number): Day => dayAt(timeOf(day) + count * DAY_MS);
export const addMonths = (month: Month, count: number): Month =>
  monthOf(dayAt(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)) - 1 + count)));

/** The number of days from `start` to `end`, both included. */
export const daysInclusive = (start: Day, end: Day): number => (timeOf(end) - timeOf(start)) / DAY_MS + 1;
