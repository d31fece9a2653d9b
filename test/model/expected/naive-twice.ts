import type { Day, Month } from '../../../domain/shared/calendar.ts';
import { clustersOn, hostsOn } from './naive-assets.ts';
import { decimalUnits } from './naive-decimals.ts';
import type { FeedRows, Rows } from './naive-rows.ts';
import { isAmbiguous, isFor } from './naive-things.ts';
import type { Kind } from '../organisation-story.ts';

// Charges that two sources of a kind count (docs/concepts.md, Charges that stand twice).
//
// 1. An account, host or tool: both sources have the same amount, other than 0, on at least three days of the month, or on all days
//    on which both have an amount. These are at least a third of such days. Amounts are the same to a thousandth, or to a cent,
//    or below ten cents to a tenth. If both bills name resources of an account in the month, one must be in both. If a bill has a host, its idle share is no amount.
// 2. A cluster: both sources report the same workload or asset on the same day. The smaller cost counts twice if it is part of
//    the total. If none is, because the cluster is on a bill or its assets count, the costs of workloads still do.

/** The rows of one source, with its place among all sources. */
export interface SourceRows {
  name: string;
  kind: Kind;
  madeAs: number;
  rows: FeedRows;
}

/** A doubt about the newer one of two sources, in a month. */
export interface NaiveTwice {
  month: Month;
  kind: Kind;
  unit: string;
  source: string;
  /** The older source. */
  other: string;
}

/** Returns each unit of which a source has charges of an older source in a month. */
export function chargedTwice(
  sources: readonly SourceRows[],
  all: Rows,
  months: readonly Month[],
): NaiveTwice[] {
  const bySource = [...sources].sort((a, b) => a.madeAs - b.madeAs);
  return months.flatMap((month) =>
    bySource.flatMap((newer, place) =>
      bySource
        .slice(0, place)
        .filter(({ kind }) => kind === newer.kind)
        .flatMap((older) => {
          const units =
            newer.kind === 'opencost'
              ? clustersTwice(older.rows, newer.rows, all, month)
              : unitsTwice(older, newer, all, month);
          return units.map((unit) => ({
            month,
            unit,
            kind: newer.kind,
            source: newer.name,
            other: older.name,
          }));
        }),
    ),
  );
}

const unitsOf = (cost: string): bigint => decimalUnits(cost, 15);

/** Returns the amounts of a source's units in a month, by unit and day, without those of 0. */
function amountsOf({ kind, rows }: SourceRows, all: Rows, month: Month): Map<string, Map<Day, bigint>> {
  const charges: { unit: string; day: Day; cost: string }[] = [];
  if (kind === 'focus')
    charges.push(
      ...rows.lines.map(({ cloud, account, ...line }) => ({ ...line, unit: `${cloud}/${account}` })),
    );
  if (kind === 'ai_tools') charges.push(...rows.spend.map(({ tool, ...row }) => ({ ...row, unit: tool })));
  if (kind === 'hosts')
    charges.push(
      ...rows.shares
        .filter(({ day, host, service }) => service !== null || !isHostBilled(day, host, all))
        .map(({ host, ...row }) => ({ ...row, unit: host })),
    );
  const amounts = new Map<string, Map<Day, bigint>>();
  for (const { unit, day, cost } of charges.filter((one) => one.day.startsWith(month))) {
    const ofUnit = amounts.get(unit) ?? new Map<Day, bigint>();
    amounts.set(unit, ofUnit.set(day, (ofUnit.get(day) ?? 0n) + unitsOf(cost)));
  }
  for (const ofUnit of amounts.values())
    for (const [day, amount] of ofUnit) if (amount === 0n) ofUnit.delete(day);
  return amounts;
}

/** Returns whether a bill line of the day counts as spend of a host. */
function isHostBilled(day: Day, host: string, all: Rows): boolean {
  const machine = hostsOn(day, all, clustersOn(day, all)).find((one) => one.host === host)?.machine ?? null;
  const ofMonth = all.lines.filter((line) => line.day.slice(0, 7) === day.slice(0, 7));
  return (
    machine !== null &&
    !isAmbiguous(machine, ofMonth) &&
    ofMonth.some((line) => line.day === day && isFor(line, machine))
  );
}

