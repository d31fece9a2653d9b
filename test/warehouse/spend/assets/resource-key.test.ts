import { expect, it } from 'vitest';
import { breakdownOf } from '../../../support/warehouse/breakdown-of.ts';
import { openDuckDb } from '../../../support/warehouse/engines.ts';
import { publishSpend } from '../../../support/warehouse/published-spend.ts';
import { newOrganisation, newSource, NOW } from '../../../support/warehouse/tenant.ts';
import { withOpened } from '../../../support/with-opened.ts';

const test = withOpened(openDuckDb);

/** A bill line and an asset of a cluster. `account` is the bill's sub account. */
interface Pair {
  asset: string;
  project?: string;
  billed: string;
  cloud?: string;
  account?: string;
}

/** Returns whether a bill line of 10 counts as spend of the cluster with the asset, and checks that nothing counts twice. */
async function isMatched({
  asset,
  project,
  billed,
  cloud = 'aws',
  account = '1111',
}: Pair): Promise<boolean> {
  const { warehouse } = test;
  const { id: orgId } = await newOrganisation(warehouse);
  const bill = await newSource(warehouse, orgId);
  const cluster = await newSource(warehouse, orgId, { kind: 'opencost', options: {} });
  const day = '2026-01-10';
  await publishSpend(warehouse, { orgId, sourceId: bill.id }, '2026-01', {
    // The loader stores resource ids in lower case.
    cloud_spend: [{ day, cloud, account, resource_id: billed.toLowerCase(), cost: '10' }],
  });
  await publishSpend(warehouse, { orgId, sourceId: cluster.id }, '2026-01', {
    cluster_assets: [
      { day, cluster: 'prod', kind: 'node', provider_id: asset, project: project ?? null, cost: '7' },
    ],
  });
  const range = { start: day, end: day, limit: 10, offset: 0 };
  const rows = await breakdownOf(warehouse, orgId, ['source'], range, NOW);
  const bySource = rows.map(({ source, total }) => [source, Number(total)]);
  if (rows.length === 1) {
    expect(bySource).toEqual([['kubernetes', 10]]);
    return true;
  }
  expect(bySource).toEqual([
    ['cloud', 10],
    ['kubernetes', 7],
  ]);
  return false;
}

const AZURE = '/subscriptions/0f1e/resourceGroups/rg-web/providers/Microsoft.Compute';
const GOOGLE = '//compute.googleapis.com/projects/shop-1/zones/europe-west1-b/instances/gke-pool-1';

it.each<[string, Pair]>([
  [
    'AWS: a bare id and the ARN that ends in it',
    { asset: 'i-0abc', billed: 'arn:aws:ec2:eu-west-1:1111:instance/i-0abc' },
  ],
  ['AWS: an id with its zone, and the bare id', { asset: 'aws:///eu-west-1a/i-0ABC', billed: 'i-0abc' }],
  ['AWS: a disk by its own id', { asset: 'vol-9', billed: 'arn:aws:ec2:eu-west-1:1111:volume/vol-9' }],
  [
    'Azure: another letter case, with a scheme',
    {
      asset: `azure://${AZURE}/virtualMachines/vm-1`,
      billed: `${AZURE.toUpperCase()}/VIRTUALMACHINES/VM-1`,
      cloud: 'azure',
    },
  ],
  [
    'Azure: a machine of a scale set that the bill has as a whole',
    {
      asset: `azure://${AZURE}/virtualMachineScaleSets/pool/virtualMachines/3`,
      billed: `${AZURE}/virtualMachineScaleSets/pool`,
      cloud: 'azure',
    },
  ],
  [
    'Google: project, zone and name in both spellings',
    { asset: 'gce://shop-1/europe-west1-b/gke-pool-1', billed: GOOGLE, cloud: 'gcp' },
  ],
  ['Google: a bare name without a known project', { asset: 'gke-pool-1', billed: GOOGLE, cloud: 'gcp' }],
  [
    'Google: a bare name in the known project',
    { asset: 'gke-pool-1', project: 'shop-1', billed: GOOGLE, cloud: 'gcp' },
  ],
  [
    'Google: a bare name on a bill whose account is the project',
    { asset: 'gke-pool-1', project: 'Shop-1', billed: 'gke-pool-1', cloud: 'gcp', account: 'shop-1' },
  ],
])('a bill line matches an asset: %s', async (_, pair) => {
  expect(await isMatched(pair)).toBe(true);
});

it.each<[string, Pair]>([
  ['another id', { asset: 'i-0abc', billed: 'arn:aws:ec2:eu-west-1:1111:instance/i-0abcd' }],
  [
    'the number of a machine in an Azure scale set alone',
    { asset: '3', billed: `${AZURE}/virtualMachineScaleSets/pool/virtualMachines/3`, cloud: 'azure' },
  ],
  [
    'another machine of an Azure scale set whose machines the bill has apart',
    {
      asset: `azure://${AZURE}/virtualMachineScaleSets/pool/virtualMachines/4`,
      billed: `${AZURE}/virtualMachineScaleSets/pool/virtualMachines/3`,
      cloud: 'azure',
    },
  ],
  [
    'a number of another cloud',
    { asset: 'hcloud://448712303', billed: 'do:droplet:448712303', cloud: 'digitalocean' },
  ],
  [
    'a database of the same name in another account',
    { asset: 'arn:aws:rds:eu-west-1:2222:db:orders', billed: 'orders' },
  ],
  [
    'the same Azure name in another group',
    {
      asset: `azure://${AZURE.replace('rg-web', 'rg-b')}/virtualMachines/vm-1`,
      billed: `${AZURE}/virtualMachines/vm-1`,
      cloud: 'azure',
    },
  ],
  [
    'the same Google name in another project',
    { asset: 'gke-pool-1', project: 'other', billed: GOOGLE, cloud: 'gcp' },
  ],
  [
    'the same Google name in another zone',
    { asset: 'gce://shop-1/europe-west1-c/gke-pool-1', billed: GOOGLE, cloud: 'gcp' },
  ],
])('a bill line does not match an asset: %s', async (_, pair) => {
  expect(await isMatched(pair)).toBe(false);
});
