import { ctes } from '../../engine/sql/cte.ts';
import { CLUSTERS_ON_BILLS } from '../counted-spend.ts';
import { ASSETS, BILL_DAYS_OF_CLOUDS, BORROWED_DAYS, REPORTERS } from './reported-assets.ts';
import { AMBIGUOUS_NAMES, ASSET_PAIRS, FOUND_ASSETS, RESOURCE_DAYS } from './matched-resources.ts';
import { LENDERS_ON_BILLS } from './nearest-assets.ts';
import { isSameByName } from './resource-key.ts';
import { UNMATCHED_MACHINES } from './unmatched-machines.ts';

// Finds the bill lines of clusters and hosts, and their costs beside the bill (docs/concepts.md#every-dollar-counts-once). Each
// statement creates the temporary table of its name from those before it.

/** The clusters and hosts of sources that say always, on days that any bill has delivered. */
const TOLD_ON_BILL = `(
    SELECT day, cluster, host FROM reporters WHERE on_bill = 'always' AND day IN (SELECT day FROM bill_days_of_clouds)) AS told`;

/**
 * Whether a cluster is on a bill that day, because any of its nodes or disks is. If it borrows its assets, the bill of the day
 * that lends them counts too. Other machines may have replaced those assets since. For that day, this computation's decision
 * overrides an earlier one. A bill can name a cluster itself. A source can also say that its clusters are always on a
 * bill, which counts on days that any bill has delivered.
 */
const CLUSTER_DAYS = `
CREATE TEMP TABLE cluster_days AS
WITH ${ctes(LENDERS_ON_BILLS, CLUSTERS_ON_BILLS)},
told AS (SELECT day, cluster FROM ${TOLD_ON_BILL} WHERE cluster IS NOT NULL),
days AS (
  SELECT day, cluster, is_borrowed, bool_or(billed.day IS NOT NULL) AS is_found, bool_or(told.day IS NOT NULL) AS is_told
  FROM (
    SELECT day, cluster, is_borrowed FROM assets WHERE cluster IS NOT NULL
    UNION SELECT day, cluster, true FROM borrowed_days SEMI JOIN (FROM told UNION FROM clusters_on_bills) AS known USING (day, cluster)) AS all_days
  LEFT JOIN (SELECT day, cluster FROM found_assets WHERE is_machine UNION FROM clusters_on_bills) AS billed USING (day, cluster)
  LEFT JOIN told USING (day, cluster)
  GROUP BY ALL),
lenders AS (
  SELECT day AS asset_day, cluster FROM days WHERE (is_found OR is_told) AND NOT is_borrowed
  UNION
  SELECT asset_day, cluster FROM lenders_on_bills
  WHERE date_trunc('month', asset_day) NOT IN (
    SELECT month FROM computed_loads WHERE org_id = $org AND computation_id = $computation::UUID))
SELECT day, cluster, is_borrowed, is_found OR is_told OR lenders.cluster IS NOT NULL AS is_on_bill,
  is_told AND NOT is_found AND lenders.cluster IS NULL AS is_only_told, lenders.cluster IS NOT NULL AS lender_is_on_bill
FROM days LEFT JOIN borrowed_days USING (day, cluster) LEFT JOIN lenders USING (cluster, asset_day)`;

/** The found assets that count. Those that a cluster borrows count only on days on which it is on a bill. */
const BILLED_ASSETS = `
CREATE TEMP TABLE billed_assets AS
SELECT * FROM found_assets
WHERE NOT is_borrowed
  OR EXISTS (
    FROM cluster_days
    WHERE is_on_bill AND cluster_days.day = found_assets.day AND cluster_days.cluster = found_assets.cluster)`;

/**
 * Assets of a day without a bill line. `is_outside` is true if they count. These do not count:
 *
 * - The asset follows a cluster on a bill.
 * - The source of the machine says that its machines are always on a bill (`is_told_on_bill`).
 * - Another cluster also has the machine, by an id of the cloud, and is on the bill or has the first name (`counted_by`).
 * - The machine of the host is also a cluster's.
 */
