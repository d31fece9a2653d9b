import { dayOf, monthOf, type Month } from '../shared/calendar.ts';

/** Months that metrics and bills show (spec §8). */
const SHOWN_MONTHS = 12;

/** The months that metrics and bills show at an instant: the running month and those before it. */
export const shownMonths = (now: Date): { newest: Month; count: number } => ({
  newest: monthOf(dayOf(now)),
  count: SHOWN_MONTHS,
});
