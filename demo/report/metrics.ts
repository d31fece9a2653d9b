import type { MonthRecord } from '../../domain/months/month-record.ts';
import type { Glance } from '../../domain/months/overview.ts';
import type { Client, Metric, MetricWithMonths, Named } from '../organisation/client.ts';
import { amountText, changeText, table } from './table.ts';

/** Returns a metric's months as a table, newest first. After the first partial month the others are one line. */
export function unitCostTable(metric: MetricWithMonths, teams: readonly Named[]): string[] {
  const { name, unit, aggregation, frequency, target, label_key, scope, months } = metric;
  const firstPartial = months.findIndex(({ status }) => status === 'partial');
  const shown = firstPartial === -1 ? months : months.slice(0, firstPartial + 1);
  const others = months.slice(shown.length).map(({ month }) => month);
  const decimals = shown.every(({ value }) => Number.isInteger(value ?? 0)) ? 0 : 1;
  const rows = shown.map((month) => [
    month.month,
    amountText(month.cost),
    amountText(month.value, decimals),
    amountText(month.unit_cost, 4),
    changeText(month.change_percent),
    statusText(month),
  ]);
  const limit = target === null ? '' : `, target ${target}`;
  const labels = label_key === null ? '' : `, recorded by ${label_key}`;
  return [
    `${name} (${frequency}, ${aggregation}): USD per ${unit}${limit}${labels}`,
    ...(scope.type === 'organisation' ? [] : [`  of ${scopeText(scope, teams)}`]),
    ...table(['month', 'cost', 'value', 'unit cost', 'change', 'status'], rows),
    ...others
      .slice(0, 1)
      .map((newest) => `  ${others.at(-1) ?? ''} to ${newest}: partial too, and never to be locked`),
  ];
}

/** Returns a month's status, with its reason, version and marks. */
export const statusText = (month: MonthRecord): string =>
  [
    month.reason === null ? month.status : `${month.status}: ${month.reason}`,
    month.version === null ? '' : ` v${month.version}`,
    month.current ? ` (now ${ratioText(month.current)})` : '',
    month.change_basis === 'same_days' && month.change_percent !== null ? ' (change of the same days)' : '',
    month.above_target ? ' - above target' : '',
  ].join('');

/** Returns a unit cost, or a cost share of revenue in percent. */
function ratioText(numbers: Pick<MonthRecord, 'unit_cost' | 'cost_share_percent'> | null): string {
  const share = numbers?.cost_share_percent ?? null;
  return share === null ? amountText(numbers?.unit_cost, 4) : `${amountText(share)} %`;
}

function scopeText(
  scope: Exclude<Metric['scope'], { type: 'organisation' }>,
  teams: readonly Named[],
): string {
  if (scope.type === 'team')
    return `the bill of team ${teams.find(({ id }) => id === scope.team_id)?.name ?? scope.team_id}`;
  const picks = scope.spend.map(({ source, ...names }) => {
    const { tag, ...others } = { tag: undefined, ...names };
    const tagText = tag === undefined ? '' : ` tag ${tag.key}=${tag.value}`;
    return `${source} ${Object.values(others).join('/')}${tagText}`;
  });
  return picks.join(', ');
}

/** Returns every metric at a glance as a table. */
export async function overviewTable(admin: Client): Promise<string[]> {
  const glances = await admin.get<(Glance & { metric: Named })[]>('/api/v1/overview');
  const rows = glances.map((glance) => [
    glance.metric.name,
    glance.latest?.month ?? '-',
    ratioText(glance.latest),
    changeText(glance.unit_cost_change_percent),
    changeText(glance.spend_change_percent),
    sparkline(glance.sparkline),
    [
      ...(glance.change_basis === 'same_days' ? ['same days'] : []),
      ...(glance.opposite_directions ? ['opposite directions'] : []),
      ...(glance.above_target ? ['above target'] : []),
    ].join(', '),
  ]);
  return [
    'At a glance (/overview): the newest month with a unit cost or cost share, compared with the month before or its same days',
    ...table(['metric', 'latest', 'unit cost', 'change', 'spend change', 'twelve months', ''], rows),
  ];
}

/** Returns numbers as bars from the least to the greatest, and a blank for a missing number. */
function sparkline(numbers: readonly (number | null)[]): string {
  const known = numbers.filter((number) => number !== null);
  const least = Math.min(...known);
  const range = Math.max(...known) - least || 1;
  const bar = (number: number): string => '▁▂▃▄▅▆▇█'.charAt(Math.round(((number - least) / range) * 7));
  return numbers.map((number) => (number === null ? ' ' : bar(number))).join('');
}
