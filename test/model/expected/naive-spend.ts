import type { Day } from '../../../domain/shared/calendar.ts';
import { clustersOf, clustersOn, distinct, hostsOn } from './naive-assets.ts';
import { absolute, decimalUnits } from './naive-decimals.ts';
import type { Rows } from './naive-rows.ts';
import { isAmbiguous, isFor } from './naive-things.ts';
import type { ToolUsage } from '../organisation-story.ts';

// An organisation's spend, row by row and day by day.
//
// 1. A bill line is a cluster's spend if its resource is an asset of the cluster that day. Otherwise it is a host's spend if its
//    resource is the host's machine. (Among several clusters or hosts, the first name counts.) Any other line is cloud
//    spend. naive-assets.ts decides which assets are on the bill.
// 2. Beside its lines, a cluster costs its assets outside the bill. If it has no asset that day, it costs its allocations,
//    idle included, unless its borrowed assets are on the bill.
// 3. Beside its lines, a host costs all its rows of the day. It costs nothing more if a line of the day is for its machine, or
//    if a cluster's cost includes the machine.
// 4. Workloads and services have their direct cost. The rest of the cluster or host, positive or negative, is its own.
// 5. A tool's spend of a day goes to repositories by their share of its usage that day, rounded down to 10⁻¹⁵. The rest goes
//    to the largest user (of equal users the first name, no repository last). The share of usage without a repository,
//    and days without usage, stay with the tool.

/** The keys of spend, null if it has none. */
interface Attributes {
  source: 'cloud' | 'kubernetes' | 'hosts' | 'ai_tools';
  cloud: string | null;
  account: string | null;
  service: string | null;
  resource_group: string | null;
  tag_key: string | null;
  tag: string | null;
  cluster: string | null;
  namespace: string | null;
  workload: string | null;
  host: string | null;
  host_service: string | null;
  tool: string | null;
  repository: string | null;
  /** The owner by today's ownership; null for spend that a shared cost covers. */
  team: string | null;
}

/** An amount of a day, in 10⁻¹⁵, with its keys. */
export interface Spent extends Attributes {
  day: Day;
  units: bigint;
  /** The account of its bill line, even if it is spend of a cluster or host. */
  bill: { cloud: string; account: string } | null;
}

const NONE = {
  cloud: null,
  account: null,
  service: null,
  resource_group: null,
  tag_key: null,
  tag: null,
  cluster: null,
  namespace: null,
  workload: null,
  host: null,
  host_service: null,
  tool: null,
  repository: null,
  team: null,
  bill: null,
};

const unitsOf = (cost: string): bigint => decimalUnits(cost, 15);
const sumOf = (rows: readonly { cost: string }[]): bigint =>
  rows.reduce((sum, { cost }) => sum + unitsOf(cost), 0n);

/** Returns all spend that counts. */
export function spentOf(rows: Rows): Spent[] {
  const days = distinct(
    Object.values(rows).flatMap((part: readonly { day: Day }[]) => part.map(({ day }) => day)),
  );
  return days.flatMap((day) => spentOn(day, rows));
}

function spentOn(day: Day, rows: Rows): Spent[] {
  const today = <Row extends { day: Day }>(all: readonly Row[]): Row[] =>
    all.filter((row) => row.day === day);
  const ofMonth = rows.lines.filter((line) => line.day.slice(0, 7) === day.slice(0, 7));
  const [lines, allocations] = [today(rows.lines), today(rows.allocations)];
  const clusters = clustersOn(day, rows);
  const hosts = hostsOn(day, rows, clusters);

  const spent: Spent[] = [];
  const add = (attributes: Partial<Spent> & Pick<Spent, 'source'>, units: bigint): void => {
    spent.push({ ...NONE, ...attributes, day, units });
  };

  for (const line of lines) {
    const { cloud, account } = line;
    const bill = { cloud, account };
    const cluster = clustersOf(line, clusters, ofMonth)[0];
    const host = hosts.find(
      ({ machine }) => machine !== null && isFor(line, machine) && !isAmbiguous(machine, ofMonth),
    )?.host;
    if (cluster !== undefined) add({ source: 'kubernetes', cluster, bill }, unitsOf(line.cost));
    else if (host !== undefined) add({ source: 'hosts', host, bill }, unitsOf(line.cost));
    else {
      const group = line.split === null ? {} : { [line.split.kind]: line.split.value };
      const tag = line.tag === null ? {} : { tag_key: line.tag.key, tag: line.tag.value };
      add({ source: 'cloud', cloud, account, bill, ...group, ...tag }, unitsOf(line.cost));
    }
  }

  for (const { cluster, assets, isBorrowing, isOnBill, outside } of clusters) {
    const own = allocations.filter((row) => row.cluster === cluster);
    const countsAllocations = (assets.length === 0 || isBorrowing) && !isOnBill;
    let rest = sumOf(countsAllocations ? own : outside);
    for (const { namespace, workload, cost } of own.filter((row) => row.namespace !== null)) {
      add({ source: 'kubernetes', cluster, namespace, workload }, unitsOf(cost));
      rest -= unitsOf(cost);
    }
    add({ source: 'kubernetes', cluster }, rest);
  }

  for (const { host, shares, isOutside } of hosts) {
    let rest = isOutside ? sumOf(shares) : 0n;
    for (const { service, cost } of shares.filter((share) => share.service !== null)) {
      add({ source: 'hosts', host, host_service: service }, unitsOf(cost));
      rest -= unitsOf(cost);
    }
    add({ source: 'hosts', host }, rest);
  }

  for (const tool of distinct(today(rows.spend).map((row) => row.tool))) {
    const cost = sumOf(today(rows.spend).filter((row) => row.tool === tool));
    const usage = today(rows.usage).filter((row) => row.tool === tool);
    for (const { repository, units } of sharesOf(cost, usage))
      add({ source: 'ai_tools', tool, repository }, units);
  }
  return spent;
}

/** Splits a tool's spend of a day by usage. */
function sharesOf(cost: bigint, usage: readonly ToolUsage[]): { repository: string | null; units: bigint }[] {
  const used = new Map<string | null, bigint>();
  for (const row of usage)
    used.set(row.repository, (used.get(row.repository) ?? 0n) + decimalUnits(row.usage, 6));
  const users = [...used]
    .filter(([, amount]) => amount > 0n)
    .sort(([a, usedByA], [b, usedByB]) => {
      if (usedByA !== usedByB) return usedByA > usedByB ? -1 : 1;
      return b === null || (a !== null && a < b) ? -1 : 1;
    });
  if (users.length === 0) return [{ repository: null, units: cost }];
  const all = users.reduce((sum, [, amount]) => sum + amount, 0n);
  const floors = users.map(([, amount]) => (absolute(cost) * amount) / all);
  const left = absolute(cost) - floors.reduce((sum, floor) => sum + floor, 0n);
  return users.map(([repository], place) => {
    const share = (floors[place] ?? 0n) + (place === 0 ? left : 0n);
    return { repository, units: cost < 0n ? -share : share };
  });
}
