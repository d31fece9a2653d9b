import type { Day } from '../../domain/shared/calendar.ts';
import { wobble } from './demand.ts';
import { costOfDay, resource, type Resource } from './resources.ts';

/** OpenCost rounds to five decimals. Whole numbers of this unit add up exactly. */
const UNITS_PER_DOLLAR = 1e5;
const dollars = (units: number): string => (units / UNITS_PER_DOLLAR).toFixed(5);

const NODES = [resource('i-0c10000000000001'), resource('i-0c10000000000002')];
const DISK = resource('vol-0c10000000000001');
/** The cluster assumes list prices. The bill is a little dearer. */
const listPrice = (asset: Resource, day: Day): number =>
  Math.round(costOfDay(asset, day) * 0.97 * UNITS_PER_DOLLAR);

/** What the machines and the disk of each cluster cost on a day. Those of `edge` stand in shops and are on no bill. */
const ASSET_COSTS = {
  prod: (day: Day) => ({
    machines: NODES.reduce((sum, node) => sum + listPrice(node, day), 0),
    disk: listPrice(DISK, day),
  }),
  edge: () => ({ machines: 21 * UNITS_PER_DOLLAR, disk: 0 }),
};

/** The workloads of each cluster: namespace, kind, name, share of the machines, and number of pods. */
const WORKLOADS: Record<keyof typeof ASSET_COSTS, [string, string, string, number, number][]> = {
  prod: [
    ['checkout', 'Deployment', 'api', 0.22, 2],
    ['checkout', 'Deployment', 'worker', 0.09, 1],
    ['search', 'StatefulSet', 'index', 0.14, 1],
    ['search', 'Deployment', 'suggest', 0.06, 1],
    ['delivery', 'Deployment', 'routing', 0.1, 1],
    ['platform', 'DaemonSet', 'log-agent', 0.04, 2],
  ],
  edge: [
    ['kiosk', 'Deployment', 'screen', 0.34, 1],
    ['kiosk', 'Deployment', 'till-sync', 0.17, 1],
    ['stockroom', 'DaemonSet', 'scanner', 0.2, 1],
  ],
};

const COLUMNS =
  'Date,Namespace,ControllerKind,ControllerName,Pod,Container,CPUCost,RAMCost,NetworkCost,PVCost,GPUCost,TotalCost';

/** Returns a cluster's costs as OpenCost exports them: a row for each container and day, and one for idle capacity. */
export const allocationRows = (cluster: keyof typeof WORKLOADS, days: readonly Day[]): string[][] => [
  COLUMNS.split(','),
  ...days.flatMap((day) => {
    const { machines, disk } = ASSET_COSTS[cluster](day);
    const idle = { machines, disk };
    const rows = WORKLOADS[cluster].flatMap(([namespace, kind, name, share, pods]) =>
      Array.from({ length: pods }, (_, index) => {
        const pod = `${name}-${index}`;
        const machine = Math.round(machines * (share / pods) * wobble(`${cluster} ${pod} ${day}`, 0.1));
        // Only the search index stores data on the disk.
        const volume = name === 'index' ? Math.round(disk * 0.7) : 0;
        idle.machines -= machine;
        idle.disk -= volume;
        return [day, namespace, kind, name, pod, name, ...costColumns(machine, volume)];
      }),
    );
    const idleCosts = costColumns(idle.machines, idle.disk);
    return [...rows, [day, '__idle__', '', '', '__idle__', '__idle__', ...idleCosts]];
  }),
];

/** The total exceeds the sum of its parts, as in real exports, because load balancers have no column. */
function costColumns(machine: number, volume: number): string[] {
  const parts = [machine * 0.54, machine * 0.36, machine * 0.04, volume, 0];
  return [...parts.map(Math.floor), machine + volume].map(dollars);
}

/** Returns the machines and the disk of cluster `prod`. */
export const assetRows = (days: readonly Day[]): string[][] => [
  ['day', 'cluster', 'kind', 'provider_id', 'cost'],
  ...days.flatMap((day) =>
    [...NODES, DISK].map((asset) => {
      const kind = asset === DISK ? 'Disk' : 'Node';
      return [day, 'prod', kind, asset.id, dollars(listPrice(asset, day))];
    }),
  ),
];
