import { toWire, type DecimalText } from '../../../domain/shared/decimals.ts';
import { cte, ctes, type Cte } from '../../engine/sql/cte.ts';
import { onDays } from './asset-notes.ts';
import { twice, type Doubled, type DoubledScope } from './twice.ts';
import type { Warehouse } from '../../engine/warehouse.ts';

/**
 * Returns notes on clusters that another source also reports on the same days. If the cluster is on a bill, or only one of the two
 * reports assets, its total counts once. Then only the costs of its workloads count twice. Otherwise the assets that both report
 * count twice, or the allocations if no source reports assets.
 */
export async function doubledClusterNotes(warehouse: Warehouse, scope: DoubledScope): Promise<string[]> {
  const doubled = await warehouse.query<
    Doubled & { name: string; cluster: string; is_billed: boolean; workload_cost: DecimalText }
  >(SHARED_CLUSTERS, { ...scope });
  return doubled.flatMap((one) => {
    const which = `source ${JSON.stringify(one.name)} also reports cluster ${JSON.stringify(one.cluster)}`;
    if (toWire(one.cost) !== 0) return [`${which}: ${twice(one)}`];
    const workloads = toWire(one.workload_cost);
    if (workloads === 0) return [];
    const once = one.is_billed ? 'the lines of its bill count once' : 'its assets count once';
    return [`${which}: its workloads cost ${String(workloads)} twice ${onDays(one)}; ${once}`];
  });
}

/** Returns notes on clusters that another source reads from the same file and reports under another name. */
export async function doubledUnderOtherNames(
  warehouse: Warehouse,
  scope: DoubledScope,
  other: string,
): Promise<string[]> {
  const doubled = await warehouse.query<Doubled & { mine: string; theirs: string }>(SAME_CLUSTER_DAYS, {
    ...scope,
    other,
  });
  return doubled.map(
    (one) => `${twice(one)}, as cluster ${JSON.stringify(one.mine)} and as ${JSON.stringify(one.theirs)}`,
  );
}

/** Where rows of clusters are read from: all current loads of months, or the loads of one computation. */
interface ReportedRows {
  needs?: readonly Cte[];
  rowsOf: (table: 'kubernetes_spend' | 'cluster_assets') => string;
  /** Narrows computations down, after a relation with their ids. */
  computations: string;
}

/**
 * Returns the rows that sources report on clusters in some months. `counts` is true for rows that are part of the total.
 * On a day on which a cluster is on a bill, by its own assets or by borrowed ones, none of its rows count. On other days its
 * assets count if any source reports them, or else its allocations.
 */
export const reportedRows = ({ needs = [], rowsOf, computations }: ReportedRows): Cte =>
  cte({
    name: 'reported',
    needs,
    sql: `WITH billed_days AS (
  SELECT day, cluster, true AS is_billed FROM billed_clusters ${computations}
  UNION
  SELECT day, cluster, true FROM asset_decisions ${computations} AND reason = 'borrowed' AND is_on_bill),
rows AS (
  SELECT source_id, day, cluster, false AS is_asset, NOT is_idle AS is_workload,
    concat_ws('|', COALESCE(namespace, ''), COALESCE(workload, '')) AS key, sum(cost) AS cost
  FROM ${rowsOf('kubernetes_spend')} GROUP BY ALL
  UNION ALL
  SELECT source_id, day, cluster, true, false,
    concat_ws('|', kind, COALESCE(lower(provider_id), ''), COALESCE(lower(project), '')), sum(cost)
  FROM ${rowsOf('cluster_assets')} WHERE billing_period = date_trunc('month', day) GROUP BY ALL)
SELECT rows.*, COALESCE(is_billed, false) AS is_billed,
  is_billed IS NULL AND is_asset = bool_or(is_asset) OVER (PARTITION BY rows.day, rows.cluster) AS counts
FROM rows LEFT JOIN billed_days USING (day, cluster)`,
  });

const REPORTED = reportedRows({
  rowsOf: (table) => `(
    FROM ${table} SEMI JOIN current_loads USING (org_id, source_id, load_id, billing_period)
    WHERE org_id = $org AND list_contains($months, strftime(day, '%Y-%m')))`,
  computations: 'JOIN current_computations USING (org_id, month, computation_id) WHERE org_id = $org',
});

const SHARED_CLUSTERS = `
WITH ${ctes(REPORTED)},
mine AS (FROM reported WHERE source_id = $source),
theirs AS (FROM reported WHERE source_id <> $source),
cluster_days AS (
  SELECT DISTINCT theirs.source_id, day, cluster, is_billed FROM theirs JOIN mine USING (day, cluster, is_billed)),
pairs AS (
  SELECT theirs.source_id, day, cluster, counts, is_workload,
    CASE WHEN mine.cost > 0 AND theirs.cost > 0 THEN least(mine.cost, theirs.cost)
      WHEN mine.cost < 0 AND theirs.cost < 0 THEN greatest(mine.cost, theirs.cost) ELSE 0 END AS cost
  FROM mine JOIN theirs USING (day, cluster, is_asset, is_workload, counts, key)),
common AS (
  SELECT source_id, day, cluster, sum(cost) FILTER (counts) AS cost, sum(cost) FILTER (is_workload) AS workload_cost
  FROM pairs GROUP BY ALL)
SELECT name, cluster, is_billed, CAST(count(*) AS INTEGER) AS days, min(day) AS first_day, max(day) AS last_day,
  COALESCE(sum(cost), 0) AS cost, COALESCE(sum(workload_cost), 0) AS workload_cost
FROM cluster_days LEFT JOIN common USING (source_id, day, cluster)
JOIN (SELECT source_id, name FROM cost_sources WHERE org_id = $org) USING (source_id)
GROUP BY source_id, name, cluster, is_billed ORDER BY cluster, name, source_id, is_billed`;

/** Selects days on which all counted rows of two clusters are equal, because a single row can be equal by chance. */
const SAME_CLUSTER_DAYS = `
WITH ${ctes(REPORTED)},
whole_days AS (
  SELECT source_id, day, cluster, sum(cost) AS cost,
    md5(string_agg(concat_ws('|', key, cost), ',' ORDER BY key, cost)) AS fingerprint
  FROM reported WHERE counts GROUP BY ALL)
SELECT mine.cluster AS mine, theirs.cluster AS theirs, CAST(count(*) AS INTEGER) AS days, min(day) AS first_day,
  max(day) AS last_day, sum(mine.cost) AS cost
FROM (FROM whole_days WHERE source_id = $source) AS mine
JOIN (FROM whole_days WHERE source_id = $other) AS theirs USING (day, fingerprint)
WHERE mine.cluster <> theirs.cluster GROUP BY ALL HAVING sum(mine.cost) <> 0 ORDER BY ALL`;
