import { cte, type Cte } from '../engine/sql/cte.ts';

// Every dollar once (docs/concepts.md#every-dollar-counts-once): each bill line as cloud, cluster or host spend, and everything
// else that counts. All other sums are sums of these rows.

/** The loads that the computation `$computation` reads. */
export const LOADS_OF_COMPUTATION = cte({
  name: 'used_loads',
  sql: `SELECT month, computation_id, load_id, billing_period FROM computed_loads
  WHERE org_id = $org AND computation_id = $computation::UUID`,
});

/** The loads that the current computations of the days `$start` to `$end` have read. */
export const LOADS_OF_DAYS = cte({
  name: 'used_loads',
  sql: `SELECT month, computation_id, load_id, billing_period
  FROM computed_loads JOIN current_computations USING (org_id, month, computation_id)
  WHERE org_id = $org AND month BETWEEN date_trunc('month', $start::DATE) AND $end::DATE`,
});

/** The tables with rows of units, and the SQL of a row's unit: its account, cluster, host or tool. */
const UNITS = {
  cloud_spend: `cloud || '/' || account`,
  kubernetes_spend: 'cluster',
  cluster_assets: 'cluster',
  host_spend: 'host',
  ai_tool_spend: 'tool',
  ai_usage: 'tool',
} as const;

export type UnitTable = keyof typeof UNITS;

export const unitOf = (table: UnitTable): string => UNITS[table];

/** Returns a relation with all rows of a table in the used loads, each with its month. `where` filters them first. */
export const loadedRows = (table: UnitTable, where = 'true'): string => `(
    FROM (SELECT *, CAST(date_trunc('month', day) AS DATE) AS month FROM ${table} WHERE org_id = $org AND ${where})
    JOIN used_loads USING (load_id, billing_period, month))`;

/** Returns the loaded rows without those of units that a person has ended, on days that another source has (left-out-days.ts). */
export const ofUsedLoads = (table: UnitTable, where = 'true'): string => `(
  SELECT spent.* FROM ${loadedRows(table, where)} AS spent
  ANTI JOIN (SELECT computation_id, source_id, unit, day FROM left_out_days WHERE org_id = $org) AS left_out
    ON left_out.computation_id = spent.computation_id AND left_out.source_id = spent.source_id
      AND left_out.unit = ${unitOf(table)} AND left_out.day = spent.day)`;

/** Returns the bill lines of `loads`. `where` filters them first. */
export const billLines = (loads: Cte, where: string): Cte =>
  cte({
    name: 'bill_lines',
    needs: [loads],
    sql: `SELECT month, computation_id, day, cloud, account, split_kind, split_value, tag_key, tag_value, resource_id, resource_name, zone,
    cluster, namespace, cost
  FROM ${ofUsedLoads('cloud_spend', where)}`,
  });

/**
 * Returns the bill lines of `loads` as they count. If a line's resource is an asset of a cluster or a host that day, the line is
 * cluster or host spend. So is a line of which the bill names the cluster. It keeps its account, so that the bill can be found, and
 * loses everything that can be picked. A namespace on the bill counts only on days without allocations of the cluster, which would
 * divide the same cost.
 */
export const countedLines = (loads: Cte, where: string): Cte =>
  cte({
    name: 'counted_lines',
    needs: [loads, billLines(loads, where)],
    sql: `SELECT bill_lines.month, bill_lines.day,
    CASE WHEN bill_lines.cluster IS NOT NULL OR covered.cluster IS NOT NULL THEN 'kubernetes'
      WHEN covered.host IS NOT NULL THEN 'hosts' ELSE 'cloud' END AS source,
    bill_lines.cloud, bill_lines.account,
    ${['split_kind', 'split_value', 'tag_key', 'tag_value']
      .map(
        (value) =>
          `CASE WHEN bill_lines.cluster IS NULL AND covered.day IS NULL THEN ${value} END AS ${value},`,
      )
      .join('\n    ')}
    COALESCE(bill_lines.cluster, covered.cluster) AS cluster,
    CASE WHEN allocated.day IS NULL THEN bill_lines.namespace END AS namespace,
    CASE WHEN bill_lines.cluster IS NULL THEN covered.host END AS host, cost
  FROM bill_lines LEFT JOIN (SELECT DISTINCT computation_id, day, cluster FROM ${ALLOCATED}) AS allocated
    ON allocated.computation_id = bill_lines.computation_id AND allocated.day = bill_lines.day AND allocated.cluster = bill_lines.cluster
  LEFT JOIN (
    SELECT day, cloud, account, resource_id, computation_id, cluster, host FROM covered_resources
    WHERE org_id = $org AND computation_id IN (SELECT computation_id FROM used_loads)) AS covered
    ON covered.day = bill_lines.day AND covered.cloud = bill_lines.cloud AND covered.account = bill_lines.account
      AND covered.resource_id = bill_lines.resource_id AND covered.computation_id = bill_lines.computation_id`,
  });

/** The allocations of clusters that bills name, too. Most organisations have no such bill. */
const ALLOCATED = ofUsedLoads(
  'kubernetes_spend',
  'cluster IN (SELECT cluster FROM cloud_spend WHERE org_id = $org AND cluster IS NOT NULL)',
);

/** The days on which a bill names a cluster. */
export const CLUSTERS_ON_BILLS = cte({
  name: 'clusters_on_bills',
  needs: [LOADS_OF_COMPUTATION],
  sql: `SELECT DISTINCT day, cluster FROM ${ofUsedLoads('cloud_spend', 'cluster IS NOT NULL')}`,
});
