import { firstDay, lastDay, monthOf, type Day } from '../../domain/shared/calendar.ts';
import type { Shop } from '../organisation/apply.ts';
import type { MetricWithMonths } from '../organisation/client.ts';
import { GATEWAY_CALLS } from '../organisation/sample-shop.ts';
import { valuesOf } from '../organisation/values.ts';
import type { TeamBills } from './bills.ts';
import { curl, explained } from './commands.ts';

/** A command: what it does, its method and path, and the body that it sends. */
type Step = [what: string, request: string, body?: object];

/** Returns commands to paste, each below a line that explains it. `$API` and `$KEY` are set before them. */
export function nextSteps(
  shop: Shop,
  orders: MetricWithMonths,
  searches: MetricWithMonths | undefined,
  team: TeamBills | undefined,
  webhookId: string,
): string[] {
  const { through } = shop.time;
  const ready = orders.months.find(({ status }) => status === 'ready_to_lock')?.month;
  const changed = orders.months.find(({ status }) => status === 'changed_since_lock')?.month;
  const relocked = orders.months.find(({ version }) => (version ?? 0) > 1)?.month;
  const lockable = searches?.months.find(({ status }) => status === 'ready_to_lock')?.month;
  const bills = team?.bills ?? [];
  const waiting = bills.find(({ status }) => status === 'waiting')?.month;
  const sealed = bills.find(({ status }) => status === 'sealed')?.month;
  const follows = bills.find(({ follows_today, version }) => follows_today && version !== null)?.month;
  const resealed = bills.find(({ version }) => (version ?? 0) > 1)?.month;
  const labelled = shop.metrics.find(({ label_key }) => label_key !== null);
  const [metric, ofTeam] = [`/metrics/${orders.id}`, `/teams/${team?.id ?? ''}/bills`];
  const sendCalls = `POST /metrics/${shop.gatewayCalls.id}/values`;
  const values = waiting && valuesOf(GATEWAY_CALLS, { months: [waiting], through });
  const lockSearches = `POST /metrics/${searches?.id ?? ''}/months/${lockable ?? ''}/lock`;
  const reseal = `POST /teams/bills/${follows ?? ''}/reseal`;
  const reason = 'compared with the ledger';
  const target = Number((0.9 * Math.max(...orders.months.map((month) => month.unit_cost ?? 0))).toFixed(2));
  const dates = (start: Day, end: Day): string => `start_date=${start}&end_date=${end}`;
  const lately = dates(firstDay(monthOf(through)), through);
  const then = sealed && dates(firstDay(sealed), lastDay(sealed));
  const steps: (Step | '' | undefined)[] = [
    ['spend by source, by day and by account, each dollar once', `GET /costs?${lately}`],
    ['the clusters by namespace', `GET /costs/breakdown?${lately}&group_by=cluster,namespace`],
    ['the months of Orders', `GET ${metric}/months`],
    labelled && [`the months of ${labelled.name}, by label`, `GET /metrics/${labelled.id}/months?by=label`],
    ['send a value', `POST ${metric}/values`, { values: [{ period: through, value: 5000 }] }],
    ready && [`lock ${ready}, which has settled`, `POST ${metric}/months/${ready}/lock`],
    changed && [`lock ${changed} again: a value has changed`, `POST ${metric}/months/${changed}/lock`],
    relocked && [`every version of ${relocked}`, `GET ${metric}/months/${relocked}/versions`],
    ['who changed which value, and the value before', `GET ${metric}/history?limit=5`],
    team && [`the bills of team ${team.name}`, `GET ${ofTeam}`],
    values && [`send what the bills of ${waiting} wait for, and they seal`, sendCalls, { values }],
    follows && [`seal the bills of ${follows} by hand: late spend no longer moves them`, reseal, { reason }],
    resealed && [`versions of the bill of ${resealed}, with causes`, `GET ${ofTeam}/${resealed}/versions`],
    sealed && [`who owns each dollar of ${sealed}`, `GET /costs/breakdown?${then}&group_by=team,source`],
    lockable && [`lock ${lockable} of Searches, which divides a sealed bill`, lockSearches],
    ['every metric at a glance', 'GET /overview'],
    ['lower the target of Orders: the demo prints the events of its webhook', `PATCH ${metric}`, { target }],
    ['every delivery to the webhook, with every attempt', `GET /webhooks/${webhookId}/deliveries`],
  ];
  return steps
    .filter((step) => typeof step === 'object')
    .flatMap(([what, request, body]) => explained(what, curl({ request, body })));
}
