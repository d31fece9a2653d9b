import type { Day } from '../../domain/shared/calendar.ts';
import {
  ALLOCATION_UNITS,
  allocated,
  fiveDecimals,
  idle,
  podsOf,
  type Allocation,
} from './allocation-row.ts';
import { csvLine } from './csv-line.ts';
import { UNITS_PER_DOLLAR } from './focus-row.ts';
import { costOfDay, type MeteredResource } from './metered-resource.ts';
import { PROD_DISK, PROD_NODES } from './platform-account.ts';

const CONTAINERS = [
  ...podsOf('checkout', 'Deployment/api', 0.22, 2),
  ...podsOf('checkout', 'Deployment/worker', 0.09),
  ...podsOf('search', 'StatefulSet/index', 0.14),
  ...podsOf('search', 'Deployment/suggest', 0.06),
  ...podsOf('delivery', 'Deployment/routing', 0.1),
  ...podsOf('platform', 'DaemonSet/log-agent', 0.04, 2),
];

/** Only the search index keeps anything on the disk. */
const INDEX_PART_OF_DISK = 0.7;

/** What the cluster takes for the price of its machines; the bill is a little dearer. */
const LIST_PRICE = 0.97;

const listPrice = (resource: MeteredResource, day: Day): number =>
  Math.round((costOfDay(resource, day) / UNITS_PER_DOLLAR) * LIST_PRICE * ALLOCATION_UNITS);

/** The containers of cluster `prod` on a day and what they leave idle: together what its assets cost. */
export const prodAllocations = (day: Day): Allocation[] => {
  const machines = PROD_NODES.reduce((sum, node) => sum + listPrice(node, day), 0);
  const volumes = listPrice(PROD_DISK, day);
  const used = allocated('prod', CONTAINERS, machines, day).map((allocation) =>
    allocation.controller === 'index'
      ? { ...allocation, volume: Math.round(volumes * INDEX_PART_OF_DISK) }
      : allocation,
  );
  return [...used, idle(used, { machines, volumes })];
};

/** The assets of cluster `prod` on some days, by the ids that end those on the bill. */
export function* prodAssetsCsv(days: readonly Day[]): Generator<string> {
  yield 'day,cluster,kind,provider_id,cost\n';
  for (const day of days) {
    for (const node of PROD_NODES) yield assetLine(day, 'Node', node);
    yield assetLine(day, 'Disk', PROD_DISK);
  }
}

const assetLine = (day: Day, kind: string, asset: MeteredResource & { providerId: string }): string =>
  csvLine([day, 'prod', kind, asset.providerId, fiveDecimals(listPrice(asset, day))]);
