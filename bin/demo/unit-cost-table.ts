import type { MonthOnWire } from './lock-months.ts';
import type { RecordedMetric } from './record-values.ts';

const HEADER = ['month', 'cost', 'value', 'unit cost', 'change', 'status'] as const;
const LEFT_ALIGNED = new Set([0, HEADER.length - 1]);

/** A metric's months as a table for people: money in the organisation's currency, newest month first. */
export const unitCostTable = (
  metric: Pick<RecordedMetric, 'name' | 'unit' | 'aggregation' | 'frequency' | 'target'>,
  currency: string,
  months: readonly MonthOnWire[],
): string[] => {
  const decimals = months.every(({ value }) => Number.isInteger(value ?? 0)) ? 0 : 1;
  const rows = [HEADER, ...months.map((month) => cells(month, decimals))];
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const sort = `${metric.frequency}, ${metric.aggregation}`;
  const target = metric.target === null ? '' : `, target ${metric.target.toFixed(2)}`;
  return [
    `${metric.name} (${sort}): ${currency} per ${metric.unit}${target}`,
    ...rows.map((row) =>
      `  ${row
        .map((cell, column) =>
          LEFT_ALIGNED.has(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  ')}`.trimEnd(),
    ),
  ];
};

const cells = (month: MonthOnWire, valueDecimals: number): string[] => [
  month.month,
  number(month.cost, 2),
  number(month.value, valueDecimals),
  number(month.unit_cost, 4),
  month.change_percent === null
    ? '-'
    : `${month.change_percent > 0 ? '+' : ''}${number(month.change_percent, 1)} %`,
  [
    month.reason === null ? month.status : `${month.status}: ${month.reason}`,
    ...(month.version === null ? [] : [`v${month.version}`]),
    ...(month.current === undefined ? [] : [`(now ${number(month.current.unit_cost, 4)})`]),
    ...(month.above_target ? ['- above target'] : []),
  ].join(' '),
];

const number = (amount: number | null, decimals: number): string =>
  amount === null
    ? '-'
    : amount.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
