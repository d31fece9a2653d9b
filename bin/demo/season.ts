import { Temporal } from 'temporal-polyfill';
import type { Day, Month } from '../../domain/shared/calendar.ts';

/** How busy the sample shop is in each calendar month, January first. */
const SEASON = [0.94, 0.95, 1, 1, 1.02, 0.99, 0.95, 0.96, 1.02, 1.06, 1.22, 1.28];

const SATURDAY = 6;

/** Saturdays and Sundays. */
export const isWeekend = (day: Day): boolean => Temporal.PlainDate.from(day).dayOfWeek >= SATURDAY;

/** How busy a month is, against a usual one. */
export const season = (month: Month): number => SEASON[Temporal.PlainYearMonth.from(month).month - 1] ?? 1;

/** Steady growth by `perMonth` of the size in January 2024; never below a fifth of it. */
export const growth = (month: Month, perMonth: number): number => {
  const { year, month: number } = Temporal.PlainYearMonth.from(month);
  return Math.max(0.2, 1 + perMonth * ((year - 2024) * 12 + number - 1));
};
