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

/** How far back the first reading of an API goes. */
const FIRST_MONTHS = 12;
/** The newest days can still change: OpenCost completes them as late metrics come in. */
const ASKED_AGAIN_DAYS = 2;

/**
 * The whole UTC days to ask an OpenCost API for, oldest first; none when the range holds no day that has ended.
 * Without a start month: what is missing since the last day delivered, or the last year.
 */
export const daysToAsk = (range: {
  startMonth: Month | null;
  endMonth: Month | null;
  lastDelivered: Day | null;
  now: Date;
}): Day[] => {
  const today = dayOf(range.now);
  const yesterday = addDays(today, -1);
  const end = range.endMonth === null ? yesterday : lastDay(range.endMonth);
  const to = end < yesterday ? end : yesterday;
  const days: Day[] = [];
  for (let day = firstToAsk(range, today); day <= to; day = addDays(day, 1)) days.push(day);
  return days;
};

const firstToAsk = (
  { startMonth, lastDelivered }: { startMonth: Month | null; lastDelivered: Day | null },
  today: Day,
): Day => {
  if (startMonth !== null) return firstDay(startMonth);
  if (lastDelivered !== null) return addDays(lastDelivered, -ASKED_AGAIN_DAYS);
  return firstDay(addMonths(monthOf(today), -FIRST_MONTHS));
};
