import { firstDay, lastDay, type Day } from '../../domain/shared/calendar.ts';
import type { MonthOnWire } from './lock-months.ts';
import type { RecordedMetric } from './record-values.ts';
import { step } from './step.ts';
import type { TeamBills } from './team-bills.ts';

/** Commands that go on with teams, bills and the webhook; `$API` and `$KEY` are set before. */
export const teamSteps = (demo: {
  teams: readonly TeamBills[];
  /** The metric by whose values bills wait. */
  gatewayCalls: RecordedMetric;
  /** The metric of a team's bill, if there is one. */
  searches: { id: string; months: readonly MonthOnWire[] } | undefined;
  /** A metric with a target. */
  orders: { id: string; months: readonly MonthOnWire[] };
  webhookId: string;
  /** The last day that has a value. */
  through: Day;
}): string[] => {
  const { teams, gatewayCalls, searches, orders, webhookId, through } = demo;
  const key = '-H "X-API-Key: $KEY"';
  const json = `${key} -H "Content-Type: application/json"`;
  const [team] = teams;
  const waiting = team?.bills.find(({ status }) => status === 'waiting')?.month;
  const sealed = team?.bills.find(({ status }) => status === 'sealed')?.month;
  const following = team?.bills.find(
    ({ follows_today, version }) => follows_today && version !== null,
  )?.month;
  const versioned = team?.bills.find(({ version }) => version !== null && version > 1)?.month;
  const missing = gatewayCalls
    .values(waiting === undefined ? [] : [waiting], through)
    .filter(({ period }) => period === waiting);
  const lockable = searches?.months.find(({ status }) => status === 'ready_to_lock');
  const dearest = Math.max(...orders.months.map(({ unit_cost }) => unit_cost ?? 0));
  return [
    ...(team === undefined
      ? []
      : step(`the bills of team ${team.name}`, `curl -s ${key} "$API/teams/${team.id}/bills"`)),
    ...(waiting === undefined
      ? []
      : step(
          `send what the bills of ${waiting} wait for: they seal`,
          `curl -s ${json} -d '${JSON.stringify({ values: missing })}' "$API/metrics/${gatewayCalls.id}/values"`,
        )),
    ...(following === undefined
      ? []
      : step(
          `seal the bills of ${following} by hand: late spend and other owners move them no longer`,
          `curl -s -X POST ${json} -d '{"reason":"compared with the ledger"}' "$API/teams/bills/${following}/reseal"`,
        )),
    ...(team === undefined || versioned === undefined
      ? []
      : step(
          `every version of the bill of ${versioned}, and why it was sealed`,
          `curl -s ${key} "$API/teams/${team.id}/bills/${versioned}/versions"`,
        )),
    ...(sealed === undefined
      ? []
      : step(
          `who owns each dollar of ${sealed}`,
          `curl -s ${key} "$API/costs/breakdown?start_date=${firstDay(sealed)}&end_date=${lastDay(sealed)}&group_by=team,source"`,
        )),
    ...(searches === undefined || lockable === undefined
      ? []
      : step(
          `lock ${lockable.month} of Searches, which divides a sealed bill`,
          `curl -s -X POST ${key} "$API/metrics/${searches.id}/months/${lockable.month}/lock"`,
        )),
    ...step('every metric at a glance', `curl -s ${key} "$API/overview"`),
    ...step(
      'a lower target for Orders: months go above it, and the demo prints what its webhook is told',
      `curl -s -X PATCH ${json} -d '{"target":${(dearest * 0.9).toFixed(2)}}' "$API/metrics/${orders.id}"`,
    ),
    ...step(
      'what the webhook was told, with every attempt',
      `curl -s ${key} "$API/webhooks/${webhookId}/deliveries"`,
    ),
  ];
};
