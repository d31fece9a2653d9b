import { describe, expect, it } from 'vitest';
import { detailedTable, type GoogleCharge } from '../../../support/exports/google-bill.ts';
import { lacking } from '../../../support/needs.ts';
import { openDuckDb } from '../../../support/warehouse/engines.ts';
import { newSource, writeFiles } from '../../../support/warehouse/tenant.ts';
import { withOpened } from '../../../support/with-opened.ts';
import { startGoogle } from '../../../support/fakes/bigquery/fake-google.ts';
import { ingestRows, newTableSource } from './google-source.ts';
import { ingestSource } from '../../../../activities/sources/ingest-source.ts';
import { ingestOf, loading } from '../../../support/warehouse/feeds.ts';

const NODE = {
  id: '//compute.googleapis.com/projects/123456/zones/europe-west3-a/instances/4711',
  name: 'gke-prod-1',
};

const ofNamespace = (namespace: string, cost: string): GoogleCharge => ({
  from: '2026-01-10T05:00:00Z',
  to: '2026-01-10T06:00:00Z',
  cost,
  resource: NODE,
  labels: { 'goog-k8s-cluster-name': 'prod', 'k8s-namespace': namespace },
});

/** A node of 10 whose cost GKE divides, and 5 beside it: 3 of a disk without a namespace, and 2 of storage. */
const CHARGES: GoogleCharge[] = [
  ofNamespace('checkout', '6'),
  ofNamespace('search', '3'),
  ofNamespace('kube:unallocated', '1'),
  {
    from: '2026-01-10T05:00:00Z',
    to: '2026-01-10T06:00:00Z',
    cost: '3',
    labels: { 'goog-k8s-cluster-name': 'prod' },
  },
  { from: '2026-01-10T05:00:00Z', to: '2026-01-10T06:00:00Z', cost: '2', service: 'Cloud Storage' },
];

describe.skipIf(lacking('sqlglot') !== '')(`namespaces on a bill of Google${lacking('sqlglot')}`, () => {
  const test = withOpened(openDuckDb);
  const google = withOpened(startGoogle);

  /** Returns what counts by part of the total, and what namespaces and idle capacity cost. */
  async function countedOf(orgId: string) {
    const parts = await test.warehouse.query<{ source: string; account: string | null; cost: string }>(
      `SELECT source, account, CAST(sum(cost) AS DOUBLE) AS cost FROM daily_totals
       JOIN current_computations USING (org_id, month, computation_id) WHERE org_id = $org GROUP BY ALL ORDER BY ALL`,
      { org: orgId },
    );
    const keys = await test.warehouse.query<{ key: string; cost: string }>(
      `SELECT key, CAST(sum(cost) AS DOUBLE) AS cost FROM (
         SELECT replace(unnest(keys), chr(31), '/') AS key, cost FROM month_spend
         JOIN current_computations USING (org_id, month, computation_id) WHERE org_id = $org)
       GROUP BY ALL ORDER BY ALL`,
      { org: orgId },
    );
    return {
      parts: parts.map(({ source, account, cost }) => `${source} ${account ?? '-'} ${cost}`),
      keys: Object.fromEntries(keys.map(({ key, cost }) => [key, Number(cost)])),
    };
  }

  it('are cloud spend, with a note', async () => {
    const tenant = await newTableSource(test);
    const { notes } = await ingestRows(test, google, tenant, detailedTable(CHARGES));
    expect(notes).toEqual([
      '3 lines of the newest billing periods, 10 in all, have the labels of GKE\'s cost allocation, such as those of cluster "prod": ' +
        'they are cloud spend; with options.kubernetes "labels" they are Kubernetes spend of their cluster and namespace',
    ]);
    expect(await countedOf(tenant.orgId)).toEqual({
      parts: ['cloud shop 15'],
      keys: { 'account/gcp/shop': 15 },
    });
  });

  it('are Kubernetes spend by option, each dollar once', async () => {
    const tenant = await newTableSource(test, 'gcp_billing', { kubernetes: 'labels' });
    const { notes, costTotal } = await ingestRows(test, google, tenant, detailedTable(CHARGES));
    expect(notes[0]).toMatch(/: they are Kubernetes spend of their cluster and namespace$/);
    expect(costTotal).toBe('15.000000000000000');
    expect(await countedOf(tenant.orgId)).toEqual({
      parts: ['cloud shop 5', 'kubernetes shop 10'],
      keys: {
        'account/gcp/shop': 5,
        'namespace/prod/checkout': 6,
        'namespace/prod/search': 3,
        'idle cluster/prod': 1,
      },
    });
  });

  it('give way to the allocations of OpenCost, so that the cost of the cluster stays', async () => {
    const tenant = await newTableSource(test, 'gcp_billing', { kubernetes: 'labels' });
    const [allocations = ''] = await writeFiles(test, {
      'allocations.csv':
        'Date,Cluster,Namespace,ControllerKind,ControllerName,TotalCost\n2026-01-10,prod,checkout,deployment,api,4\n',
    });
    const openCost = await newSource(test.warehouse, tenant.orgId, {
      kind: 'opencost',
      location: allocations,
      options: {},
    });
    await loading(test, (sessions) =>
      ingestSource(openCost, ingestOf(test, sessions, { orgId: tenant.orgId, sourceId: openCost.id })),
    );
    await ingestRows(test, google, tenant, detailedTable(CHARGES));
    expect(await countedOf(tenant.orgId)).toEqual({
      parts: ['cloud shop 5', 'kubernetes shop 10', 'kubernetes - 0'],
      keys: {
        'account/gcp/shop': 5,
        'namespace/prod/checkout': 4,
        'workload/prod/checkout/deployment/api': 4,
        'idle cluster/prod': 6,
      },
    });
  });
});
