import { ALLOCATION_COLUMNS, ASSET_COLUMNS } from './opencost-columns.ts';
import { nullable } from '../feeds/cells.ts';
import { problem } from '../feeds/problems.ts';
import { LAST_FILE, REJECTED_FILE, sumOfKnown } from '../feeds/rejected-rows.ts';
import type { Relation } from '../feeds/scan-files.ts';
import { checkedRows } from '../feeds/tabular-rows.ts';
import { lineSums, type TableFeed } from '../publishing/lines-twice.ts';

/** Returns an amount, 0 if its cell is empty, null if it cannot be read. */
const ifEmpty = (amount: string): string =>
  `CASE WHEN ${nullable(`trim(raw_${amount})`)} IS NULL THEN 0 ELSE ${amount} END`;

/**
 * Returns the CTEs that read allocations. `counts` is false for shared and external cost, which is neither a workload nor idle
 * capacity. `named_line` is the line of a container that is named.
 */
const checkedWorkloads = (relations: readonly Relation[]): string => `
${checkedRows(relations, ALLOCATION_COLUMNS)},
named_rows AS (
  SELECT *, concat_ws('/', name, namespace, controller, pod, container) AS names,
    total - ${ifEmpty('shared')} - ${ifEmpty('external')} AS direct_cost
  FROM checked_rows),
checked_workloads AS (
  SELECT *, contains(names, '__idle__') AS is_idle,
    is_wanted AND NOT (contains(names, '__shared__') OR contains(names, '__external__')) AS counts,
    CASE
      WHEN COALESCE(controller, '__unallocated__') = '__unallocated__' THEN '__unallocated__'
      WHEN COALESCE(controller_kind, '__unallocated__') = '__unallocated__' THEN controller
      ELSE lower(controller_kind) || '/' || controller
    END AS workload,
    CASE WHEN (name IS NOT NULL OR (pod IS NOT NULL AND container IS NOT NULL)) AND NOT contains(names, '__') THEN line END AS named_line
  FROM named_rows)`;

/**
 * The containers of clusters. The pods of a deployment have equal lines if nothing names them, and so have idle capacity and what
 * belongs to no workload.
 */
export const ALLOCATION_LINES: TableFeed = {
  unit: 'cluster',
  line: 'allocation of cluster',
  rows: (relations) => `
WITH ${checkedWorkloads(relations)}
SELECT file, day, COALESCE(cluster, $cluster) AS unit, direct_cost AS cost, named_line AS line, true AS is_named
FROM checked_workloads WHERE problem IS NULL AND counts`,
  fewestNamed: 1,
};

/**
 * Rolls allocations up to day, cluster, namespace and workload, direct cost only (docs/data-formats.md#opencost-and-kubecost).
 * `$cluster` is the cluster of rows that name no cluster.
 */
export const allocationGroups = (relations: readonly Relation[]): string => `
WITH ${checkedWorkloads(relations)}
SELECT problem, ${REJECTED_FILE}, ${LAST_FILE}, day, counts,
  COALESCE(cluster, $cluster) AS cluster,
  CASE WHEN NOT is_idle THEN COALESCE(namespace, '__unallocated__') END AS namespace,
  CASE WHEN NOT is_idle THEN workload END AS workload,
  is_idle, ${sumOfKnown('direct_cost')} AS cost, count(*) AS row_count, ${lineSums('named_line')}
FROM checked_workloads GROUP BY ALL`;

/** The stored kind of an asset, `none` for a kind without an id on a bill, null for an unknown kind. */
const KIND = `CASE replace(replace(lower(kind), '_', ''), ' ', '')
    WHEN 'node' THEN 'node' WHEN 'disk' THEN 'disk' WHEN 'loadbalancer' THEN 'load_balancer'
    WHEN 'clustermanagement' THEN 'management' WHEN 'management' THEN 'management'
    WHEN 'network' THEN 'none' WHEN 'cloud' THEN 'none' WHEN 'shared' THEN 'none' END`;

const assetRows = (relations: readonly Relation[]): string =>
  checkedRows(relations, ASSET_COLUMNS, [
    `WHEN ${KIND} IS NULL THEN ${problem('kind', "'Node, Disk, LoadBalancer or ClusterManagement'", 'raw_kind')}`,
  ]);

const COUNTS = `COALESCE(is_wanted AND ${KIND} <> 'none', false)`;

const NAMED_LINE = 'CASE WHEN provider_id IS NOT NULL THEN line END';

/** The assets of clusters. Two disks of one size have equal lines if they have no id. */
export const ASSET_LINES: TableFeed = {
  unit: 'cluster',
  line: 'asset of cluster',
  rows: (relations) => `
WITH ${assetRows(relations)}
SELECT file, day, COALESCE(cluster, $cluster) AS unit, cost, ${NAMED_LINE} AS line, true AS is_named
FROM checked_rows WHERE problem IS NULL AND ${COUNTS}`,
  fewestNamed: 1,
};

/**
 * Rolls cluster assets up to day, cluster, kind and id. Rows of the month before `$start` only lend assets: the run neither
 * counts nor rejects them.
 */
export const assetGroups = (relations: readonly Relation[]): string => `
WITH ${assetRows(relations)}
SELECT problem, ${COUNTS} AS counts,
  COALESCE(NOT is_wanted AND day BETWEEN $start::DATE - INTERVAL 1 MONTH AND $start::DATE AND ${KIND} <> 'none'
    AND cost IS NOT NULL, false) AS lends,
  ${REJECTED_FILE}, ${LAST_FILE}, day, COALESCE(cluster, $cluster) AS cluster, ${KIND} AS kind,
  provider_id, project, sum(cost) AS cost, count(*) AS row_count,
  ${lineSums(NAMED_LINE)}
FROM checked_rows GROUP BY ALL`;
