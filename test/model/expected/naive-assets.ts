import type { Day } from '../../../domain/shared/calendar.ts';
import { decimalText } from './naive-decimals.ts';
import { isAmbiguous, isFor, sameThing, uniqueKey, type Known } from './naive-things.ts';
import type { Rows } from './naive-rows.ts';
import type { Allocation, Asset, BillLine, HostShare } from '../organisation-story.ts';

// The assets that a bill contains, day by day.
//
// 1. A node or disk with an id is on the bill if a line of the day is for it. A bare name matches no line if several accounts,
//    projects or zones have it on the bills of that month.
// 2. Any other asset may have a line too: a load balancer by its name, the management fee by the cluster's name. Without a
//    line it follows its cluster, which is on the bill if any of its nodes or disks of rule 1 is. So does a disk with a mere
//    name or a made-up id.
// 3. A cluster with allocations but no assets on a day borrows its assets from the nearest day that has any. Of two equally
//    near days the earlier lends. The cluster is on the bill if the assets are on the bill of this day or of the day that
//    lends them, where they must count. Then it costs only their lines of this day. Otherwise they match no lines.
// 4. If its source says always, a cluster is on the bill on each day that any bill has delivered, and its machines count nothing.
// 5. A machine that several clusters have by an id of the cloud counts once: on the bill, or in the first cluster by name.

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
  reporters: Rows['reporters'];
  billDays: Rows['billDays'];
  knownAssets: Rows['knownAssets'];
}

export function thingOf({ id, project, kind, cluster }: Asset): Known | null {
  if (id !== null) return { means: id.means, project };
  return kind === 'management' ? { means: { of: 'cluster', name: cluster, id: '' }, project } : null;
}

/** Returns whether a line of an asset shows that its cluster is on a bill. */
export const isMachine = ({ id, kind }: Asset): boolean =>
  id !== null && (kind === 'node' || kind === 'disk');

export function standsForItself(asset: Asset): boolean {
  const thing = thingOf(asset);
  return isMachine(asset) && thing !== null && (asset.kind === 'node' || uniqueKey(thing) !== null);
}

/** Returns whether the source of a cluster or host says that it is on a bill, on a day that any bill has delivered. */
const isTold = (day: Day, of: string, { reporters, billDays }: AssetRows): boolean =>
  reporters.some((one) => one.day === day && one.of === of && one.onBill === 'always') &&
  billDays.some((one) => one.day === day);

export const distinct = (names: readonly string[]): string[] => [...new Set(names)].sort();

/** The clusters of the days of some rows. Every rule asks for them, and they take most of the time. */
const KNOWN = new WeakMap<AssetRows, Map<Day, ClusterDay[]>>();

/** Returns the clusters of a day. */
export function clustersOn(day: Day, rows: AssetRows): ClusterDay[] {
  const known = KNOWN.get(rows) ?? new Map<Day, ClusterDay[]>();
  const clusters = known.get(day) ?? findClusters(day, rows);
  KNOWN.set(rows, known.set(day, clusters));
  return clusters;
}

function findClusters(day: Day, rows: AssetRows): ClusterDay[] {
  const ofMonth = rows.lines.filter((line) => line.day.slice(0, 7) === day.slice(0, 7));
  const isBilled = (asset: Asset, on = day): boolean => isBilledOn(on, thingOf(asset), rows.lines);
  const isBilledAsLent = (asset: Asset): boolean => rows.assets.includes(asset) && isBilled(asset, asset.day);
  const reported = [...rows.allocations, ...rows.assets].filter((row) => row.day === day);
  const clusters = distinct(reported.map(({ cluster }) => cluster)).map((cluster) => {
    const own = rows.assets.filter((asset) => asset.day === day && asset.cluster === cluster);
    const known = rows.knownAssets.filter((asset) => asset.cluster === cluster);
    const assets = own.length > 0 ? own : known.filter((asset) => asset.day === nearest(day, known));
    const of = `kubernetes ${cluster}`;
    const isOnBill =
      assets.some((asset) => isMachine(asset) && (isBilled(asset) || isBilledAsLent(asset))) ||
      [day, ...assets.map((asset) => asset.day)].some((on) => isTold(on, of, rows));
    return { cluster, own, assets, isOnBill, isToldOnBill: isTold(day, of, rows) };
  });
  const countedBy = (key: string): string | undefined => {
    const having = (isOf: (asset: Asset) => boolean, borrowed: boolean): string[] =>
      clusters.flatMap(({ cluster, own, assets, isOnBill }) =>
        (borrowed && isOnBill ? assets : own).some((asset) => keyOf(asset) === key && isOf(asset))
          ? [cluster]
          : [],
      );
    return (
      having((asset) => isMachine(asset) && isBilled(asset), true)[0] ?? having(standsForItself, false)[0]
    );
  };
  return clusters.map(({ cluster, own, assets, isOnBill, isToldOnBill }) => {
    const unbilled = own.filter((asset) => !isBilled(asset));
    const counts = (asset: Asset): boolean => {
      if (!standsForItself(asset)) return !isOnBill;
      const key = keyOf(asset);
      return !isToldOnBill && (key === null || countedBy(key) === cluster);
    };
    return {
      cluster,
      assets,
      isBorrowing: own.length === 0 && assets.length > 0,
      isOnBill,
      outside: unbilled.filter(counts),
      isFollowed: unbilled.some((asset) => !standsForItself(asset)),
      isAmbiguous: assets.some((asset) => {
        const thing = thingOf(asset);
        return standsForItself(asset) && thing !== null && isAmbiguous(thing, ofMonth);
      }),
    };
  });
}

