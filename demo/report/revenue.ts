import { PLATFORMS } from '../../domain/imports/platforms.ts';
import type { MonthRecord } from '../../domain/months/month-record.ts';
import type { Client, MetricWithMonths } from '../organisation/client.ts';
import { importOf, type Import } from '../organisation/sales.ts';
import { statusText } from './metrics.ts';
import { amountText, changeText, table } from './table.ts';

/** A month of a revenue metric. */
type RevenueMonth = Extract<MonthRecord, { margin: number | null }>;

/** Returns a revenue metric's months as a table, newest first, and below it where the revenue comes from. */
export async function revenueTable(admin: Client, metric: MetricWithMonths): Promise<string[]> {
  const { id, name, unit, frequency, target } = metric;
  const months = metric.months.filter((month): month is RevenueMonth => 'margin' in month);
  const rows = months.map((month) => [
    month.month,
    amountText(month.cost),
    amountText(month.value),
    percentText(month.cost_share_percent),
    amountText(month.margin),
    percentText(month.margin_percent),
    changeText(month.change_percent),
    statusText(month),
  ]);
  const limit = target === null ? '' : `, target ${target} %`;
  const header = ['month', 'cost', 'revenue', 'cost share', 'margin', 'of revenue', 'change', 'status'];
  return [
    `${name} (${frequency} revenue in ${unit}): cost in percent of revenue${limit}`,
    ...table(header, rows),
    ...importText(await importOf(admin, id)),
    '  only admins see this; other keys get the id, name and kind of the metric',
  ];
}

const percentText = (percent: number | null): string =>
  percent === null ? '-' : `${amountText(percent, 2)} %`;

function importText(connected: Import | null): string[] {
  if (connected === null) return ['  not imported: nothing is connected'];
  const { type, status, paused_reason, last_run, next_run_at, other_currencies, left_out } = connected;
  const then = next_run_at === null ? (paused_reason ?? '') : `next run ${next_run_at}`;
  const others = (other_currencies ?? []).map(
    ({ currency, net_sales }) => `${amountText(net_sales)} ${currency}`,
  );
  const leftOut = (left_out ?? []).map(
    ({ category, currency, amount, transactions }) =>
      `${category} (${transactions} transactions, ${amountText(amount)} ${currency})`,
  );
  return [
    `  import from ${PLATFORMS[type].name}: ${status}, ${then}`,
    ...(last_run === null ? [] : [`  last run ${last_run.status}: ${runText(last_run)}`]),
    ...(others.length === 0 ? [] : [`  sales in other currencies do not count: ${others.join(', ')}`]),
    ...(leftOut.length === 0 ? [] : [`  categories that do not count: ${leftOut.join(', ')}`]),
    ...(last_run?.notes ?? []).map((note) => `  ${note}`),
  ];
}

function runText({ start_day, end_day, rows, changed, error }: NonNullable<Import['last_run']>): string {
  const read = `${amountText(rows, 0)} transactions from ${start_day} to ${end_day}, ${changed} days changed`;
  return error ?? read;
}
