import type { Day, Month } from '../../../domain/shared/calendar.ts';
import { clustersOn, hostsOn, isBilledOn, isMachine, standsForItself, thingOf } from './naive-assets.ts';
import { decimalUnits } from './naive-decimals.ts';
import { cloudOf, isAmbiguous, isFor, type Known } from './naive-things.ts';
import type { Rows } from './naive-rows.ts';
import type { Asset } from '../organisation-story.ts';

// Machines with an id that no line of the day has, nor of the day before or after in the same month, although a bill of their
// cloud has delivered the day.
//
// 1. The machine counts by its own cost, and its source says neither always nor never.
// 2. On a day of borrowed assets, the allocations of the cluster count in place of the machines.
// 3. A bill read at most two days after the day may still get the machine's line, if other machines of the source have theirs.

export interface Unmatched {
  /** `kubernetes NAME` or `hosts NAME`. */
  of: string;
  /** The position of the source among all sources made. */
  source: number;
  units: bigint;
}

/** Returns the costs of a day that a bill may include too. */
export function unmatchedOn(day: Day, rows: Rows): Unmatched[] {
  const found: Unmatched[] = [];
  const add = (of: string, units: bigint): void => {
    const reporter = rows.reporters.find((one) => one.day === day && one.of === of);
    if (units !== 0n && reporter?.onBill === 'auto') found.push({ of, source: reporter.source, units });
  };
  const isDoubted = (of: string, thing: Known | null): boolean =>
    thing !== null && isUnmatched(day, of, thing, rows);
  const clusters = clustersOn(day, rows);
  for (const { cluster, assets, isBorrowing, isOnBill, outside } of clusters) {
    const of = `kubernetes ${cluster}`;
    const machines = (isBorrowing && !isOnBill ? assets : outside).filter(
      (asset) => standsForItself(asset) && isDoubted(of, thingOf(asset)),
    );
    if (isBorrowing) {
      const allocations = rows.allocations.filter((row) => row.day === day && row.cluster === cluster);
      if (machines.length > 0) add(of, sumOf(allocations));
    } else for (const units of byMachine(machines)) add(of, units);
  }
  for (const { host, machine, shares, isOutside } of hostsOn(day, rows, clusters)) {
    const of = `hosts ${host}`;
    if (isOutside && isDoubted(of, machine)) add(of, sumOf(shares));
  }
  return found;
}

/** Returns the sources of clusters with allocations, but without own assets and a bill, that have had assets before. */
export const withoutAssetsOn = (day: Day, rows: Rows): number[] =>
  clustersOn(day, rows)
    .filter(({ isBorrowing, isOnBill }) => isBorrowing && !isOnBill)
    .filter(({ cluster }) => rows.assets.some((asset) => asset.cluster === cluster && asset.day < day))
    .flatMap(({ cluster }) =>
      rows.reporters.filter((one) => one.day === day && one.of === `kubernetes ${cluster}`).slice(0, 1),
    )
    .map(({ source }) => source);

function isUnmatched(day: Day, of: string, thing: Known, rows: Rows): boolean {
  const month = day.slice(0, 7);
  const ofMonth = rows.lines.filter((line) => line.day.startsWith(month));
  const bills = rows.billDays.filter(
    (bill) => bill.day === day && [bill.cloud, null].includes(cloudOf(thing)),
  );
  const near = ofMonth.filter((line) => [-1, 0, 1].some((count) => line.day === daysAfter(day, count)));
  const isKnown = near.some((line) => isFor(line, thing)) && !isAmbiguous(thing, ofMonth);
  const newest = bills
    .map((bill) => rows.billDays.filter((one) => one.day === day && one.cloud === bill.cloud))
    .map(
      (same) =>
        same
          .map(({ publishedOn }) => publishedOn)
          .sort()
          .at(-1) ?? '',
    );
  const isFresh = newest.every((publishedOn) => publishedOn <= daysAfter(day, 2));
  const source = rows.reporters.find((one) => one.day === day && one.of === of)?.source;
  return bills.length > 0 && !isKnown && !(isFresh && isTrusted(month, source, rows));
}

/** Returns whether a bill has any machine of a source in a month, on the same day as the source. */
const isTrusted = (month: Month, source: number | undefined, rows: Rows): boolean =>
  rows.reporters.some((reporter) => {
    if (reporter.source !== source || !reporter.day.startsWith(month)) return false;
    const { day, of } = reporter;
    const clusters = clustersOn(day, rows);
    return (
      clusters.some(
        ({ cluster, assets }) =>
          of === `kubernetes ${cluster}` &&
          assets.some((asset) => isMachine(asset) && isBilledOn(day, thingOf(asset), rows.lines)),
      ) ||
      hostsOn(day, rows, clusters).some(
        ({ host, machine }) => of === `hosts ${host}` && isBilledOn(day, machine, rows.lines),
      )
    );
  });

/** Returns the cost of each machine, all rows with the same id together. */
function byMachine(assets: readonly Asset[]): bigint[] {
  const costs = new Map<string, bigint>();
  for (const { kind, id, project, cost } of assets) {
    const key = JSON.stringify([kind, id?.text, project]);
    costs.set(key, (costs.get(key) ?? 0n) + decimalUnits(cost, 15));
  }
  return [...costs.values()];
}

const sumOf = (all: readonly { cost: string }[]): bigint =>
  all.reduce((sum, { cost }) => sum + decimalUnits(cost, 15), 0n);

const daysAfter = (day: Day, count: number): Day =>
  new Date(Date.parse(day) + count * 86_400_000).toISOString().slice(0, 10);
