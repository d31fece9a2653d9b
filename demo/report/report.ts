import { addDays, firstDay, lastDay, type Month } from '../../domain/shared/calendar.ts';
import { named, type Shop } from '../organisation/apply.ts';
import type { MetricWithMonths, Say } from '../organisation/client.ts';
import { billsOf, withMonths } from '../organisation/history.ts';
import { connectWebhook, eventText, exceedTarget, type WebhookListener } from '../organisation/webhook.ts';
import { billTable, sharedCostTable, type TeamBills } from './bills.ts';
import { overviewTable, unitCostTable } from './metrics.ts';
import { nextSteps } from './next-steps.ts';
import { revenueTable } from './revenue.ts';
import { salesSteps } from './sales-steps.ts';
import { amountText, table } from './table.ts';

/** Prints some lines below an empty one. */
export function chapter(lines: readonly string[], say: Say): void {
  if (lines.length > 0) say(['', ...lines].join('\n'));
}

/** Prints unit costs, revenue, a restated month, bills, an event and the overview. Returns commands to try next. */
export async function report(shop: Shop, listener: WebhookListener, restated: Month | null, say: Say) {
  const { admin, time } = shop;
  const metrics = await Promise.all(shop.metrics.map((metric) => withMonths(admin, metric)));
  const searches = metrics.find(({ scope }) => scope.type === 'team');
  for (const metric of metrics) if (metric !== searches) chapter(unitCostTable(metric, shop.teams), say);
  const orders = named(metrics, 'Orders');
  const sales = shop.sales && (await withMonths(admin, shop.sales));
  if (sales !== null) chapter(await revenueTable(admin, sales), say);
  if (restated !== null) chapter(await restatement(shop, orders, restated), say);
  const teams: TeamBills[] = [];
  for (const team of shop.teams) teams.push({ ...team, bills: await billsOf(admin, team) });
  const [team] = teams;
  const totals = new Map<Month, number>();
  // An estimate, a bill that waits, one that follows today, and one that was sealed by hand and by a value.
  for (const month of time.months.slice(-4).reverse()) totals.set(month, await totalOf(shop, month));
  if (team) chapter(billTable(teams, totals), say);
  const sealed = team?.bills.find(({ status }) => status === 'sealed')?.month;
  if (sealed) chapter(sharedCostTable(sealed, shop, teams), say);
  const webhookId = await connectWebhook(admin, listener);
  const raised = searches && (await exceedTarget(admin, searches, webhookId));
  const withTarget = searches && (await withMonths(admin, searches));
  if (withTarget) chapter(unitCostTable(withTarget, shop.teams), say);
  if (raised) {
    const isNew = listener.verified.has(raised.event_id);
    const how = isNew ? 'received, signature verified' : 'was received in an earlier run';
    const title = `Webhook to ${listener.url}: Searches got a target, and a month went above it`;
    chapter([title, `  ${eventText(raised.payload)}`, `  ${raised.event_id} ${how}`], say);
  }
  chapter(await overviewTable(admin), say);
  const steps = nextSteps(shop, orders, withTarget, team, webhookId);
  return sales === null ? steps : [...steps, ...salesSteps(sales)];
}

/** Returns the organisation's spend of a month, of the running one through today. */
async function totalOf({ admin, time }: Shop, month: Month): Promise<number> {
  const [today, last] = [addDays(time.through, 1), lastDay(month)];
  const path = `/api/v1/costs?start_date=${firstDay(month)}&end_date=${today < last ? today : last}`;
  return (await admin.get<{ total: number }>(path)).total;
}

/** Compares a restated month's spend with the cost that a metric of all spend is locked with. */
async function restatement(shop: Shop, metric: MetricWithMonths, month: Month): Promise<string[]> {
  const locked = metric.months.find((each) => each.month === month)?.locked;
  const total = await totalOf(shop, month);
  // A newer organisation has only ever seen the restated bill.
  if (!locked || total === locked.cost) return [];
  const before = [month, `${metric.name}, locked v${locked.version}`, amountText(locked.cost)];
  return [
    `AWS sent its bill of ${month} again, with a correction: /costs moved, the locked month did not.`,
    ...table(['month', 'spend', 'USD'], [[month, '/costs now', amountText(total)], before]),
  ];
}
