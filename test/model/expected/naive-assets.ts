import type { Day } from '../../../domain/shared/calendar.ts';
import { isAmbiguous, isFor, sameThing, type Known } from './naive-things.ts';
import type { Allocation, Asset, BillLine, HostShare } from '../organisation-story.ts';

// The assets that a bill contains, day by day (design §2, Every dollar once).
//
// 1. A node or disk with an id is on the bill if a line of the day is for it. A bare name matches no line if several accounts,
//    projects or zones have it on the bills of that month.
// 2. Any other asset may have a line too: a load balancer by its name, the management fee by the cluster's name. Without a
//    line it follows its cluster, which is on the bill if any of its nodes or disks of rule 1 is.
// 3. A cluster with allocations but no assets on a day borrows its assets from the nearest day that has any. Of two equally
//    near days the earlier lends. The cluster is on the bill if the assets are on the bill of this day or of the day that
//    lends them. Then it costs only their lines of this day. Otherwise they match no lines.

/** A cluster on a day. */
export interface ClusterDay {
  cluster: string;
  /** Its own assets of the day, or its borrowed assets. */
  assets: readonly Asset[];
  isBorrowing: boolean;
  isOnBill: boolean;
  /** Its own assets that count outside the bill. */
  outside: readonly Asset[];
  /** Whether any asset follows it. */
  isFollowed: boolean;
  /** Whether several machines have the name of one of its nodes or disks. */
  isAmbiguous: boolean;
}

export interface AssetRows {
  lines: readonly BillLine[];
  allocations: readonly Allocation[];
  assets: readonly Asset[];
}

const thingOf = ({ id, project, kind, cluster }: Asset): Known | null => {
  if (id !== null) return { means: id.means, project };
  return kind === 'management' ? { means: { of: 'cluster', name: cluster, id: '' }, project } : null;
};

const standsForItself = ({ id, kind }: Asset): boolean => id !== null && (kind === 'node' || kind === 'disk');

export const distinct = (names: readonly string[]): string[] => [...new Set(names)].sort();

/** Returns the clusters of a day. */
export const clustersOn = (day: Day, rows: AssetRows): ClusterDay[] => {
  const ofMonth = rows.lines.filter((line) => line.day.slice(0, 7) === day.slice(0, 7));
  const isBilled = (asset: Asset): boolean => isBilledOn(day, asset, rows.lines);
  const clusters = [...rows.allocations, ...rows.assets].filter((row) => row.day === day);
  return distinct(clusters.map(({ cluster }) => cluster)).map((cluster) => {
    const known = rows.assets.filter((asset) => asset.cluster === cluster);
    const own = known.filter((asset) => asset.day === day);
    const assets = own.length > 0 ? own : known.filter((asset) => asset.day === nearest(day, known));
    const isOnBill = assets.some(
      (asset) => standsForItself(asset) && (isBilled(asset) || isBilledOn(asset.day, asset, rows.lines)),
    );
    const unbilled = own.filter((asset) => !isBilled(asset));
    return {
      cluster,
      assets,
      isBorrowing: own.length === 0 && assets.length > 0,
      isOnBill,
      outside: unbilled.filter((asset) => standsForItself(asset) || !isOnBill),
      isFollowed: unbilled.some((asset) => !standsForItself(asset)),
      isAmbiguous: assets.some((asset) => {
        const thing = thingOf(asset);
        return standsForItself(asset) && thing !== null && isAmbiguous(thing, ofMonth);
      }),
    };
  });
};

/** Returns the names of the clusters that a line of the day is for. */
export const clustersOf = (
  line: BillLine,
  clusters: readonly ClusterDay[],
  ofMonth: readonly BillLine[],
): string[] =>
  clusters
    .filter(({ isBorrowing, isOnBill }) => !isBorrowing || isOnBill)
    .filter(({ assets }) =>
      assets.some((asset) => {
        const thing = thingOf(asset);
        return thing !== null && isFor(line, thing) && !isAmbiguous(thing, ofMonth);
      }),
    )
    .map(({ cluster }) => cluster);

/** Returns whether the cost of clusters on a day includes a machine: as an asset, or in allocations. */
export const holdsMachine = (clusters: readonly ClusterDay[], machine: Known): boolean =>
  clusters
    .filter(({ isBorrowing, isOnBill }) => !(isBorrowing && isOnBill))
    .flatMap(({ assets }) => assets.map(thingOf))
    .some((thing) => thing !== null && sameThing(thing, machine));

/** Returns whether a line of a day is for an asset. */
const isBilledOn = (day: Day, asset: Asset, lines: readonly BillLine[]): boolean => {
  const thing = thingOf(asset);
  if (thing === null) return false;
  const ofMonth = lines.filter((line) => line.day.slice(0, 7) === day.slice(0, 7));
  return !isAmbiguous(thing, ofMonth) && ofMonth.some((line) => line.day === day && isFor(line, thing));
};

const nearest = (day: Day, assets: readonly Asset[]): Day | undefined =>
  distinct(assets.map((asset) => asset.day)).sort((a, b) => distance(day, a) - distance(day, b))[0];

const distance = (a: Day, b: Day): number => Math.abs(Date.parse(a) - Date.parse(b));

/** Returns the hosts of a day by name, each with its rows and the machine that any row names. */
export const hostsOn = (
  day: Day,
  rows: readonly HostShare[],
): { host: string; machine: Known | null; shares: HostShare[] }[] => {
  const today = rows.filter((row) => row.day === day);
  return distinct(today.map(({ host }) => host)).map((host) => {
    const shares = today.filter((share) => share.host === host);
    const machine = shares.find((share) => share.machine !== null)?.machine ?? null;
    return { host, machine: machine === null ? null : { means: machine.means, project: null }, shares };
  });
};

/** Returns the number of days with decisions that users should know, by cluster or host. */
export const naiveDecisions = (
  days: readonly Day[],
  rows: AssetRows & { shares: readonly HostShare[] },
): Map<string, [followed: number, borrowed: number, ambiguous: number]> => {
  const counts = new Map<string, [number, number, number]>();
  const add = (name: string, ...decided: [boolean, boolean, boolean]): void => {
    const [followed, borrowed, ambiguous] = counts.get(name) ?? [0, 0, 0];
    counts.set(name, [
      followed + Number(decided[0]),
      borrowed + Number(decided[1]),
      ambiguous + Number(decided[2]),
    ]);
  };
  for (const day of days) {
    for (const { cluster, isFollowed, isBorrowing, isAmbiguous: isUnclear } of clustersOn(day, rows))
      add(`kubernetes ${cluster}`, isFollowed, isBorrowing, isUnclear);
    const ofMonth = rows.lines.filter((line) => line.day.slice(0, 7) === day.slice(0, 7));
    for (const { host, machine } of hostsOn(day, rows.shares))
      add(`hosts ${host}`, false, false, machine !== null && isAmbiguous(machine, ofMonth));
  }
  return counts;
};
