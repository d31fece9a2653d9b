import { useMemo, type ReactNode } from 'react';
import { useSession } from '../../http/session.ts';
import { largestSeries, stackedPeriods } from '../../shared/charts/largest-series.ts';
import { MOST_SERIES, REST_COLOR } from '../../shared/charts/series-colors.ts';
import { StackedBars } from '../../shared/charts/stacked-bars.tsx';
import type { StackedBarsProps } from '../../shared/charts/stacked-series.ts';
import { moneyText, shortMoneyText } from '../../shared/numbers.ts';
import type { BillTotals } from '../team-queries.ts';

const UNALLOCATED = { name: 'unallocated', label: 'Unallocated', color: REST_COLOR };

/** Fully loaded bills as a stack of the dearest teams for each month, with what no bill has on top. */
export function BillsChart({
  months,
  height,
}: {
  /** Newest first. */
  months: readonly BillTotals[];
  height: number;
}): ReactNode {
  const { currency } = useSession().organisation;
  const stacks = useMemo(() => stacksOf(months), [months]);
  return (
    <StackedBars
      {...stacks}
      height={height}
      label="fully loaded bills by month and team"
      valueFormatter={(value) => moneyText(value, currency)}
      axisFormatter={(value) => shortMoneyText(value, currency)}
    />
  );
}

function stacksOf(months: readonly BillTotals[]): Pick<StackedBarsProps, 'data' | 'series'> {
  const amounts = months.flatMap(({ month: period, bills, unallocated }) => [
    ...bills.map(({ team: { id }, fully_loaded }) => ({ period, id, amount: fully_loaded ?? 0 })),
    { period, id: UNALLOCATED.name, amount: unallocated ?? 0 },
  ]);
  const totals = new Map<string, number>();
  for (const { id, amount } of amounts) totals.set(id, (totals.get(id) ?? 0) + amount);
  const teams = (months[0]?.bills ?? []).map(({ team: { id, name } }) => ({
    id,
    name,
    total: totals.get(id) ?? 0,
  }));
  // One colour is for the other teams, because the usual one for a rest is for what no team pays.
  const series = [...largestSeries(teams, MOST_SERIES - 1), UNALLOCATED];
  const periods = months.map(({ month }) => month).toReversed();
  return { data: stackedPeriods(periods, series, amounts), series };
}
