import { MOST_SERIES, REST_COLOR, seriesColor } from '../../shared/charts/series-colors.ts';
import type { StackedPeriod, StackedSeries } from '../../shared/charts/stacked-series.ts';
import { keyOf } from './cost-keys.ts';
import { sumOf, type CostPart } from './cost-lines.ts';
import { periodsOf, type CostRange, type Step } from './cost-range.ts';
import type { CostRow } from './costs-queries.ts';
import type { Group } from './costs-search.ts';

/** The series of all parts that have none of their own. */
export const OTHER = 'other';

/** Returns the dearest parts as series, and the rest as one more. A rest of one part keeps its name. */
export const seriesOf = (parts: readonly CostPart[]): StackedSeries[] => {
  const dearest = parts.toSorted((one, other) => other.total - one.total);
  const own = dearest.slice(0, MOST_SERIES + (dearest.length === MOST_SERIES + 1 ? 1 : 0));
  const series = own.map(({ key }, index) => ({ name: key.id, label: key.name, color: seriesColor(index) }));
  return own.length === parts.length
    ? series
    : [...series, { name: OTHER, label: `Other (${parts.length - own.length})`, color: REST_COLOR }];
};

/** Returns the amount of each series in each day or month of a range. */
export const stackedPeriods = (
  rows: readonly CostRow[],
  series: readonly StackedSeries[],
  { range, step, by }: { range: CostRange; step: Step; by: Group },
): StackedPeriod[] => {
  const own = new Set(series.map(({ name }) => name));
  const amounts = new Map<string, Map<string, number[]>>();
  for (const row of rows) {
    const { id } = keyOf(row, by);
    const name = own.has(id) ? id : OTHER;
    const period = String(row[step]);
    const inPeriod = amounts.get(period) ?? new Map<string, number[]>();
    amounts.set(period, inPeriod);
    const parts = inPeriod.get(name) ?? [];
    inPeriod.set(name, parts);
    parts.push(row.total);
  }
  return periodsOf(range, step).map((period) => ({
    period,
    values: Object.fromEntries([...(amounts.get(period) ?? [])].map(([name, parts]) => [name, sumOf(parts)])),
  }));
};
