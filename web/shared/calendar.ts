import dayjs from 'dayjs';
import utc from 'dayjs/plugin/utc.js';

dayjs.extend(utc);

/** A UTC day, `YYYY-MM-DD`, as in the API. */
export type Day = string;
/** A UTC month, `YYYY-MM`, as in the API. */
export type Month = string;

const DAY = 'YYYY-MM-DD';
const MONTH = 'YYYY-MM';

export const monthOf = (day: Day): Month => day.slice(0, 7);
export const firstDay = (month: Month): Day => `${month}-01`;
export const lastDay = (month: Month): Day => dayjs.utc(firstDay(month)).endOf('month').format(DAY);
export const addDays = (day: Day, count: number): Day => dayjs.utc(day).add(count, 'day').format(DAY);
export const addMonths = (month: Month, count: number): Month =>
  dayjs.utc(firstDay(month)).add(count, 'month').format(MONTH);

/** The number of days from `start` to `end`, both included. */
export const daysInclusive = (start: Day, end: Day): number =>
  dayjs.utc(end).diff(dayjs.utc(start), 'day') + 1;
