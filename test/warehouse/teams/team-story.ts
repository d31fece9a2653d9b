import type { Month } from '../../../domain/shared/calendar.ts';
import { fullyLoaded } from '../../../domain/teams/bill.ts';
import { periodToDay } from '../../../domain/metrics/metric.ts';
import type { Split } from '../../../domain/teams/shared-cost.ts';
import type { SpendPick } from '../../../domain/spend/spend-pick.ts';
import { resealBills } from '../../../warehouse/teams/bills/bill-resealing.ts';
import { sealBills } from '../../../warehouse/teams/bills/bill-sealing.ts';
import { listBillVersions } from '../../../warehouse/teams/bills/bill-versions.ts';
import { monthBills, type MonthBills } from '../../../warehouse/teams/bills/bills.ts';
import { updateCostSource, type NewCostSource } from '../../../warehouse/sources/cost-sources.ts';
import { removeValues, writeValues } from '../../../warehouse/metrics/write-values.ts';
import type { Metric } from '../../../warehouse/metrics/metrics.ts';
import { createSharedCost, SHARED_COSTS, type SharedCost } from '../../../warehouse/teams/shared-costs.ts';
import { settleMonths } from '../../../warehouse/months/settlement.ts';
import { createTeam, TEAMS } from '../../../warehouse/teams/teams.ts';
import type { TestWarehouse } from '../../support/warehouse/engines.ts';
import { publishSpend, type SpendRow, type SpendTable } from '../../support/warehouse/published-spend.ts';
import { ADMIN, newMetric, newOrganisation, newSource, NOW } from '../../support/warehouse/tenant.ts';

export const namespace = (name: string, workload?: string): SpendPick => ({
  source: 'kubernetes',
  cluster: 'prod',
  namespace: name,
  ...(workload === undefined ? {} : { workload }),
});
export const account = (id: string): SpendPick => ({ source: 'cloud', cloud: 'aws', account: id });

const KINDS: Record<string, { source: Partial<NewCostSource>; tables: readonly SpendTable[] }> = {
  bill: { source: { name: 'Bill' }, tables: ['cloud_spend'] },
  clusters: {
    source: { name: 'Clusters', kind: 'opencost', options: {} },
    tables: ['kubernetes_spend', 'cluster_assets'],
  },
  hosts: { source: { name: 'Hosts', kind: 'hosts', options: {} }, tables: ['host_spend'] },
  ai: {
    source: { name: 'AI', kind: 'ai_tools', options: { usage_location: '/exports/usage' } },
    tables: ['ai_tool_spend', 'ai_usage'],
  },
};

/**
 * Returns an organisation with spend of all kinds, and the steps of a story about teams. A source is connected on the first day
 * of the month of its first spend. It brings that spend on the 20th too, so that its bills seal for good. If sources are
 * `connected` late, each comes with its first spend.
 */
export async function newTeamStory(
  test: Pick<TestWarehouse, 'warehouse'>,
  connected: 'in time' | 'late' = 'in time',
) {
  const { warehouse } = test;
  const { id: orgId } = await newOrganisation(warehouse);
  const sources = new Map<string, string>();
  const by = (now: Date) => ({ actor: ADMIN, now });
  return {
    orgId,
    /** Replaces a month's spend of the kinds in `tables`. */
    spend: async (month: Month, tables: Partial<Record<SpendTable, readonly SpendRow[]>>, now = NOW) => {
      for (const [name, { source, tables: own }] of Object.entries(KINDS)) {
        const given = Object.fromEntries(
          Object.entries(tables).filter(([table]) => own.some((one) => one === table)),
        );
        if (Object.keys(given).length === 0) continue;
        let id = sources.get(name);
        if (id === undefined) {
          const [made, first] = ['01', '20'].map((day) => new Date(`${month}-${day}T06:00:00Z`));
          ({ id } = await newSource(warehouse, orgId, source, connected === 'late' ? now : made));
          sources.set(name, id);
          if (connected === 'in time')
            await publishSpend(warehouse, { orgId, sourceId: id }, month, given, first);
        }
        await publishSpend(warehouse, { orgId, sourceId: id }, month, given, now);
      }
    },
    team: async (name: string, ownership: SpendPick[] = [], now = NOW) =>
      (await createTeam(warehouse, orgId, { name, ownership }, by(now))).id,
    own: (teamId: string, ownership: SpendPick[], now = NOW) =>
      TEAMS.change(warehouse, orgId, teamId, { ownership }, by(now)),
    deleteTeam: (teamId: string) => TEAMS.change(warehouse, orgId, teamId, 'delete', by(NOW)),
    sharedCost: async (name: string, spend: SpendPick[], split: Split, now = NOW) =>
      (await createSharedCost(warehouse, orgId, { name, spend, split }, by(now))).id,
    changeSharedCost: (id: string, changes: Partial<SharedCost> | 'delete', now = NOW) =>
      SHARED_COSTS.change(warehouse, orgId, id, changes, by(now)),
    metric: (changes: Partial<Metric> = {}) =>
      newMetric(warehouse, orgId, {
        name: 'Requests',
        label_key: 'service',
        frequency: 'monthly',
        ...changes,
      }),
    values: (metric: Metric, period: string, values: Record<string, number>, now = NOW) =>
      writeValues(
        warehouse,
        { orgId, metricId: metric.id },
        Object.entries(values).map(([label, value]) => ({ period: periodToDay(period), label, value })),
        { source: 'hand', by: { type: 'key', id: 'key_1', name: 'Finance' }, now },
      ),
    removeValues: (metric: Metric, period: string) =>
      removeValues(
        warehouse,
        { orgId, metricId: metric.id },
        { start: periodToDay(period), end: periodToDay(period), label: null },
        { source: 'hand', by: { type: 'key', id: 'key_1', name: 'Finance' }, now: NOW },
      ),
    reseal: (month: Month, reason: string, now: Date) =>
      resealBills(warehouse, { id: orgId, settle_days: 5 }, month, { reason, by: by(now) }),
    deleteSource: (name: keyof typeof KINDS) =>
      updateCostSource(warehouse, orgId, sources.get(name) ?? '', 'delete', by(NOW)),
    settle: async (now = NOW) => {
      const months = await settleMonths(warehouse, orgId, now);
      await sealBills(warehouse, orgId, now);
      return months;
    },
    /** Like every read of bills, first seals those that are due. */
    versions: async (teamId: string, month: Month = '2026-01') => {
      await sealBills(warehouse, orgId, NOW);
      return listBillVersions(warehouse, orgId, teamId, month);
    },
    /** Seals due bills, then returns the bills of a month. */
    month: async (month: Month = '2026-01', now = NOW): Promise<MonthBills> => {
      const { on } = await sealBills(warehouse, orgId, now);
      const [, found] = await warehouse.session((session) =>
        monthBills(on(session), orgId, { newest: month, count: 1 }),
      );
      if (found === undefined) throw new Error(`no bills of ${month}`);
      return found;
    },
  };
}

export type TeamStory = Awaited<ReturnType<typeof newTeamStory>>;

/** Returns the numbers of a month as `{ Shop: [direct, shared, fully loaded], unallocated }`. */
export const inNumbers = (month: MonthBills, names: Record<string, string>) => ({
  ...Object.fromEntries(
    Object.entries(names).map(([name, id]) => {
      const bill = month.bills?.get(id);
      return [
        name,
        bill === undefined
          ? null
          : [bill.direct, bill.shared, fullyLoaded(bill)].map((amount) => Number(amount)),
      ];
    }),
  ),
  unallocated: month.unallocated === null ? null : Number(month.unallocated),
});
