// Decisions about assets without a bill line of their own. They are kept for notes and reconciliation.

/**
 * Stores the decisions of a computation:
 *
 * - `followed`: assets that follow their cluster,
 * - `borrowed`: days on which a cluster borrows its nearest known assets. A day is stored even if no assets are known, because
 *   the month must be computed again once a later load brings some,
 * - `ambiguous`: machines and disks, borrowed ones included, whose name the bills have in several accounts, projects or zones,
 * - `unmatched`: machines and disks with an id that matches no line of a bill (unmatched-machines.ts), by name,
 * - `shared`: machines and disks that count in another cluster, which is in `places`.
 */
export const INSERT_ASSET_DECISIONS = `
INSERT INTO asset_decisions BY NAME
WITH decisions AS (
  SELECT 'followed' AS reason, day, cluster, CAST(NULL AS VARCHAR) AS host, is_on_bill, CAST(NULL AS DATE) AS asset_day,
    CAST(NULL AS VARCHAR) AS assets, CAST(NULL AS BOOLEAN) AS lender_is_on_bill, CAST(NULL AS VARCHAR) AS name,
    CAST(NULL AS VARCHAR) AS places, sum(cost) AS cost
  FROM unbilled_assets WHERE NOT stands_for_itself GROUP BY ALL
  UNION ALL
  SELECT 'borrowed', day, cluster, NULL, COALESCE(is_on_bill, false), asset_day, assets,
    COALESCE(lender_is_on_bill, false), CASE WHEN is_only_told THEN 'always' END, NULL, cost
  FROM borrowed_days LEFT JOIN cluster_days USING (day, cluster)
  UNION ALL
  SELECT 'ambiguous', day, cluster, host, false, NULL, NULL, NULL, provider_id, places, sum(cost)
  FROM (
    SELECT day, month, cluster, host, provider_id, identity, CASE WHEN is_outside THEN cost ELSE 0 END AS cost
    FROM unbilled_assets WHERE stands_for_itself
    UNION ALL
    SELECT day, month, cluster, host, provider_id, identity, cost
    FROM assets ANTI JOIN found_assets USING (day, identity) WHERE is_borrowed AND stands_for_itself)
  JOIN (FROM ambiguous_names WHERE via = 'name') USING (month, identity) GROUP BY ALL
  UNION ALL
  SELECT 'unmatched', day, cluster, host, is_on_bill, NULL, NULL, NULL, provider_id, source_id, sum(cost)
  FROM unmatched_machines GROUP BY ALL
  UNION ALL
  SELECT 'shared', day, cluster, host, is_on_bill, NULL, NULL, NULL, provider_id, counted_by, sum(cost)
  FROM unbilled_assets WHERE counted_by IS NOT NULL AND cost <> 0 GROUP BY ALL)
SELECT $org AS org_id, CAST(date_trunc('month', day) AS DATE) AS month, $computation::UUID AS computation_id, * FROM decisions`;
