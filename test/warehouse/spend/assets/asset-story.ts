import type { Day, Month } from '../../../../domain/shared/calendar.ts';
import type { CostSource } from '../../../../warehouse/sources/cost-sources.ts';
import { assetNotesOfRun } from '../../../../warehouse/spend/assets/asset-notes.ts';
import { computeSpend } from '../../../../warehouse/spend/compute-spend.ts';
import { costsOf } from '../../../support/warehouse/costs-of.ts';
import { reconciliation } from '../../../../warehouse/spend/reconciliation.ts';
import type { TestWarehouse } from '../../../support/warehouse/engines.ts';
import { publishSpend, type SpendRow } from '../../../support/warehouse/published-spend.ts';
import { newOrganisation, newSource, NOW } from '../../../support/warehouse/tenant.ts';

const JANUARY = { start: '2026-01-01', end: '2026-01-31' };

interface Days {
  start: Day;
  end: Day;
  previousStart?: Day;
}

/** Returns an organisation, and how to ask for its spend. */
export async function newSpender({ warehouse }: Pick<TestWarehouse, 'warehouse'>) {
  const { id: orgId } = await newOrganisation(warehouse);
  /** Returns the spend from `start` to `end`: total, cloud, clusters and hosts. */
  const costs = async (range: Days = JANUARY) => {
    const days = { previousStart: '2025-12-01', ...range };
    const { total, bySource } = await costsOf(warehouse, orgId, days, NOW);
    const { cloud, kubernetes, hosts } = bySource;
    return {
      total: Number(total),
      cloud: Number(cloud),
      kubernetes: Number(kubernetes),
      hosts: Number(hosts),
    };
  };
  return { orgId, costs, total: async (range?: Days) => (await costs(range)).total };
}

/** Returns an organisation with a bill, a feed of clusters and a feed of hosts, and the steps of a story about their assets. */
export async function newAssetStory(test: Pick<TestWarehouse, 'warehouse'>) {
  const { warehouse } = test;
  const spender = await newSpender(test);
  const { orgId } = spender;
  const bill = await newSource(warehouse, orgId, { name: 'Bill' });
  const clusters = await newSource(warehouse, orgId, { name: 'Clusters', kind: 'opencost', options: {} });
  const hosts = await newSource(warehouse, orgId, { name: 'Hosts', kind: 'hosts', options: {} });
  const publish = (
    source: CostSource,
    tables: Parameters<typeof publishSpend>[3],
    month: Month = '2026-01',
  ) => publishSpend(warehouse, { orgId, sourceId: source.id }, month, tables);
  return {
    ...spender,
    bill,
    clusters,
    hosts,
    publish,
    hosted: (rows: SpendRow[]) => publish(hosts, { host_spend: rows }),
    notes: (source: CostSource, months = ['2026-01']) => assetNotesOfRun(warehouse, orgId, source, months),
    reconciled: async () => {
      const { on } = await computeSpend(warehouse, orgId, NOW);
      return warehouse.session((session) => reconciliation(on(session), orgId, JANUARY));
    },
  };
}

/** Returns an asset of a cluster on one day. */
export const asset = (
  day: Day,
  kind: string,
  id: string | null,
  cost: string,
  more: { cluster?: string; project?: string } = {},
): SpendRow => ({ day, cluster: 'prod', kind, provider_id: id, cost, ...more });

/** Returns what a workload of a cluster costs on one day. */
export const workload = (day: Day, cost: string): SpendRow => ({
  day,
  cluster: 'prod',
  namespace: 'shop',
  workload: 'deployment/api',
  is_idle: false,
  cost,
});
