import { addMonths, monthOf, type Day, type Month } from '../../shared/calendar.ts';

const SHOWN_MONTHS = 12;

/** The months that bills show, newest first, the running one included. */
export const billMonths = (today: Day): Month[] =>
  Array.from({ length: SHOWN_MONTHS }, (_, index) => addMonths(monthOf(today), -index));

/** The wanted month if bills show it, and else the newest complete one. */
export const shownMonth = (wanted: Month | undefined, today: Day): Month =>
  wanted !== undefined && billMonths(today).includes(wanted) ? wanted : addMonths(monthOf(today), -1);
