import { expect, it } from 'vitest';
import type { Day } from '../../../domain/shared/calendar.ts';
import { costsOf } from '../../support/warehouse/costs-of.ts';
import { sourceMonths } from '../../../warehouse/sources/coverage.ts';
import { describeFile } from '../../support/warehouse/describe-file.ts';
import {
  missingAllocationColumns,
  missingAssetColumns,
} from '../../../warehouse/sources/opencost/opencost-columns.ts';
import { stageOpenCost, type OpenCostFeeds } from '../../../warehouse/sources/opencost/opencost-load.ts';
import type { LoadScope } from '../../../warehouse/sources/publishing/load.ts';
import { relationsOf } from '../../../warehouse/sources/feeds/scan-files.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import {
  currentLoads,
  currentRows,
  loading,
  newTenant,
  scopeOf,
  type Tenant,
} from '../../support/warehouse/feeds.ts';
import { publishSpend } from '../../support/warehouse/published-spend.ts';
import { NOW, money, newSource, published, writeFiles } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

/** The days of January of the allocations, and what the assets cost on each of their days. */
type Reading = [days: string[], assets: Record<string, number>];

/** Clusters from files that OpenCost exports. */
describeOnBothEngines('cluster spend from files', (open, onDuckDb) => {
  const test = withOpened(open);

  const load = async (
    tenant: Tenant,
    texts: { allocations: string; assets?: string },
    { cluster = 'prod', ...changes }: Partial<LoadScope> & Partial<Pick<OpenCostFeeds, 'cluster'>> = {},
  ) => {
    const [allocations = '', assets = ''] = await writeFiles(test, {
      'allocations.csv': texts.allocations,
      'assets.csv': texts.assets ?? '',
    });
    return loading(test, async (sessions) =>
      published(sessions, scopeOf(tenant, changes), async (load) =>
        stageOpenCost(sessions, load, {
          allocations: relationsOf([await describeFile(sessions.reader, allocations)]),
          assets:
            texts.assets === undefined ? null : relationsOf([await describeFile(sessions.reader, assets)]),
          cluster,
          from: 'files',
        }),
      ),
    );
  };
  const allocationRows = ({ orgId }: Tenant) =>
    currentRows(test, orgId, 'kubernetes_spend', 'day, cluster, namespace, workload, is_idle, cost');
  const assetRows = ({ orgId }: Tenant) =>
    currentRows(test, orgId, 'cluster_assets', 'day, cluster, kind, provider_id, project, cost');

  // The export format of OpenCost: one row per container, unused columns, a total above the sum of its parts.
  const EXPORT = [
    'Date,Namespace,ControllerKind,ControllerName,Pod,Container,CPUCost,RAMCost,NetworkCost,PVCost,GPUCost,TotalCost',
    '2026-01-30,checkout,deployment,api,api-1,app,1,1,0,0,0,2.5',
    '2026-01-30,checkout,Deployment,api,api-2,app,1,1,0,0,0,2.25',
    '2026-01-30,checkout,deployment,api,api-2,proxy,0,0,0,0,0,0.000001',
    '2026-01-30,checkout,statefulset,api,api-0,app,0,0,0,0,0,1',
    '2026-01-30,checkout,,,bare-pod,app,0,0,0,0,0,0.5',
    '2026-01-30,,,,,,0,0,0,0,0,0.25',
    '2026-01-30,__unmounted__,,,__unmounted__,__unmounted__,0,0,0,0.125,0,0.125',
    '2026-01-30,__idle__,,,__idle__,__idle__,3,1,0,0,0,4',
    '2026-01-31,checkout,deployment,api,api-1,app,0,0,0,0,0,-1',
    '',
  ].join('\n');

  it('is stored by day, namespace and workload, with idle capacity apart', async () => {
    const tenant = await newTenant(test, 'opencost');
    const result = await load(tenant, { allocations: EXPORT });
    const rowOf = (day: string, namespace: string | null, workload: string | null, cost: string) => ({
      day,
      cluster: 'prod',
      namespace,
      workload,
      is_idle: namespace === null,
      cost: money(cost),
    });
    expect(await allocationRows(tenant)).toEqual([
      rowOf('2026-01-30', '__unallocated__', '__unallocated__', '0.25'),
      rowOf('2026-01-30', '__unmounted__', '__unallocated__', '0.125'),
      rowOf('2026-01-30', 'checkout', '__unallocated__', '0.5'),
      rowOf('2026-01-30', 'checkout', 'deployment/api', '4.750001'),
      rowOf('2026-01-30', 'checkout', 'statefulset/api', '1'),
      rowOf('2026-01-30', null, null, '4'),
      rowOf('2026-01-31', 'checkout', 'deployment/api', '-1'),
    ]);
    expect(result).toEqual({
      months: ['2026-01'],
      rowsRead: 9,
      rowsRejected: 0,
      rowsLeftOut: 0,
      rejectedSamples: [],
      costTotal: money('9.625001'),
      notes: [],
    });
    expect(await currentLoads(test, tenant.orgId)).toEqual([
      {
        billing_period: '2026-01-01',
        cost_column: null,
        rows_read: '9',
        cost_total: money('9.625001'),
        first_day: '2026-01-30',
        last_day: '2026-01-31',
        delivered_through: '2026-01-31',
      },
    ]);
  });

  const WITH_MORE_COLUMNS = [
    'TotalCost,SharedCost,ExternalCost,Cluster,Date,Container,Pod,ControllerName,ControllerKind,Namespace',
    '10,2.5,1.25,blue,2026-01-30T00:00:00Z,app,p,api,deployment,shop',
    '8,,NULL,,2026-01-30T00:00:00Z,app,p,api,deployment,shop',
    '5,,,blue,2026-01-30T00:00:00Z,__shared__,,,,__shared__',
    '6,,,,2026-01-30T00:00:00Z,__external__,,,,__external__',
    '',
  ].join('\n');

  onDuckDb(() => {
    it('includes only direct cost, without shared and external cost in columns or rows', async () => {
      const tenant = await newTenant(test, 'opencost');
      expect(await load(tenant, { allocations: WITH_MORE_COLUMNS })).toMatchObject({
        rowsRead: 4,
        costTotal: money('14.25'),
      });
      expect(await allocationRows(tenant)).toMatchObject([
        { cluster: 'blue', workload: 'deployment/api', cost: money('6.25') },
        { cluster: 'prod', workload: 'deployment/api', cost: money('8') },
      ]);
    });

    it('needs the name of the cluster, from the column or the option', async () => {
      const tenant = await newTenant(test, 'opencost');
      await expect(load(tenant, { allocations: WITH_MORE_COLUMNS }, { cluster: null })).rejects.toMatchObject(
        {
          kind: 'invalid',
          message:
            '1 rows name no cluster: set options.cluster to the cluster that they belong to; nothing was loaded',
        },
      );
      expect(await currentLoads(test, tenant.orgId)).toEqual([]);
    });
  });

  const ASSETS = [
    'date,type,providerID,totalCost,cluster,Project',
    '2026-01-30,Node,i-0abc,5,,',
    '2026-01-30,Node,i-0abc,0.5,,',
    '2026-01-30,Disk,gke-disk-1,1.5,blue,acme-prod',
    '2026-01-30,LoadBalancer,a1b2,-0.25,blue,',
    '2026-01-30,load_balancer,a1b2,0.5,blue,',
    '2026-01-30,ClusterManagement,,2.4,,',
    '2026-01-30,Network,net,9,,',
    '2026-02-03,Node,i-0abc,5,,', // a month without allocations
    '2025-12-30,Node,i-0abc,5,,',
    '2025-12-31,Node,i-0def,5,,', // the newest day before, which January may borrow
    '2025-12-31,Network,net,9,,',
    '',
  ].join('\n');

  it('has assets in the months that have allocations, and on the newest day before', async () => {
    const tenant = await newTenant(test, 'opencost');
    const expected = [
      { cluster: 'blue', kind: 'disk', provider_id: 'gke-disk-1', project: 'acme-prod', cost: money('1.5') },
      { cluster: 'blue', kind: 'load_balancer', provider_id: 'a1b2', project: null, cost: money('0.25') },
      { cluster: 'prod', kind: 'management', provider_id: null, project: null, cost: money('2.4') },
      { cluster: 'prod', kind: 'node', provider_id: 'i-0abc', project: null, cost: money('5.5') },
    ].map((row) => ({ day: '2026-01-30', ...row }));
    const lent = {
      day: '2025-12-31',
      cluster: 'prod',
      kind: 'node',
      provider_id: 'i-0def',
      project: null,
      cost: money('5'),
    };
    for (const time of ['once', 'twice']) {
      const result = await load(tenant, { allocations: EXPORT, assets: ASSETS });
      // The run's total is workloads plus idle. Assets describe the same spend, so they do not add to it.
      expect({ time, result }).toMatchObject({ result: { rowsRead: 20, costTotal: money('9.625001') } });
      expect(await assetRows(tenant)).toEqual([lent, ...expected]);
      expect(await allocationRows(tenant)).toHaveLength(7);
    }
    await load(tenant, { allocations: EXPORT });
    expect(await assetRows(tenant)).toEqual([]);
  });

  it('keeps the days that a feed lacks, separately for allocations and assets', async () => {
    const tenant = await newTenant(test, 'opencost');
    await load(tenant, { allocations: EXPORT, assets: ASSETS });
    const assets = (await assetRows(tenant)).slice(1); // without the assets of December
    const header = EXPORT.split('\n')[0] ?? '';
    const next = {
      allocations: `${header}\n2026-01-31,checkout,deployment,api,api-1,app,0,0,0,0,0,7\n`,
      assets: `date,type,providerID,totalCost,cluster\n2026-01-31,Node,i-0abc,6,\n`,
    };
    // The 30th had 10.625001, and the 31st now has 7.
    expect(await load(tenant, next)).toMatchObject({
      rowsRead: 2,
      costTotal: money('17.625001'),
      notes: [
        'the files no longer have 2026-01-30; what was loaded before stays',
        'assets: the files no longer have 2026-01-30; what was loaded before stays',
      ],
    });
    const node = { day: '2026-01-31', cluster: 'prod', kind: 'node', provider_id: 'i-0abc', project: null };
    expect(await assetRows(tenant)).toEqual([...assets, { ...node, cost: money('6') }]);
    expect(await load(tenant, next, { acceptShrink: true })).toMatchObject({
      costTotal: money('7'),
      notes: [],
    });
    expect(await assetRows(tenant)).toEqual([{ ...node, cost: money('6') }]);
  });

  const costOf = async ({ orgId }: Tenant, start: Day, end = start) => {
    const { total } = await costsOf(test.warehouse, orgId, { start, end, previousStart: '2025-12-01' }, NOW);
    return Number(total);
  };
  const workloads = (...days: Day[]) =>
    [
      'Date,Namespace,ControllerKind,ControllerName,TotalCost',
      ...days.map((day) => `${day},shop,deployment,api,20`),
      '',
    ].join('\n');
  const nodes = (id: string, ...days: Day[]) =>
    ['day,kind,provider_id,cost', ...days.map((day) => `${day},node,${id},24`), ''].join('\n');

  it('has the assets of the last day of a month that come with the next month', async () => {
    const tenant = await newTenant(test, 'opencost');
    const at = (day: Day) => ({ now: new Date(`${day}T18:00:00Z`) });
    const first = {
      allocations: workloads('2026-01-30', '2026-01-31'),
      assets: nodes('cellar-1', '2026-01-30'),
    };
    await load(tenant, first, at('2026-01-31'));
    expect(await costOf(tenant, '2026-01-30', '2026-01-31')).toBe(44);
    const next = { allocations: workloads('2026-02-01'), assets: nodes('cellar-1', '2026-01-31') };
    for (const time of ['once', 'twice']) {
      const { months, notes } = await load(tenant, next, at('2026-02-01'));
      expect({ time, months, notes }).toEqual({ time, months: ['2026-01', '2026-02'], notes: [] });
      // Both days count by their assets of 24, 1 February by its allocations of 20.
      expect(await costOf(tenant, '2026-01-30', '2026-01-31')).toBe(48);
      expect(await costOf(tenant, '2026-02-01')).toBe(20);
    }
    // The export with the last day's allocations is from before the end of the day.
    const january = (
      await sourceMonths(test.warehouse, tenant.orgId, { first: '2026-01', last: '2026-01' })
    ).get('2026-01');
    expect(january).toMatchObject([{ lastCovered: '2026-01-30' }]);
    const last = {
      allocations: workloads('2026-02-01', '2026-02-02'),
      assets: nodes('cellar-1', '2026-02-01'),
    };
    expect(await load(tenant, last, at('2026-02-02'))).toMatchObject({ months: ['2026-02'], notes: [] });
    expect(await costOf(tenant, '2026-01-30', '2026-02-02')).toBe(92); // 3 × 24 + 20
  });

  // At noon of the 30th, a feed has half of the day. Later files of it lack the 30th, so that the half stays.
  it.each<{ early: string; first: Reading; later: Reading; cost: number; last: Reading }>([
    {
      early: 'assets',
      first: [['29', '30'], { 29: 24, 30: 12 }],
      later: [['29', '30', '31'], { 31: 24 }],
      cost: 60,
      last: [['29', '30', '31'], { 30: 24 }],
    },
    {
      early: 'allocations',
      first: [['29', '30'], { 29: 24 }],
      later: [['29', '31'], { 30: 24, 31: 24 }],
      cost: 72,
      last: [['30'], { 31: 24 }],
    },
  ])(
    'lacks a day of which it read only early $early, until it reads them again',
    async ({ first, later, cost, last }) => {
      const tenant = await newTenant(test, 'opencost');
      const january = { first: '2026-01', last: '2026-01' };
      const read = async (now: string, [days, assets]: Reading) => {
        const machines = Object.entries(assets).map(([day, cost]) => `2026-01-${day},node,n1,${cost}`);
        const texts = {
          allocations: workloads(...days.map((day): Day => `2026-01-${day}`)),
          assets: ['day,kind,provider_id,cost', ...machines, ''].join('\n'),
        };
        await load(tenant, texts, { now: new Date(now) });
        const [source] = (await sourceMonths(test.warehouse, tenant.orgId, january)).get('2026-01') ?? [];
        const spent = await costOf(tenant, '2026-01-29', '2026-01-31');
        return [spent, source?.lastCovered, source?.missingThrough, source?.missingUnits.length];
      };
      await read('2026-01-30T12:00:00Z', first);
      for (const now of ['2026-02-01T06:00:00Z', '2026-02-02T06:00:00Z'])
        expect(await read(now, later)).toEqual([cost, '2026-01-31', '2026-01-30', 0]);
      expect(await read('2026-02-03T06:00:00Z', last)).toEqual([72, '2026-01-31', '2026-01-28', 0]);
    },
  );

  it('borrows assets on its first day from the month before, even if that month is not loaded', async () => {
    const allDays = ['2026-01-31', '2026-02-01'] as const;
    for (const { allocations, startMonth } of [
      { allocations: workloads('2026-02-01'), startMonth: null },
      { allocations: workloads(...allDays), startMonth: '2026-02' },
    ]) {
      const tenant = await newTenant(test, 'opencost');
      const bill = await newSource(test.warehouse, tenant.orgId, { name: 'AWS' });
      for (const day of allDays) {
        await publishSpend(test.warehouse, { orgId: tenant.orgId, sourceId: bill.id }, day.slice(0, 7), {
          cloud_spend: [{ day, cloud: 'aws', account: '1111', resource_id: 'i-node1', cost: '24' }],
        });
      }
      const assets = `${nodes('i-node1', '2026-01-30', '2026-01-31')}2026-01-31,toaster,,1\n`;
      if (startMonth === null) {
        await load(tenant, { allocations, assets: nodes('i-node1', '2026-01-30', '2026-01-31') });
      } else {
        // Rows before the start month are left out, not rejected.
        expect(await load(tenant, { allocations, assets }, { startMonth })).toMatchObject({
          rowsRead: 5,
          rowsRejected: 0,
          rowsLeftOut: 4,
        });
      }
      expect(await costOf(tenant, '2026-02-01')).toBe(24);
      expect(await costOf(tenant, '2026-01-30', '2026-01-31')).toBe(24);
      expect(await currentLoads(test, tenant.orgId)).toContainEqual(
        expect.objectContaining({
          billing_period: '2026-02-01',
          first_day: '2026-02-01',
          last_day: '2026-02-01',
        }),
      );
    }
  });

  onDuckDb(() => {
    it('is rejected for rows that cannot be read, in either feed', async () => {
      const tenant = await newTenant(test, 'opencost');
      await expect(
        load(tenant, { allocations: `${EXPORT}2026-01-31,a,deployment,b,c,d,,,,,,NaN\n` }),
      ).rejects.toThrow(/^1 of 10 rows cannot be read.*TotalCost: expected a decimal number, got "NaN"/);
      await expect(
        load(tenant, { allocations: EXPORT, assets: `${ASSETS}2026-01-30,Toaster,t,1,,\n` }),
      ).rejects.toThrow(
        /^assets: 1 of 10 rows cannot be read.*expected Node, Disk, LoadBalancer or ClusterManagement, got "Toaster"/,
      );
      expect(await currentLoads(test, tenant.orgId)).toEqual([]);
    });

    it('reports the columns that a file lacks', async () => {
      const [path = ''] = await writeFiles(test, { 'a.csv': 'Date,Pod,Cluster\n' });
      const file = await test.warehouse.session((session) => describeFile(session, path));
      expect(missingAllocationColumns(file)).toEqual([
        'Namespace',
        'ControllerKind',
        'ControllerName or Controller',
        'TotalCost',
      ]);
      expect(missingAssetColumns(file)).toEqual([
        'kind or type',
        'provider_id or providerID',
        'cost or totalCost',
      ]);
    });
  });
});
