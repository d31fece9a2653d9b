import { addDays, addMonths, firstDay, monthOf, type Day } from '../shared/calendar.ts';

/** The days that can be compared: from the 1st of the month before to the last that is over. */
export interface ComparedDays {
  first: Day;
  last: Day;
}

/** Returns the days to compare on `today`; null on the first of a month, which has no day that is over. */
export const comparedDays = (today: Day): ComparedDays | null =>
  today === firstDay(monthOf(today))
    ? null
    : { first: firstDay(addMonths(monthOf(today), -1)), last: addDays(today, -1) };
