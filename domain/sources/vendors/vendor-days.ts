import {
  addDays,
  addMonths,
  dayOf,
  firstDay,
  lastDay,
  monthOf,
  type Day,
  type Month,
} from '../../shared/calendar.ts';
import type { DayRange } from '../../shared/day-ranges.ts';

/** How many of the newest days are read again. Vendors still change them. */
const REPEATED_DAYS = 3;

/**
 * Returns the whole UTC days to ask a vendor for; null if no day of the wanted months has ended. Without a start month they are the
 * last three days and all since the last delivery. The first reading goes as far back as the vendor answers.
 *
 * @param months how many months back the vendor answers.
 * @param newestDays the most days, for a look at a source; all without it.
 */
export function vendorDays(
  { startMonth, endMonth, now }: { startMonth: Month | null; endMonth: Month | null; now: Date },
  lastDelivered: Day | null,
  { months, newestDays }: { months: number; newestDays?: number | undefined },
): DayRange | null {
  const yesterday = addDays(dayOf(now), -1);
  const oldest = firstDay(addMonths(monthOf(dayOf(now)), -months));
  const wanted =
    startMonth !== null
      ? firstDay(startMonth)
      : lastDelivered === null
        ? oldest
        : least(addDays(lastDelivered, 1), addDays(yesterday, 1 - REPEATED_DAYS));
  const to = endMonth === null ? yesterday : least(lastDay(endMonth), yesterday);
  const first = newestDays === undefined ? oldest : greatest(oldest, addDays(to, 1 - newestDays));
  const from = greatest(wanted, first);
  return from <= to ? { from, to } : null;
}

const least = (a: Day, b: Day): Day => (a < b ? a : b);
const greatest = (a: Day, b: Day): Day => (a > b ? a : b);

/** Returns the days of a range, oldest first. */
export function daysOf({ from, to }: DayRange): Day[] {
  const days: Day[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day);
  return days;
}
