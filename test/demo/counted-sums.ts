import { join } from 'node:path';
import { costByMonth, readLines, unitsOf, type Line } from './export-sums.ts';

/** The lines of every export of the demo. */
export interface Exports {
  bills: Line[];
  prod: Line[];
  prodAssets: Line[];
  edge: Line[];
  hosts: Line[];
  aiSpend: Line[];
  aiUsage: Line[];
}

/** Reads the exports below the demo's folder. */
export function readExports(folder: string): Exports {
  const linesOf = (name: string): Line[] => readLines(join(folder, name));
  return {
    bills: ['aws', 'azure', 'google'].flatMap(linesOf),
    prod: linesOf('cluster-prod'),
    prodAssets: linesOf('cluster-prod-assets'),
    edge: linesOf('cluster-edge'),
    hosts: linesOf('hosts'),
    aiSpend: linesOf('ai-spend'),
    aiUsage: linesOf('ai-usage'),
  };
}

/** Amounts by month, or by another key. */
export type Sums = Map<string, bigint>;

const add = (sums: Sums, key: string, amount: bigint): Sums => sums.set(key, (sums.get(key) ?? 0n) + amount);

/** Returns a column's sums by the key of each line. */
export const sumBy = (lines: readonly Line[], column: string, keyOf: (line: Line) => string): Sums =>
  lines.reduce(
    (sums, line) => add(sums, keyOf(line), unitsOf(line[column] ?? '')),
    new Map<string, bigint>(),
  );

/** Returns the month of a line of a cluster, host or AI tool. */
export const monthOf = (line: Line): string => (line['Date'] ?? line['day'] ?? '').slice(0, 7);

/** Adds up sums. */
export function together(...parts: Sums[]): Sums {
  const sums: Sums = new Map();
  for (const part of parts) for (const [month, amount] of part) add(sums, month, amount);
  return sums;
}

/** Returns the key of a machine or disk on a day. Clusters and hosts have the last part of the id, in which an ARN ends. */
const assetDay = (id = '', day = ''): string => `${/[^/:]*$/.exec(id)?.[0] ?? ''} ${day.slice(0, 10)}`;

const billedDays = ({ bills }: Exports): Set<string> =>
  new Set(bills.map((line) => assetDay(line['ResourceId'], line['ChargePeriodStart'])));

/**
 * Returns what the organisation spends by month, each dollar once. Its parts are all lines of bills; assets and hosts that no
 * bill has; all of the cluster without known assets, idle included; and the AI tools.
 */
export function organisationCosts(exports: Exports, today: string): Sums {
  const { bills, prodAssets, edge, hosts, aiSpend } = exports;
  const billed = billedDays(exports);
  const unbilled = (lines: readonly Line[], id: string): Line[] =>
    lines.filter((line) => !billed.has(assetDay(line[id], line['day'])) || line[id] === '');
  return together(
    costByMonth(bills, today),
    sumBy(unbilled(prodAssets, 'provider_id'), 'cost', monthOf),
    sumBy(unbilled(hosts, 'machine_id'), 'cost', monthOf),
    sumBy(edge, 'TotalCost', monthOf),
    sumBy(aiSpend, 'cost', monthOf),
  );
}

/** Returns what an account of a bill costs by month, without the cluster and the host in it. */
export function accountCosts({ bills, prodAssets, hosts }: Exports, account: string, today: string): Sums {
  const covered = new Set([
    ...prodAssets.map((line) => assetDay(line['provider_id'], line['day'])),
    ...hosts.map((line) => assetDay(line['machine_id'], line['day'])),
  ]);
  const own = bills.filter(
    (line) =>
      line['SubAccountId'] === account &&
      // A line without a resource, such as a credit, is not an asset without an id.
      (line['ResourceId'] === '' || !covered.has(assetDay(line['ResourceId'], line['ChargePeriodStart']))),
  );
  return costByMonth(own, today);
}

/** Returns a repository's part of each day's spend on each tool, by its part of the tool's usage that day. */
export function repositoryCosts({ aiSpend, aiUsage }: Exports, repository: string): Sums {
  const toolDay = (line: Line): string => `${line['day'] ?? ''} ${line['tool'] ?? ''}`;
  const spend = sumBy(aiSpend, 'cost', toolDay);
  const use = sumBy(aiUsage, 'usage', toolDay);
  const sums: Sums = new Map();
  for (const line of aiUsage.filter((each) => each['repository'] === repository)) {
    const all = use.get(toolDay(line)) ?? 0n;
    add(sums, monthOf(line), ((spend.get(toolDay(line)) ?? 0n) * unitsOf(line['usage'] ?? '')) / all);
  }
  return sums;
}

/** Returns what the lines of a cluster with certain texts in their columns cost by month. */
export const allocated = (lines: readonly Line[], chosen: Record<string, string>): Sums =>
  sumBy(
    lines.filter((line) => Object.entries(chosen).every(([column, text]) => line[column] === text)),
    'TotalCost',
    monthOf,
  );

/** Returns what the picks of the metric Checkouts cost by month. */
export const checkoutsCosts = (exports: Exports, today: string): Sums =>
  together(
    allocated(exports.prod, { Namespace: 'checkout' }),
    allocated(exports.prod, {
      Namespace: 'search',
      ControllerKind: 'StatefulSet',
      ControllerName: 'index',
    }),
    sumBy(
      exports.hosts.filter((line) => line['host'] === 'db-1' && line['service'] === 'postgres'),
      'cost',
      monthOf,
    ),
    accountCosts(exports, '210000000004', today),
    repositoryCosts(exports, 'github.com/sample-shop/checkout'),
  );

/** Returns what the picks of the metric Open stores cost by month. */
export const storesCosts = ({ prod, edge }: Exports): Sums =>
  together(
    allocated(edge, { Namespace: 'kiosk' }),
    allocated(edge, { Namespace: 'stockroom' }),
    allocated(prod, { Namespace: 'delivery' }),
  );