function keyOf(asset: Asset): string | null {
  const thing = thingOf(asset);
  return thing === null ? null : uniqueKey(thing);
}

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
const holdsMachine = (clusters: readonly ClusterDay[], machine: Known): boolean =>
  clusters
    .filter(({ isBorrowing, isOnBill }) => !(isBorrowing && isOnBill))
    .flatMap(({ assets }) => assets.map(thingOf))
    .some((thing) => thing !== null && sameThing(thing, machine));

/** Returns whether a line of a day is for a resource. */
export function isBilledOn(day: Day, thing: Known | null, lines: readonly BillLine[]): boolean {
  if (thing === null) return false;
  const ofMonth = lines.filter((line) => line.day.slice(0, 7) === day.slice(0, 7));
  return !isAmbiguous(thing, ofMonth) && ofMonth.some((line) => line.day === day && isFor(line, thing));
}

const nearest = (day: Day, assets: readonly Asset[]): Day | undefined =>
  distinct(assets.map((asset) => asset.day)).sort((a, b) => distance(day, a) - distance(day, b))[0];

const distance = (a: Day, b: Day): number => Math.abs(Date.parse(a) - Date.parse(b));

/** Returns the hosts of a day by name, each with its rows, the machine that any row names, and whether the rows count. */
export function hostsOn(
  day: Day,
  rows: AssetRows & { shares: readonly HostShare[] },
  clusters: readonly ClusterDay[],
): { host: string; machine: Known | null; shares: HostShare[]; isOutside: boolean }[] {
  const today = rows.shares.filter((row) => row.day === day);
  return distinct(today.map(({ host }) => host)).map((host) => {
    const shares = today.filter((share) => share.host === host);
    const means = shares.find((share) => share.machine !== null)?.machine?.means ?? null;
    const machine = means === null ? null : { means, project: null };
    const isOutside =
      !isTold(day, `hosts ${host}`, rows) &&
      !isBilledOn(day, machine, rows.lines) &&
      !(machine !== null && holdsMachine(clusters, machine));
    return { host, machine, shares, isOutside };
  });
}

/**
 * Returns the number of days with decisions that users should know, by cluster or host: followed, borrowed, ambiguous, and
 * unmatched with its amount.
 */
export function naiveDecisions(
  days: readonly Day[],
  rows: AssetRows & { shares: readonly HostShare[] },
  unmatchedOf: (day: Day) => readonly { of: string; units: bigint }[],
): Map<string, (number | string)[]> {
  const counts = new Map<string, [number, number, number, number, bigint]>();
  const add = (
    name: string,
    decided: [boolean, boolean, boolean],
    unmatched: readonly { units: bigint }[],
  ): void => {
    const [followed, borrowed, ambiguous, days, units] = counts.get(name) ?? [0, 0, 0, 0, 0n];
    counts.set(name, [
      followed + Number(decided[0]),
      borrowed + Number(decided[1]),
      ambiguous + Number(decided[2]),
      days + Number(unmatched.length > 0),
      unmatched.reduce((sum, one) => sum + one.units, units),
    ]);
  };
  for (const day of days) {
    const unmatched = unmatchedOf(day);
    const of = (name: string) => unmatched.filter((one) => one.of === name);
    const clusters = clustersOn(day, rows);
    for (const { cluster, isFollowed, isBorrowing, isAmbiguous: isUnclear } of clusters)
      add(`kubernetes ${cluster}`, [isFollowed, isBorrowing, isUnclear], of(`kubernetes ${cluster}`));
    const ofMonth = rows.lines.filter((line) => line.day.slice(0, 7) === day.slice(0, 7));
    for (const { host, machine } of hostsOn(day, rows, clusters))
      add(
        `hosts ${host}`,
        [false, false, machine !== null && isAmbiguous(machine, ofMonth)],
        of(`hosts ${host}`),
      );
  }
  return new Map(
    [...counts].map(([name, [...numbers]]) => [
      name,
      numbers.map((one) => (typeof one === 'bigint' ? decimalText(one, 15) : one)),
    ]),
  );
}