function unitsTwice(older: SourceRows, newer: SourceRows, all: Rows, month: Month): string[] {
  const [theirs, own] = [amountsOf(older, all, month), amountsOf(newer, all, month)];
  const found = [...own].filter(([unit, days]) => {
    const common = [...days].filter(([day]) => theirs.get(unit)?.has(day) === true);
    const equal = common.filter(([day, amount]) => isSame(theirs.get(unit)?.get(day) ?? 0n, amount));
    return isSameBill(equal.length, common.length);
  });
  return found
    .map(([unit]) => unit)
    .filter((unit) => !areApart(resourcesOf(older, unit, month), resourcesOf(newer, unit, month)));
}

/** Returns the own names of an account's resources in a month, without the paths before them. */
const resourcesOf = ({ kind, rows }: SourceRows, unit: string, month: Month): string[] =>
  (kind === 'focus' ? rows.lines : [])
    .filter(({ cloud, account, day }) => `${cloud}/${account}` === unit && day.startsWith(month))
    .flatMap(({ resource }) => resource?.text.trim().toLowerCase().split(/[/:]/).findLast(Boolean) ?? []);

const areApart = (theirs: readonly string[], own: readonly string[]): boolean =>
  theirs.length > 0 && own.length > 0 && !own.some((resource) => theirs.includes(resource));

const CENT = decimalUnits('0.01', 15);

/** Returns whether two sources have one bill, by the number of days with the same amount, of those on which both have one. */
export const isSameBill = (equal: number, common: number): boolean =>
  equal > 0 && equal >= Math.min(3, common) && equal * 3 >= common;

export function isSame(one: bigint, other: bigint): boolean {
  const [larger, difference] = [
    sizeOf(one) > sizeOf(other) ? sizeOf(one) : sizeOf(other),
    sizeOf(one - other),
  ];
  return difference * 1000n <= larger || (difference <= CENT && difference * 10n <= larger);
}

const sizeOf = (units: bigint): bigint => (units < 0n ? -units : units);

/** A cluster's row as both sources may report it. */
interface Reported {
  day: Day;
  cluster: string;
  what: 'workload' | 'idle' | 'asset';
  key: string;
  units: bigint;
}

function reportedIn({ allocations, assets }: FeedRows, month: Month): Map<string, Reported> {
  const rows = [
    ...allocations.map(({ day, cluster, namespace, workload, cost }): Reported => ({
      day,
      cluster,
      what: namespace === null ? 'idle' : 'workload',
      units: unitsOf(cost),
      key: `${namespace ?? ''}|${workload ?? ''}`,
    })),
    ...assets.map(({ day, cluster, kind, id, project, cost }): Reported => ({
      day,
      cluster,
      what: 'asset',
      units: unitsOf(cost),
      key: `${kind}|${id?.text.toLowerCase() ?? ''}|${project?.toLowerCase() ?? ''}`,
    })),
  ].filter(({ day }) => day.startsWith(month));
  const sums = new Map<string, Reported>();
  for (const row of rows) {
    const place = `${row.day} ${row.cluster} ${row.what} ${row.key}`;
    sums.set(place, { ...row, units: row.units + (sums.get(place)?.units ?? 0n) });
  }
  return sums;
}

function clustersTwice(older: FeedRows, newer: FeedRows, all: Rows, month: Month): string[] {
  const theirs = reportedIn(older, month);
  const totals = new Map<string, { counted: bigint; workloads: bigint }>();
  for (const [place, row] of reportedIn(newer, month)) {
    const { day, cluster, what, units } = row;
    const smaller = smallerOf(units, theirs.get(place)?.units ?? 0n);
    const isOnBill = clustersOn(day, all).find((one) => one.cluster === cluster)?.isOnBill === true;
    const hasAssets = all.assets.some((asset) => asset.day === day && asset.cluster === cluster);
    const counts = !isOnBill && (what === 'asset') === hasAssets;
    const { counted, workloads } = totals.get(cluster) ?? { counted: 0n, workloads: 0n };
    totals.set(cluster, {
      counted: counted + (counts ? smaller : 0n),
      workloads: workloads + (what === 'workload' ? smaller : 0n),
    });
  }
  return [...totals]
    .filter(([, { counted, workloads }]) => counted !== 0n || workloads !== 0n)
    .map(([cluster]) => cluster);
}

function smallerOf(one: bigint, other: bigint): bigint {
  if (one > 0n && other > 0n) return one < other ? one : other;
  return one < 0n && other < 0n ? (one > other ? one : other) : 0n;
}
