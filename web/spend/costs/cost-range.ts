import {
  addDays,
  addMonths,
  daysInclusive,
  firstDay,
  lastDay,
  monthOf,
  type Day,
} from '../../shared/calendar.ts';

/** The days that the costs page shows, both included. */
export interface CostRange {
  start: Day;
  end: Day;
}

/** A bar of the costs page. */
export type Step = 'day' | 'month';

/** The most days that the API sums at once. */
export const MOST_DAYS = 366;

/** The days of the address; without them the running month and the one before it. */
export const rangeOf = ({ start, end }: { start?: Day; end?: Day }, today: Day): CostRange => ({
  start: start ?? firstDay(addMonths(monthOf(end ?? today), -1)),
  end: end ?? today,
});

/** The ranges that most people ask for. */
export function presetsOf(today: Day): { label: string; value: [Day, Day] }[] {
  const month = monthOf(today);
  const before = addMonths(month, -1);
  return [
    { label: 'This month', value: [firstDay(month), today] },
    { label: 'Last month', value: [firstDay(before), lastDay(before)] },
    { label: 'Last 3 months', value: [firstDay(addMonths(month, -3)), lastDay(before)] },
    { label: 'This year so far', value: [`${today.slice(0, 4)}-01-01`, today] },
  ];
}

/** Every day or month of a range, oldest first. */
export function periodsOf({ start, end }: CostRange, step: Step): string[] {
  const days = daysInclusive(start, end);
  // What the API refuses has no bars.
  if (!(days >= 1 && days <= MOST_DAYS)) return [];
  const all = Array.from({ length: days }, (_, index) => addDays(start, index));
  return step === 'day' ? all : [...new Set(all.map(monthOf))];
}

/** The days of a range in one of its days or months. */
export function narrowedTo(period: string, { start, end }: CostRange): CostRange {
  if (period.length > 7) return { start: period, end: period };
  const [first, last] = [firstDay(period), lastDay(period)];
  return { start: first > start ? first : start, end: last < end ? last : end };
}
