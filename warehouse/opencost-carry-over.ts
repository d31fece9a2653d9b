// A load replaces a whole month. What an API was not asked for, and what it has forgotten since, is taken over from
// the current load of that month: of the days that the new reading lacks, as they stand.

/** Of the months that the new reading touches. */
const FROM_CURRENT = `
  SEMI JOIN current_loads USING (org_id, source_id, load_id, billing_period)
  WHERE org_id = $org AND source_id = $source
    AND billing_period IN (SELECT CAST(date_trunc('month', day) AS DATE) FROM load_days)`;

/** Adds the allocations to `load_days`; they were read by an earlier run. */
export const CARRY_OVER_ALLOCATIONS = `
INSERT INTO temp.main.load_days BY NAME
SELECT day, cluster, namespace, workload, is_idle, cost, 0 AS row_count
FROM kubernetes_spend ${FROM_CURRENT} AND day NOT IN (SELECT day FROM load_days)`;

/** Adds the assets to `asset_days`. */
export const CARRY_OVER_ASSETS = `
INSERT INTO temp.main.asset_days BY NAME
SELECT day, cluster, kind, provider_id, project, cost, 0 AS row_count
FROM cluster_assets ${FROM_CURRENT} AND day NOT IN (SELECT day FROM asset_days)`;
