import { createHash } from 'node:crypto';
import type { Day, Month } from '../../domain/shared/calendar.ts';

/** How busy the sample shop is in each calendar month, January first. */
const SEASON = [0.94, 0.95, 1, 1, 1.02, 0.99, 0.95, 0.96, 1.02, 1.06, 1.22, 1.28];

/** Returns how busy a month is compared with an average one. */
export const season = (month: Month): number => SEASON[Number(month.slice(5)) - 1] ?? 1;

/** Whether a day is a Saturday or a Sunday. */
export const isWeekend = (day: Day): boolean => [0, 6].includes(new Date(day).getUTCDay());

/** Returns the size after steady growth by `perMonth` of that in January 2024, never below a fifth of it. */
export function growth(month: Month, perMonth: number): number {
  const months = (Number(month.slice(0, 4)) - 2024) * 12 + Number(month.slice(5)) - 1;
  return Math.max(0.2, 1 + perMonth * months);
}

/** Returns a number from 0 to below 1 that looks random. The same text gives the same number in every run. */
export const noise = (text: string): number =>
  createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;

/** Returns a factor around 1 that differs from 1 by at most `spread`. */
export const wobble = (text: string, spread: number): number => 1 + spread * (2 * noise(text) - 1);
