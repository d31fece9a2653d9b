import { beforeAll, describe, expect, it } from 'vitest';
import { type BreakdownKey } from '../../../warehouse/spend/cost-breakdown.ts';
import { breakdownOf } from '../../support/warehouse/breakdown-of.ts';
import { costsOf } from '../../support/warehouse/costs-of.ts';
import { computeSpend } from '../../../warehouse/spend/compute-spend.ts';
import { reconciliation } from '../../../warehouse/spend/reconciliation.ts';
import { describeOnBothEngines, type TestWarehouse } from '../../support/warehouse/engines.ts';
import { publishSpend } from '../../support/warehouse/published-spend.ts';
import { money, newOrganisation, newSource, NOW } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';
import { monthCosts, spendMetric } from '../../model/picked-story.ts';

const JANUARY = { previousStart: '2025-12-01', start: '2026-01-01', end: '2026-01-31' };
const DAYS = { start: '2026-01-01', end: '2026-01-31' };

/**
 * The worked example. Account 1111 of AWS has, on three days of January 2026:
 *
 * | line                                  | 1 Jan | 2 Jan | 3 Jan |
 * | ------------------------------------- | ----- | ----- | ----- |
 * | node i-node1 of cluster prod          |    24 |    24 |       |
 * | disk vol-disk1 of cluster prod        |     3 |     3 |     3 |
 * | machine i-db1, the host db-1          |    12 |    12 |    12 |
 * | a bucket                              |     5 |     5 |     5 |
 *
 * On 3 January the node is not on the bill, but the cluster still has it and prices it at 20. Cluster edge is on no bill and
 * reports no assets. Its allocations are 7 and 1 idle a day. AI tool seats cost 10 a day. On 3 January nobody uses the tool.
 */
async function example(test: TestWarehouse) {
  const { warehouse } = test;
  const { id: orgId } = await newOrganisation(warehouse);
  const bill = await newSource(warehouse, orgId, { name: 'AWS' });
  const options = {};
  const clusters = await newSource(warehouse, orgId, { name: 'Clusters', kind: 'opencost', options });
  const hosts = await newSource(warehouse, orgId, { name: 'Hosts', kind: 'hosts', options });
  const ai = await newSource(warehouse, orgId, {
    name: 'AI',
    kind: 'ai_tools',
    options: { usage_location: '/exports/usage' },
  });
  const days = ['2026-01-01', '2026-01-02', '2026-01-03'];
  const line = (day: string, resource: string | null, cost: string) => ({
    day,
    cloud: 'aws',
    account: '1111',
    resource_id: resource,
    cost,
  });
  await publishSpend(warehouse, { orgId, sourceId: bill.id }, '2026-01', {
    cloud_spend: days.flatMap((day) => [
      ...(day === '2026-01-03' ? [] : [line(day, 'arn:aws:ec2:eu-west-1:1111:instance/i-node1', '24')]),
      line(day, 'arn:aws:ec2:eu-west-1:1111:volume/vol-disk1', '3'),
      line(day, 'i-db1', '12'),
      line(day, null, '5'),
    ]),
  });
  const workload = (day: string, cluster: string, namespace: string, name: string, cost: string) => ({
    day,
    cluster,
    namespace,
    workload: `deployment/${name}`,
    is_idle: false,
    cost,
  });
  await publishSpend(warehouse, { orgId, sourceId: clusters.id }, '2026-01', {
    kubernetes_spend: days.flatMap((day) => [
      workload(day, 'prod', 'checkout', 'api', '8'),
      workload(day, 'prod', 'checkout', 'worker', '4'),
      workload(day, 'prod', 'search', 'index', '6'),
      { day, cluster: 'prod', is_idle: true, cost: '5' },
      workload(day, 'edge', 'kiosk', 'screen', '7'),
      { day, cluster: 'edge', is_idle: true, cost: '1' },
    ]),
    cluster_assets: days.flatMap((day) => [
      { day, cluster: 'prod', kind: 'node', provider_id: 'aws:///eu-west-1a/i-node1', cost: '20' },
      { day, cluster: 'prod', kind: 'disk', provider_id: 'vol-disk1', cost: '2.5' },
    ]),
  });
  await publishSpend(warehouse, { orgId, sourceId: hosts.id }, '2026-01', {
    host_spend: days.flatMap((day) => [
      { day, host: 'db-1', service: 'postgres', machine_id: 'i-db1', cost: '9' },
      { day, host: 'db-1', service: null, machine_id: null, cost: '2' },
    ]),
  });
  await publishSpend(warehouse, { orgId, sourceId: ai.id }, '2026-01', {
    ai_tool_spend: days.map((day) => ({ day, tool: 'assistant', kind: 'seat', cost: '10' })),
    ai_usage: ['2026-01-01', '2026-01-02'].flatMap((day) => [
      { day, tool: 'assistant', repository: 'github.com/acme/web', usage: '3' },
      { day, tool: 'assistant', repository: 'github.com/acme/api', usage: '1' },
      { day, tool: 'assistant', repository: null, usage: '4' },
    ]),
  });
  return { orgId, bill, clusters, hosts, ai };
}

