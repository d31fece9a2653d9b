import type { SpendPick } from '../../domain/spend/spend-pick.ts';
import { alignedRows } from './aligned-rows.ts';
import { amountText, changeText } from './amount-text.ts';
import type { MonthOnWire } from './lock-months.ts';
import type { RecordedMetric } from './record-values.ts';

const HEADER = ['month', 'cost', 'value', 'unit cost', 'change', 'status'] as const;
const LEFT_ALIGNED = new Set([0, HEADER.length - 1]);

type TableMetric = Pick<
  RecordedMetric,
  'name' | 'unit' | 'aggregation' | 'frequency' | 'target' | 'scope' | 'labelKey'
>;

/**
 * A metric's months as a table for people: money in the organisation's currency, newest month first. Months that
 * are partial for the same reason as the one above are one line.
 */
export const unitCostTable = (
  metric: TableMetric,
  currency: string,
  months: readonly MonthOnWire[],
): string[] => {
  const firstPartial = months.findIndex(({ status }) => status === 'partial');
  const full = firstPartial === -1 ? months : months.slice(0, firstPartial + 1);
  const rest = months.slice(full.length);
  const decimals = full.every(({ value }) => Number.isInteger(value ?? 0)) ? 0 : 1;
  const rows = [HEADER, ...full.map((month) => cells(month, decimals))];
  return [
    title(metric, currency),
    ...scopeInWords(metric.scope).map((words) => `  of ${words}`),
    ...alignedRows(rows, LEFT_ALIGNED),
    ...(rest.length === 0
      ? []
      : [`  ${rest.at(-1)?.month ?? ''} to ${rest[0]?.month ?? ''}: partial too, and never to be locked`]),
  ];
};

const title = (metric: TableMetric, currency: string): string => {
  const { name, unit, aggregation, frequency, target, labelKey } = metric;
  return [
    `${name} (${frequency}, ${aggregation}): ${currency} per ${unit}`,
    ...(target === null ? [] : [`target ${target}`]),
    ...(labelKey === null ? [] : [`recorded by ${labelKey}`]),
  ].join(', ');
};

const scopeInWords = (scope: TableMetric['scope']): string[] => {
  if (scope.type === 'team') return [`the bill of team ${scope.team}`];
  return scope.type === 'spend' ? [scope.spend.map(pickInWords).join(', ')] : [];
};

const pickInWords = (pick: SpendPick): string => {
  switch (pick.source) {
    case 'kubernetes':
      return `${pick.workload === undefined ? 'namespace' : 'workload'} ${[pick.cluster, pick.namespace, pick.workload ?? []].flat().join('/')}`;
    case 'host':
      return `host ${[pick.host, pick.service ?? []].flat().join('/')}`;
    case 'repository':
      return `repository ${pick.repository}`;
    case 'cloud':
      return pick.tag === undefined
        ? `account ${[pick.cloud, pick.account ?? [], pick.service ?? pick.resource_group ?? []].flat().join('/')}`
        : `${pick.cloud} tag ${pick.tag.key}=${pick.tag.value}`;
  }
};

const cells = (month: MonthOnWire, valueDecimals: number): string[] => [
  month.month,
  amountText(month.cost, 2),
  amountText(month.value, valueDecimals),
  amountText(month.unit_cost, 4),
  changeText(month.change_percent),
  [
    month.reason === null ? month.status : `${month.status}: ${month.reason}`,
    ...(month.version === null ? [] : [`v${month.version}`]),
    ...(month.current === undefined ? [] : [`(now ${amountText(month.current.unit_cost, 4)})`]),
    ...(month.change_basis === 'same_days' && month.change_percent !== null
      ? ['(change of the same days)']
      : []),
    ...(month.above_target ? ['- above target'] : []),
  ].join(' '),
];
