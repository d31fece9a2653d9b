import { cte, type Cte } from '../../engine/sql/cte.ts';

/** Returns the assets of the clusters of `borrowers`, on all days, from any published load. */
export const lentAssets = (borrowers: Cte): Cte =>
  cte({
    name: 'lent_assets',
    needs: [borrowers],
    sql: `SELECT cluster, day AS asset_day, kind, provider_id, project
  FROM cluster_assets SEMI JOIN current_loads USING (org_id, source_id, load_id, billing_period)
  WHERE org_id = $org AND cluster IN (SELECT cluster FROM ${borrowers.name})`,
  });

/**
 * Returns the nearest day whose assets are known, for each day and cluster of `borrowers`. The earlier of two equally near days
 * wins. The day is null if none is known. `assets` identifies the assets of the day. A computation that borrowed them is out of
 * date once the day or `assets` changes.
 */
export const nearestAssets = (borrowers: Cte): Cte =>
  cte({
    name: 'nearest_assets',
    needs: [borrowers, lentAssets(borrowers)],
    sql: `WITH asset_days AS (SELECT DISTINCT cluster, asset_day FROM lent_assets),
before AS (
  SELECT needs.day, needs.cluster, asset_day
  FROM ${borrowers.name} AS needs ASOF LEFT JOIN asset_days ON needs.cluster = asset_days.cluster AND needs.day >= asset_days.asset_day),
behind AS (
  SELECT needs.day, needs.cluster, asset_day
  FROM ${borrowers.name} AS needs ASOF LEFT JOIN asset_days ON needs.cluster = asset_days.cluster AND needs.day <= asset_days.asset_day),
nearest_days AS (
  SELECT day, cluster, CASE WHEN behind.asset_day IS NULL OR day - before.asset_day <= behind.asset_day - day
    THEN before.asset_day ELSE behind.asset_day END AS asset_day, COALESCE(before.asset_day < day, false) AS has_begun
  FROM before JOIN behind USING (day, cluster)),
lent_days AS (
  SELECT cluster, asset_day, md5(string_agg(asset, ',' ORDER BY asset)) AS assets
  FROM (
    SELECT DISTINCT cluster, asset_day, concat_ws('|', kind, COALESCE(provider_id, ''), COALESCE(project, '')) AS asset
    FROM lent_assets SEMI JOIN nearest_days USING (cluster, asset_day))
  GROUP BY ALL)
SELECT day, cluster, asset_day, assets, has_begun FROM nearest_days LEFT JOIN lent_days USING (cluster, asset_day)`,
  });

/** The days on which a cluster is on a bill by its own assets, by the current computations. */
export const LENDERS_ON_BILLS = cte({
  name: 'lenders_on_bills',
  sql: `SELECT DISTINCT day AS asset_day, cluster
  FROM billed_clusters JOIN current_computations USING (org_id, month, computation_id)
  WHERE org_id = $org`,
});