describeOnBothEngines('every dollar counts once', (open) => {
  const test = withOpened(open);
  let orgId: string;
  beforeAll(async () => {
    ({ orgId } = await example(test));
  });

  const breakdown = async (...keys: BreakdownKey[]) => {
    const rows = await breakdownOf(test.warehouse, orgId, keys, { ...DAYS, limit: 1000, offset: 0 }, NOW);
    return rows.map((row) => [...keys.map((key) => row[key]), Number(row.total)]);
  };

  it('in the total, under its source, day and account', async () => {
    const { total, bySource, byDay, byAccount } = await costsOf(test.warehouse, orgId, JANUARY, NOW);
    expect(bySource).toEqual({
      cloud: money('15'), // the bucket, 3 × 5
      // prod: node 2 × 24 and disk 3 × 3 on the bill, node of 3 January as the cluster prices it, 20; edge: 3 × (7 + 1)
      kubernetes: money('101'), // 48 + 9 + 20 + 24
      hosts: money('36'), // 3 × 12, as the machine is billed
      ai_tools: money('30'),
    });
    expect(total).toBe(money('182'));
    // 1 and 2 January: 24 + 3 + 12 + 5 + 8 + 10; 3 January has 20 for the node instead of 24.
    expect(byDay.map(({ total: ofDay }) => ofDay)).toEqual([money('62'), money('62'), money('58')]);
    expect(byAccount).toEqual([
      {
        cloud: 'aws',
        account: '1111',
        name: null,
        total: money('15'),
        kubernetes: money('57'),
        hosts: money('36'),
      },
    ]);
  });

  it('in every breakdown, beside the spend without a key', async () => {
    expect(await breakdown('source')).toEqual([
      ['kubernetes', 101],
      ['hosts', 36],
      ['ai_tools', 30],
      ['cloud', 15],
    ]);
    expect(await breakdown('account')).toEqual([
      [null, 167],
      ['1111', 15],
    ]);
    expect(await breakdown('cluster')).toEqual([
      [null, 81],
      ['prod', 77],
      ['edge', 24],
    ]);
    expect(await breakdown('namespace')).toEqual([
      [null, 107], // 182 − 36 − 18 − 21
      ['checkout', 36],
      ['kiosk', 21],
      ['search', 18],
    ]);
    expect(await breakdown('cluster', 'namespace')).toEqual([
      [null, null, 81],
      ['prod', 'checkout', 36],
      ['prod', null, 23], // 77 − 36 − 18: idle, and the bill above the cluster's own prices
      ['edge', 'kiosk', 21],
      ['prod', 'search', 18],
      ['edge', null, 3],
    ]);
    expect(await breakdown('host', 'host_service')).toEqual([
      [null, null, 146],
      ['db-1', 'postgres', 27],
      ['db-1', null, 9], // 36 − 27
    ]);
    expect(await breakdown('tool', 'repository')).toEqual([
      [null, null, 152],
      ['assistant', null, 20], // half of the used days, all of 3 January
      ['assistant', 'github.com/acme/web', 7.5], // 2 × 10 × 3/8
      ['assistant', 'github.com/acme/api', 2.5],
    ]);
    expect(await breakdown('month')).toEqual([['2026-01', 182]]);
  });

  it('and reconciliation compares the reports of clusters and hosts with their bills', async () => {
    const { on } = await computeSpend(test.warehouse, orgId, NOW);
    const reconciled = await test.warehouse.session((session) => reconciliation(on(session), orgId, DAYS));
    const numbers = reconciled.map(
      ({ name, reported, billed, outside_bills, difference }) =>
        [name, ...[reported, billed, outside_bills, difference].map(Number)] as const,
    );
    expect(numbers).toEqual([
      ['edge', 24, 0, 24, 0],
      ['prod', 69, 57, 20, 8], // 3 × (8 + 4 + 6 + 5)
      ['db-1', 33, 36, 0, 3],
    ]);
  });

  describe('in specific spend', () => {
    const costOf = async (...spend: Parameters<typeof spendMetric>[2]) => {
      const metric = await spendMetric(test.warehouse, orgId, spend);
      return Number((await monthCosts(test.warehouse, orgId, metric, '2026-01'))[0]?.cost);
    };

    it('an account excludes the cluster and the host inside it', async () => {
      expect(await costOf({ source: 'cloud', cloud: 'aws', account: '1111' })).toBe(15);
    });

    it('workloads and services count their direct cost, without idle', async () => {
      expect(await costOf({ source: 'kubernetes', cluster: 'prod', namespace: 'checkout' })).toBe(36);
      expect(
        await costOf({
          source: 'kubernetes',
          cluster: 'prod',
          namespace: 'checkout',
          workload: 'deployment/worker',
        }),
      ).toBe(12);
      expect(await costOf({ source: 'host', host: 'db-1' })).toBe(27);
      expect(await costOf({ source: 'host', host: 'db-1', service: 'postgres' })).toBe(27);
    });

    it('a repository gets its share of each day, seats included', async () => {
      expect(await costOf({ source: 'repository', repository: 'github.com/acme/web' })).toBe(7.5);
    });

    it('mixed and overlapping picks count a dollar once', async () => {
      expect(
        await costOf(
          { source: 'cloud', cloud: 'aws', account: '1111' },
          { source: 'cloud', cloud: 'aws', account: '1111' },
          { source: 'kubernetes', cluster: 'prod', namespace: 'checkout' },
          { source: 'kubernetes', cluster: 'prod', namespace: 'checkout', workload: 'deployment/api' },
          { source: 'host', host: 'db-1' },
          { source: 'host', host: 'db-1', service: 'postgres' },
          { source: 'repository', repository: 'github.com/acme/web' },
        ),
      ).toBe(85.5); // 15 + 36 + 27 + 7.5
    });

    it('a pick that was never seen costs 0 if its kind is delivered', async () => {
      expect(await costOf({ source: 'kubernetes', cluster: 'prod', namespace: 'nobody' })).toBe(0);
    });
  });
});
