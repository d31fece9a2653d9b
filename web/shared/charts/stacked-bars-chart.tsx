import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { Group, Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { SeriesSwatch } from './series-swatch.tsx';
import type { StackedBarsProps, StackedPeriod, StackedSeries } from './stacked-series.ts';

/** Up to here bars are wide enough for a gap between their parts. */
const MOST_WITH_GAPS = 62;
const WIDEST_BAR = 64;

/** The bars themselves, with Recharts. Everything else takes them from {@link StackedBars}. */
function StackedBarsChart({
  data,
  series,
  label,
  valueFormatter,
  axisFormatter,
  onPick,
  height,
}: StackedBarsProps): ReactNode {
  const rows = data.map(({ period, values }) => ({
    period,
    // The library would read a dot in a name as a path.
    ...Object.fromEntries(series.map(({ name }, index) => [keyOf(index), values[name] ?? 0])),
  }));
  const periods = new Map(data.map((row) => [row.period, row]));
  return (
    <BarChart
      h={height}
      type="stacked"
      data={rows}
      dataKey="period"
      series={series.map(({ label: text, color }, index) => ({ name: keyOf(index), label: text, color }))}
      maxBarWidth={WIDEST_BAR}
      valueFormatter={axisFormatter}
      xAxisProps={{ minTickGap: 24 }}
      yAxisProps={{ width: 64 }}
      barChartProps={{
        title: label,
        // Credits go down from zero, so that a bar's height above it is what was spent.
        stackOffset: 'sign',
        onClick: ({ activeLabel }) => {
          if (typeof activeLabel === 'string') onPick?.({ period: activeLabel, series: null });
        },
        style: onPick === undefined ? {} : { cursor: 'pointer' },
      }}
      barProps={({ name }) => ({
        isAnimationActive: false,
        ...(data.length <= MOST_WITH_GAPS && { stroke: 'var(--mantine-color-body)', strokeWidth: 1 }),
        onClick: (_bar, index, event) => {
          event.stopPropagation();
          const period = data[index]?.period ?? null;
          onPick?.({ period, series: series.find((_, place) => keyOf(place) === name)?.name ?? null });
        },
      })}
      tooltipProps={{
        content: ({ label: period }) => {
          const shown = periods.get(String(period));
          return shown === undefined ? null : (
            <Parts shown={shown} series={series} valueFormatter={valueFormatter} />
          );
        },
      }}
    />
  );
}

export default StackedBarsChart;

const keyOf = (index: number): string => `series-${index}`;

function Parts({
  shown: { period, values },
  series,
  valueFormatter,
}: {
  shown: StackedPeriod;
  series: readonly StackedSeries[];
  valueFormatter: (value: number) => string;
}): ReactNode {
  const parts = series
    .map((part) => ({ ...part, value: values[part.name] ?? 0 }))
    .filter(({ value }) => value !== 0)
    .reverse();
  return (
    <Paper withBorder shadow="md" p="xs" maw={320}>
      <Line text={period} value={valueFormatter(parts.reduce((sum, { value }) => sum + value, 0))} strong />
      {parts.map(({ name, label, color, value }) => (
        <Line key={name} text={label} value={valueFormatter(value)} color={color} />
      ))}
    </Paper>
  );
}

const Line = ({
  text,
  value,
  color,
  strong = false,
}: {
  text: string;
  value: string;
  color?: string;
  strong?: boolean;
}): ReactNode => (
  <Group justify="space-between" gap="md" wrap="nowrap">
    <Group gap={6} wrap="nowrap" miw={0}>
      {color !== undefined && <SeriesSwatch color={color} />}
      <Text size="sm" fw={strong ? 600 : 400} truncate>
        {text}
      </Text>
    </Group>
    <Text size="sm" fw={strong ? 600 : 400}>
      {value}
    </Text>
  </Group>
);
