// Decisions about assets without a bill line of their own. They are kept for notes and reconciliation (design §2: never hidden).

/**
 * Stores the decisions of a computation:
 *
 * - `followed`: assets that follow their cluster,
 * - `borrowed`: days on which a cluster borrows its nearest known assets. A day is stored even if no assets are known, because
 *   the month must be computed again once a later load brings some,
 * - `ambiguous`: machines and disks, borrowed ones included, whose name the bills have in several accounts, projects or zones.
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
    COALESCE(lender_is_on_bill, false), NULL, NULL, cost
  FROM borrowed_days LEFT JOIN cluster_days USING (day, cluster)
  UNION ALL
  SELECT 'ambiguous', day, cluster, host, false, NULL, NULL, NULL, provider_id, places, sum(cost)
  FROM (
    SELECT day, CAST(date_trunc('month', day) AS DATE) AS month, cluster, host, provider_id, identity, cost
    FROM (
      SELECT * EXCLUDE (is_on_bill, is_outside) FROM unbilled_assets
      UNION ALL BY NAME
      SELECT * FROM assets ANTI JOIN found_assets USING (day, identity) WHERE is_borrowed)
    WHERE stands_for_itself)
  JOIN (FROM ambiguous_names WHERE via = 'name') USING (month, identity) GROUP BY ALL)
SELECT $org AS org_id, CAST(date_trunc('month', day) AS DATE) AS month, $computation::UUID AS computation_id, * FROM decisions`;
