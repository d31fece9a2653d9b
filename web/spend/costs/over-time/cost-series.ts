import { largestSeries, stackedPeriods } from '../../../shared/charts/largest-series.ts';
import type { StackedPeriod, StackedSeries } from '../../../shared/charts/stacked-series.ts';
import { keyOf } from '../lines/cost-keys.ts';
import type { CostPart } from '../lines/cost-lines.ts';
import { periodsOf, type CostRange, type Step } from '../cost-range.ts';
import type { CostRow } from '../costs-queries.ts';
import type { Group } from '../costs-search.ts';

/** Returns the dearest parts as series, and the rest as one more. */
export const seriesOf = (parts: readonly CostPart[]): StackedSeries[] =>
  largestSeries(parts.map(({ key: { id, name }, total }) => ({ id, name, total })));

/** Returns the amount of each series in each day or month of a range. */
export const costsOfPeriods = (
  rows: readonly CostRow[],
  series: readonly StackedSeries[],
  { range, step, by }: { range: CostRange; step: Step; by: Group },
): StackedPeriod[] =>
  stackedPeriods(
    periodsOf(range, step),
    series,
    rows.map((row) => ({ period: String(row[step]), id: keyOf(row, by).id, amount: row.total })),
  );
