import type { Day } from '../../../../domain/shared/calendar.ts';
import { moneyText } from './naive-months.ts';
import type { Spent } from '../naive-spend.ts';
import type { Allocation, HostShare } from '../../organisation-story.ts';
import { decimalUnits } from '../naive-decimals.ts';

// The answers of /costs, /costs/breakdown and its reconciliation, from each amount spent. Sums of 0 are left out, because it
// does not matter whether they have a row.

export interface Range {
  start: Day;
  end: Day;
}

export const within = <Row extends { day: Day }>(rows: readonly Row[], { start, end }: Range): Row[] =>
  rows.filter(({ day }) => start <= day && day <= end);

const total = (rows: readonly { units: bigint }[]): bigint =>
  rows.reduce((sum, { units }) => sum + units, 0n);

/** Returns sums by a text of each row, as [text, amount], sorted by the text. */
function sums<Row extends { units: bigint }>(
  rows: readonly Row[],
  of: (row: Row) => string,
): [string, string][] {
  const groups = new Map<string, bigint>();
  for (const row of rows) groups.set(of(row), (groups.get(of(row)) ?? 0n) + row.units);
  return [...groups]
    .filter(([, units]) => units !== 0n)
    .map(([text, units]): [string, string] => [text, moneyText(units)])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The keys to group spend by, each as a text or null. A tag includes its key. */
const KEYS: Readonly<Record<string, (spent: Spent) => string | null>> = {
  day: ({ day }) => day,
  month: ({ day }) => day.slice(0, 7),
  source: ({ source }) => source,
  cloud: ({ cloud }) => cloud,
  account: ({ account }) => account,
  service: ({ service }) => service,
  resource_group: ({ resource_group }) => resource_group,
  tag: ({ tag_key, tag }) => (tag === null ? null : `${tag_key ?? ''}=${tag}`),
  cluster: ({ cluster }) => cluster,
  namespace: ({ namespace }) => namespace,
  workload: ({ workload }) => workload,
  host: ({ host }) => host,
  host_service: ({ host_service }) => host_service,
  repository: ({ repository }) => repository,
  tool: ({ tool }) => tool,
  team: ({ team }) => team,
};

/** Returns the rows of a breakdown: [keys as JSON, amount]. */
export const naiveBreakdown = (spent: readonly Spent[], keys: readonly string[]): [string, string][] =>
  sums(spent, (one) => JSON.stringify(keys.map((key) => KEYS[key]?.(one) ?? null)));

/** `isCovered` returns whether any source covers a day of a range. Otherwise a range without spend is unknown. */
export function naiveSummary(
  spent: readonly Spent[],
  range: Range,
  before: Range,
  isCovered: (range: Range) => boolean,
) {
  const previous = within(spent, before);
  const inRange = within(spent, range);
  const billed = inRange.filter(({ bill }) => bill !== null);
  return {
    total: moneyText(total(inRange)),
    previousTotal: total(previous) === 0n && !isCovered(before) ? null : moneyText(total(previous)),
    bySource: sums(inRange, ({ source }) => source),
    byDay: sums(inRange, ({ day }) => day),
    byAccount: sums(billed, ({ bill, source }) => `${bill?.cloud ?? ''} ${bill?.account ?? ''} ${source}`),
  };
}

/**
 * Returns for each cluster and host: reported, billed, outside bills, difference, and the number of days on which assets followed
 * their cluster, were borrowed, had the name of several machines, or matched no line, with the amount of these.
 */
export function naiveReconciliation(
  spent: readonly Spent[],
  rows: { allocations: readonly Allocation[]; shares: readonly HostShare[] },
  decisions: ReadonlyMap<string, readonly (number | string)[]>,
): [string, (string | number)[]][] {
  const reported = [
    ...rows.allocations.map(({ cluster, cost }) => ({ name: `kubernetes ${cluster}`, cost })),
    ...rows.shares.map(({ host, cost }) => ({ name: `hosts ${host}`, cost })),
  ];
  const counted = spent.flatMap(({ source, cluster, host, units, bill }) =>
    source === 'kubernetes' || source === 'hosts'
      ? [{ name: `${source} ${cluster ?? host ?? ''}`, units, isBilled: bill !== null }]
      : [],
  );
  const names = [...reported, ...counted].map(({ name }) => name);
  return [...new Set([...names, ...decisions.keys()])]
    .sort()
    .map((name): [string, (string | number)[]] => {
      const own = counted.filter((one) => one.name === name);
      const itself = reported
        .filter((one) => one.name === name)
        .reduce((sum, { cost }) => sum + decimalUnits(cost, 15), 0n);
      const [billed, outside] = [true, false].map((isBilled) =>
        total(own.filter((one) => one.isBilled === isBilled)),
      );
      const difference = (billed ?? 0n) + (outside ?? 0n) - itself;
      const amounts = [itself, billed ?? 0n, outside ?? 0n, difference].map(moneyText);
      return [name, [...amounts, ...(decisions.get(name) ?? [0, 0, 0, 0, moneyText(0n)])]];
    })
    .filter(([, amounts]) => amounts.some((amount) => /[1-9]/.test(String(amount))));
}
