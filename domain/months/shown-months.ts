import { addMonths, dayOf, firstDay, monthOf, type Day, type Month } from '../shared/calendar.ts';

/** How many months metrics and bills show (docs/http.md#read-and-lock-months). */
const SHOWN_MONTHS = 12;

/** Returns the months that metrics and bills show at an instant: the running month and those before it. */
export const shownMonths = (now: Date): { newest: Month; count: number } => ({
  newest: monthOf(dayOf(now)),
  count: SHOWN_MONTHS,
});

/** Returns the first day of the oldest month whose facts are needed to show `count` months ending with `newest`. */
export const factsFrom = (newest: Month, count: number): Day => firstDay(addMonths(newest, -count));
