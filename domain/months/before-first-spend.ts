import type { Month } from '../shared/calendar.ts';

/** What is shown of a month. Null stands for what is not known. */
interface Shown {
  month: Month;
  cost: unknown;
  value: unknown;
}

/**
 * Whether a month is empty and lies before the metric's first spend. Nobody expects numbers of it, so that nothing about it is in
 * doubt. A source with `starts_on` has a known 0 before, which counts as spend. Without any spend, the newest month that has ended
 * still asks for it.
 *
 * @param months the months of the metric, newest first.
 */
export function isBeforeFirstSpend(
  { month, cost, value }: Shown,
  months: readonly Omit<Shown, 'value'>[],
): boolean {
  const first = months.findLast((known) => known.cost !== null) ?? months[1];
  return cost === null && value === null && first !== undefined && month < first.month;
}
