import type { Split } from '../../domain/teams/shared-cost.ts';
import type { SpendPick } from '../../domain/spend/spend-pick.ts';
import { writeValues } from '../../warehouse/metrics/write-values.ts';
import { createMetric } from '../../warehouse/metrics/metrics.ts';
import { settleMonths } from '../../warehouse/months/settlement.ts';
import { createSharedCost } from '../../warehouse/teams/shared-costs.ts';
import { createTeam } from '../../warehouse/teams/teams.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import { NOW, ORG } from './months-organisation.ts';

const BY = { actor: { type: 'key', id: 'key', name: 'Bench' }, now: NOW } as const;
const account = (index: number): SpendPick => ({
  source: 'cloud',
  cloud: 'aws',
  account: `account-${index % 200}`,
});

/** Returns what a team owns: four of 200 accounts, two namespaces, three hosts and a repository. Some teams also own a tag. */
const ownershipOf = (team: number): SpendPick[] => [
  ...[0, 1, 2, 3].map((index) => account(4 * team + index)),
  ...[0, 1].map((index): SpendPick => ({
    source: 'kubernetes',
    cluster: `cluster-${team % 10}`,
    namespace: `namespace-${(2 * Math.floor(team / 10) + index) * 4 + (team % 4)}`,
  })),
  ...[0, 1, 2].map((index): SpendPick => ({ source: 'host', host: `host-${3 * team + index}` })),
  { source: 'repository', repository: `github.com/acme/repository-${team}` },
  ...(team < 20
    ? [{ source: 'cloud', cloud: 'aws', tag: { key: 'team', value: `team-${team}` } } satisfies SpendPick]
    : []),
];

/** Splits a third of the shared costs evenly, a third by fixed percents, and a third by a metric with a label per team. */
function splitOf(index: number, teams: readonly string[], metricId: string): Split {
  if (index % 3 === 0) return { type: 'even', team_ids: [...teams] };
  if (index % 3 === 1) {
    const shares = teams.map((team_id) => ({ team_id, percent: Math.floor(99 / teams.length) }));
    return { type: 'fixed', shares };
  }
  const labels = Object.fromEntries(teams.map((team, label) => [`service-${label}`, team]));
  return { type: 'metric', metric_id: metricId, labels };
}

/** Adds teams that own most of the spend, shared costs that take some of it, and the values that the bills need to seal. */
export async function addTeams(
  warehouse: Warehouse,
  { teams, sharedCosts }: { teams: number; sharedCosts: number },
): Promise<void> {
  const metric = await createMetric(
    warehouse,
    ORG,
    {
      name: 'Requests',
      unit: 'request',
      kind: 'count',
      aggregation: 'total',
      frequency: 'monthly',
      scope: { type: 'organisation' },
      target: null,
      label_key: 'service',
      currency: null,
      assistant_access: false,
      rise: null,
    },
    BY,
  );
  const ids: string[] = [];
  for (let team = 0; team < teams; team += 1)
    ids.push(
      (await createTeam(warehouse, ORG, { name: `Team ${team}`, ownership: ownershipOf(team) }, BY)).id,
    );
  for (let index = 0; index < sharedCosts; index += 1) {
    const spend: SpendPick[] = [
      { source: 'cloud', cloud: 'aws', account: `account-${2 * index}`, service: `service-${index % 12}` },
      {
        source: 'kubernetes',
        cluster: `cluster-${index % 10}`,
        namespace: `namespace-${index % 40}`,
        workload: `deployment/app-${3 * index}`,
      },
    ];
    const split = splitOf(index, ids, metric.id);
    await createSharedCost(warehouse, ORG, { name: `Shared ${index}`, spend, split }, BY);
  }
  const values = Array.from({ length: 12 }, (_, month) =>
    Array.from({ length: teams + 1 }, (_, label) => ({
      period: `2025-${(month + 1).toString().padStart(2, '0')}-01`,
      label: `service-${label}`,
      value: 1 + ((7 * label + month) % 100),
    })),
  ).flat();
  const by = { type: 'key', id: 'key', name: 'Bench' } as const;
  await writeValues(warehouse, { orgId: ORG, metricId: metric.id }, values, { source: 'api', by, now: NOW });
  await settleMonths(warehouse, ORG, NOW);
}

/** Deletes the sealed bills, so that they are due again. */
export async function unseal(warehouse: Warehouse): Promise<void> {
  for (const table of ['bill_bases', 'sealed_bills']) await warehouse.run(`DELETE FROM ${table}`);
}
