import {
  addDays,
  addMonths,
  dayOf,
  firstDay,
  lastDay,
  monthOf,
  type Day,
  type Month,
} from '../shared/calendar.ts';

/** How many months back the first reading of an API goes. */
const FIRST_MONTHS = 12;
/** How many of the newest days are requested again. OpenCost still completes them as late metrics come in. */
const REPEATED_DAYS = 2;

/**
 * Returns the whole UTC days to request from an OpenCost API, oldest first; empty if no day of the range has ended. Without a
 * start month they begin two days before the last delivered day, or with the last year.
 */
export function daysToAsk(range: {
  startMonth: Month | null;
  endMonth: Month | null;
  lastDelivered: Day | null;
  now: Date;
}): Day[] {
  const today = dayOf(range.now);
  const yesterday = addDays(today, -1);
  const end = range.endMonth === null ? yesterday : lastDay(range.endMonth);
  const to = end < yesterday ? end : yesterday;
  const days: Day[] = [];
  for (let day = firstToAsk(range, today); day <= to; day = addDays(day, 1)) days.push(day);
  return days;
}

function firstToAsk(
  { startMonth, lastDelivered }: { startMonth: Month | null; lastDelivered: Day | null },
  today: Day,
): Day {
  if (startMonth !== null) return firstDay(startMonth);
  if (lastDelivered !== null) return addDays(lastDelivered, -REPEATED_DAYS);
  return firstDay(addMonths(monthOf(today), -FIRST_MONTHS));
}
