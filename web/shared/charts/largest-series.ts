import { sumOf } from '../sums.ts';
import { MOST_SERIES, seriesColor } from './series-colors.ts';
import type { StackedPeriod, StackedSeries } from './stacked-series.ts';

/** The series of all parts that have none of their own. */
export const OTHER = 'other';

/** Returns the `most` largest parts as series, and the rest as one more. A rest of one part keeps its name. */
export function largestSeries(
  parts: readonly { id: string; name: string; total: number }[],
  most: number = MOST_SERIES,
): StackedSeries[] {
  const largest = parts.toSorted((one, other) => other.total - one.total);
  const own = largest.slice(0, most + (largest.length === most + 1 ? 1 : 0));
  const series = own.map(({ id, name }, index) => ({ name: id, label: name, color: seriesColor(index) }));
  return own.length === parts.length
    ? series
    : [...series, { name: OTHER, label: `Other (${parts.length - own.length})`, color: seriesColor(most) }];
}

/** Returns the amount of each series in each day or month. What has no series of its own counts as {@link OTHER}. */
export function stackedPeriods(
  periods: readonly string[],
  series: readonly StackedSeries[],
  amounts: Iterable<{ period: string; id: string; amount: number }>,
): StackedPeriod[] {
  const own = new Set(series.map(({ name }) => name));
  const sums = new Map(periods.map((period) => [period, new Map<string, number[]>()]));
  for (const { period, id, amount } of amounts) {
    const name = own.has(id) ? id : OTHER;
    const inPeriod = sums.get(period);
    const parts = inPeriod?.get(name) ?? [];
    inPeriod?.set(name, parts);
    parts.push(amount);
  }
  return [...sums].map(([period, inPeriod]) => ({
    period,
    values: Object.fromEntries([...inPeriod].map(([name, parts]) => [name, sumOf(parts)])),
  }));
}
