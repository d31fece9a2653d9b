import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import type { ReactNode } from 'react';
import { useSession } from '../http/session.ts';
import type { Month } from '../shared/calendar.ts';
import { moneyText, shortMoneyText } from '../shared/numbers.ts';
import { sumOf, type TeamBills } from './bills/bill-months.ts';

/** A colour for each of the dearest teams; the others share one. */
const COLORS = ['blue.6', 'orange.6', 'teal.6', 'grape.6', 'yellow.6', 'red.6', 'cyan.6', 'lime.6'];
const OTHERS = 'others';
const UNALLOCATED = 'unallocated';

/** Fully loaded bills by team as stacked bars, one for each month, with what no bill has on top. */
export const TeamBillsChart = ({
  height,
  months,
  rows,
}: {
  height: number;
  months: readonly Month[];
  rows: readonly TeamBills[];
}): ReactNode => {
  const { organisation } = useSession();
  const of = (row: TeamBills, month: Month): number =>
    row.bills.find((bill) => bill.month === month)?.fully_loaded ?? 0;
  const dearest = rows.toSorted((one, other) => wholeOf(other) - wholeOf(one));
  const named = dearest.slice(0, COLORS.length);
  const others = dearest.slice(COLORS.length);
  const data = months.map((month) => ({
    month,
    ...Object.fromEntries(named.map((row) => [row.team.id, of(row, month)])),
    [OTHERS]: sumOf(others.map((row) => of(row, month))),
    [UNALLOCATED]: unallocatedOf(rows, month),
  }));
  const series = [
    ...named.map(({ team }, index) => ({
      name: team.id,
      label: team.name,
      color: COLORS[index] ?? 'gray.6',
    })),
    ...(others.length > 0 ? [{ name: OTHERS, label: 'Other teams', color: 'indigo.9' }] : []),
    { name: UNALLOCATED, label: 'Unallocated', color: 'gray.5' },
  ];
  return (
    <BarChart
      h={height}
      data={data}
      dataKey="month"
      series={series}
      type="stacked"
      withLegend
      role="img"
      aria-label={`Fully loaded bills by team from ${months[0] ?? ''} to ${months.at(-1) ?? ''}`}
      valueFormatter={(value) => moneyText(value, organisation.currency)}
      yAxisProps={{
        width: 64,
        tickFormatter: (value: number) => shortMoneyText(value, organisation.currency),
      }}
      barProps={{ isAnimationActive: false }}
      tooltipAnimationDuration={0}
    />
  );
};

const wholeOf = ({ bills }: TeamBills): number => sumOf(bills.map((bill) => bill.fully_loaded ?? 0));

const unallocatedOf = (rows: readonly TeamBills[], month: Month): number =>
  rows
    .flatMap(({ bills }) => bills.filter((bill) => bill.month === month))
    .find((bill) => bill.unallocated !== null)?.unallocated ?? 0;