const UNBILLED_ASSETS = `
CREATE TEMP TABLE unbilled_assets AS
WITH own AS (
  SELECT * FROM assets ANTI JOIN (SELECT DISTINCT day, identity FROM billed_assets) AS billed USING (day, identity)
  WHERE NOT is_borrowed),
-- If a cluster is on a bill by borrowed assets, only its bill lines count. Its other borrowed machines do not replace a host.
cluster_machines AS (
  SELECT DISTINCT day, full_key, name, project FROM assets JOIN cluster_days USING (day, cluster)
  WHERE provider_id IS NOT NULL AND NOT (cluster_days.is_borrowed AND is_on_bill)),
counting AS (
  SELECT day, machine_key, COALESCE(min(cluster) FILTER (is_billed), min(cluster)) AS counted_by
  FROM (
    SELECT day, machine_key, cluster, true AS is_billed FROM billed_assets
    UNION ALL SELECT day, machine_key, cluster, false FROM own WHERE stands_for_itself)
  WHERE cluster IS NOT NULL AND machine_key IS NOT NULL GROUP BY ALL),
decided AS (
  SELECT own.*, COALESCE(cluster_days.is_on_bill, false) AS is_on_bill, reporters.on_bill, reporters.source_id,
    CASE WHEN stands_for_itself AND counted_by <> own.cluster THEN counted_by END AS counted_by,
    own.host IS NOT NULL AND (
      EXISTS (FROM cluster_machines WHERE cluster_machines.day = own.day AND cluster_machines.full_key = own.full_key)
      OR EXISTS (
        FROM cluster_machines WHERE cluster_machines.day = own.day AND cluster_machines.name = own.name
          AND ${isSameByName('cluster_machines', 'own')}
          AND (cluster_machines.project = own.project OR cluster_machines.project IS NULL OR own.project IS NULL))) AS is_of_cluster,
    EXISTS (
      FROM ${TOLD_ON_BILL} WHERE told.day = own.day AND told.cluster IS NOT DISTINCT FROM own.cluster
        AND told.host IS NOT DISTINCT FROM own.host) AS is_told
  FROM own
  LEFT JOIN cluster_days ON cluster_days.day = own.day AND cluster_days.cluster = own.cluster
  LEFT JOIN counting ON counting.day = own.day AND counting.machine_key = own.machine_key
  LEFT JOIN reporters ON reporters.day = own.day AND reporters.cluster IS NOT DISTINCT FROM own.cluster
    AND reporters.host IS NOT DISTINCT FROM own.host)
SELECT * EXCLUDE (is_told, is_of_cluster), stands_for_itself AND is_told AND counted_by IS NULL AND NOT is_of_cluster AS is_told_on_bill,
  CASE WHEN stands_for_itself THEN counted_by IS NULL AND NOT is_told AND NOT is_of_cluster ELSE NOT is_on_bill END AS is_outside
FROM decided`;

/** The tables with the statements that create them, in the order of creation. */
export const COVERING_TABLES: Readonly<Record<string, string>> = {
  borrowed_days: BORROWED_DAYS,
  reporters: REPORTERS,
  bill_days_of_clouds: BILL_DAYS_OF_CLOUDS,
  assets: ASSETS,
  asset_pairs: ASSET_PAIRS,
  resource_days: RESOURCE_DAYS,
  ambiguous_names: AMBIGUOUS_NAMES,
  found_assets: FOUND_ASSETS,
  cluster_days: CLUSTER_DAYS,
  billed_assets: BILLED_ASSETS,
  unbilled_assets: UNBILLED_ASSETS,
  unmatched_machines: UNMATCHED_MACHINES,
};

/** Stores the cluster or host of a resource's lines on a day. A node that is known as both belongs to the cluster. */
export const INSERT_COVERED_RESOURCES = `
INSERT INTO covered_resources BY NAME
SELECT $org AS org_id, CAST(date_trunc('month', day) AS DATE) AS month, $computation::UUID AS computation_id, day, cloud,
  account, resource_id, min(cluster) AS cluster, CASE WHEN min(cluster) IS NULL THEN min(host) END AS host
FROM billed_assets GROUP BY ALL`;

/** Stores the days on which a cluster is on a bill by its own assets, because days that borrow from them depend on it. */
export const INSERT_BILLED_CLUSTERS = `
INSERT INTO billed_clusters BY NAME
SELECT $org AS org_id, CAST(date_trunc('month', day) AS DATE) AS month, $computation::UUID AS computation_id, day, cluster
FROM cluster_days WHERE is_on_bill AND NOT is_borrowed`;
