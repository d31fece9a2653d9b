import { billLines, LOADS_OF_COMPUTATION, ofUsedLoads } from '../counted-spend.ts';
import { LENDERS_ON_BILLS, LENT_ASSETS, NEAREST_ASSETS } from './nearest-assets.ts';
import {
  balancerName,
  billedBalancerName,
  billedClusterName,
  fullResourceKey,
  googleZone,
  isSameByName,
  isUniqueName,
  resourceName,
} from './resource-key.ts';

// Finds the bill lines of clusters and hosts, and their costs beside the bill (design §2, Every dollar once). Each statement
// creates the temporary table of its name from those before it.

/**
 * Days on which a cluster reports allocations but no assets. Each has the cost of the allocations, and the nearest day whose
 * assets are known (nearest-assets.ts).
 */
const BORROWED_DAYS = `
CREATE TEMP TABLE borrowed_days AS
WITH ${LOADS_OF_COMPUTATION},
needs AS (
  SELECT day, cluster, sum(cost) AS cost FROM ${ofUsedLoads('kubernetes_spend')}
  ANTI JOIN (SELECT DISTINCT day, cluster FROM ${ofUsedLoads('cluster_assets')}) AS own USING (day, cluster)
  GROUP BY ALL),
${NEAREST_ASSETS}
SELECT * FROM needs JOIN nearest_assets USING (day, cluster)`;

/**
 * The assets of clusters and hosts on each day, from the computation's loads. `identity` identifies an asset in the search for
 * its bill lines. The project is the feed's, or else the one in a Google id. A host is one asset of kind node, with the machine
 * id of any of its rows on that day. An asset that does not stand for itself follows its cluster.
 */
const ASSETS = `
CREATE TEMP TABLE assets AS
WITH ${LOADS_OF_COMPUTATION},
needs AS (SELECT day, cluster FROM borrowed_days),
${LENT_ASSETS},
cluster_assets_of_days AS (
  SELECT day, cluster, CAST(NULL AS VARCHAR) AS host, kind, provider_id, lower(project) AS project, sum(cost) AS cost,
    false AS is_borrowed
  FROM ${ofUsedLoads('cluster_assets')}
  GROUP BY ALL
  UNION ALL
  SELECT DISTINCT borrowed_days.day, cluster, CAST(NULL AS VARCHAR), kind, provider_id, lower(project), CAST(0 AS DECIMAL(38,15)), true
  FROM borrowed_days JOIN lent_assets USING (cluster, asset_day)),
host_rows AS (
  SELECT day, host, cost, COALESCE(machine_id, max(machine_id) OVER (PARTITION BY day, host)) AS machine_id
  FROM ${ofUsedLoads('host_spend')}),
host_days AS (
  SELECT day, CAST(NULL AS VARCHAR) AS cluster, host, 'node' AS kind, machine_id AS provider_id,
    CAST(NULL AS VARCHAR) AS project, sum(cost) AS cost, false AS is_borrowed
  FROM host_rows GROUP BY ALL),
named AS (
  SELECT * REPLACE (COALESCE(project, CASE WHEN starts_with(full_key, 'gcp/') THEN split_part(full_key, '/', 2) END) AS project)
  FROM (
    SELECT *, ${fullResourceKey('provider_id')} AS full_key, ${resourceName('provider_id')} AS name,
      CASE kind WHEN 'load_balancer' THEN ${balancerName('provider_id')} END AS balancer,
      CASE kind WHEN 'management' THEN lower(cluster) END AS own_cluster,
      host IS NOT NULL OR (kind IN ('node', 'disk') AND provider_id IS NOT NULL) AS stands_for_itself
    FROM (FROM cluster_assets_of_days UNION ALL FROM host_days)))
SELECT *, concat_ws('|', COALESCE(provider_id, ''), COALESCE(project, ''), COALESCE(balancer, ''), COALESCE(own_cluster, '')) AS identity
FROM named`;

/**
 * Pairs of a resource on the bill and an asset that can be the same. They match by the full id if both have one, or else by
 * name. Matches by name need the same project, if it is known. Azure's ids are always full. A load balancer also matches by the
 * name inside its ARN, and the management fee by the cluster's own resource. `place` distinguishes resources of the same
 * name, and so does `zone` if Google's bill has it.
 */
const ASSET_PAIRS = `
CREATE TEMP TABLE asset_pairs AS
WITH ${LOADS_OF_COMPUTATION}, ${billLines(`resource_id IS NOT NULL AND (SELECT count(*) FROM assets WHERE provider_id IS NOT NULL OR own_cluster IS NOT NULL) > 0`)},
resources AS (
  SELECT *, ${fullResourceKey('resource_id')} AS full_key, ${resourceName('resource_id')} AS name,
    ${billedBalancerName('resource_id')} AS balancer, ${billedClusterName('resource_id')} AS own_cluster,
    ${googleZone('resource_id')} AS zone
  FROM (SELECT DISTINCT cloud, account, resource_id FROM bill_lines)),
placed AS (
  SELECT *, CASE WHEN starts_with(full_key, 'gcp/') THEN split_part(full_key, '/', 2) ELSE lower(account) END AS project FROM resources),
known AS (
  SELECT DISTINCT identity, project, full_key, name, balancer, own_cluster
  FROM assets WHERE provider_id IS NOT NULL OR own_cluster IS NOT NULL),
pairs AS (
  SELECT 'full id' AS via, cloud, account, resource_id, placed.project AS own_project, identity, known.project, '' AS place,
    CAST(NULL AS VARCHAR) AS zone
  FROM placed JOIN known ON placed.full_key = known.full_key
  UNION ALL
  SELECT 'name', cloud, account, resource_id, placed.project, identity, known.project,
    CASE WHEN NOT ${isUniqueName('known.name')} THEN cloud || '/' || placed.project ELSE '' END,
    cloud || '/' || placed.project || '/' || placed.zone
  FROM placed JOIN known ON placed.name = known.name
  WHERE ${isSameByName('placed', 'known')} AND COALESCE(placed.balancer <> known.balancer, true)
  UNION ALL
  -- Names of load balancers are unique in a region, the fourth part of an ARN.
  SELECT 'load balancer', cloud, account, resource_id, placed.project, identity, known.project,
    concat_ws('/', cloud, account, split_part(lower(resource_id), ':', 4)), NULL
  FROM placed JOIN known ON placed.balancer = known.balancer
  UNION ALL
  SELECT 'cluster', cloud, account, resource_id, placed.project, identity, known.project, lower(resource_id), NULL
  FROM placed JOIN known ON placed.own_cluster = known.own_cluster)
SELECT DISTINCT via, cloud, account, resource_id, identity, place, zone FROM pairs
WHERE via = 'full id' OR project IS NULL OR project IN (lower(account), own_project)`;

const RESOURCE_DAYS = `
CREATE TEMP TABLE resource_days AS
WITH ${LOADS_OF_COMPUTATION}, ${billLines('resource_id IS NOT NULL AND (SELECT count(*) FROM asset_pairs) > 0')}
SELECT DISTINCT month, day, cloud, account, resource_id FROM bill_lines SEMI JOIN asset_pairs USING (cloud, account, resource_id)`;

/** Names that several resources have on the bills of a month, so that a match would be a guess. */
const AMBIGUOUS_NAMES = `
CREATE TEMP TABLE ambiguous_names AS
SELECT month, identity, via, string_agg(DISTINCT COALESCE(zone, place), ', ' ORDER BY COALESCE(zone, place)) AS places
FROM (SELECT DISTINCT month, cloud, account, resource_id FROM resource_days) JOIN asset_pairs USING (cloud, account, resource_id)
WHERE via <> 'full id'
GROUP BY month, identity, via HAVING count(DISTINCT place) > 1 OR count(DISTINCT zone) > 1`;

/**
 * Resources on the bill with the asset that each one is, borrowed assets included. There is a row for each day on which the
 * bill has the resource, and the cluster or host has the asset.
 */
const FOUND_ASSETS = `
CREATE TEMP TABLE found_assets AS
WITH found AS (
  SELECT DISTINCT day, cloud, account, resource_id, identity
  FROM resource_days JOIN asset_pairs USING (cloud, account, resource_id)
  ANTI JOIN ambiguous_names USING (month, identity, via))
SELECT day, cloud, account, resource_id, identity, cluster, host, is_borrowed, stands_for_itself
FROM found JOIN assets USING (day, identity)`;

/**
 * Whether a cluster is on a bill that day, because any of its nodes or disks is. If it borrows its assets, the bill of the day
 * that lends them counts too. Other machines may have replaced those assets since. For that day, this computation's decision
 * overrides an earlier one.
 */
const CLUSTER_DAYS = `
CREATE TEMP TABLE cluster_days AS
WITH ${LENDERS_ON_BILLS},
days AS (
  SELECT day, cluster, is_borrowed, bool_or(billed.day IS NOT NULL) AS is_found
  FROM (SELECT DISTINCT day, cluster, is_borrowed FROM assets WHERE cluster IS NOT NULL) AS all_days
  LEFT JOIN (SELECT day, cluster FROM found_assets WHERE stands_for_itself) AS billed USING (day, cluster)
  GROUP BY ALL),
lenders AS (
  SELECT day AS asset_day, cluster FROM days WHERE is_found AND NOT is_borrowed
  UNION
  SELECT asset_day, cluster FROM lenders_on_bills
  WHERE date_trunc('month', asset_day) NOT IN (
    SELECT month FROM computed_loads WHERE org_id = $org AND computation_id = $computation::UUID))
SELECT day, cluster, is_borrowed, is_found OR lenders.cluster IS NOT NULL AS is_on_bill,
  lenders.cluster IS NOT NULL AS lender_is_on_bill
FROM days LEFT JOIN borrowed_days USING (day, cluster) LEFT JOIN lenders USING (cluster, asset_day)`;

/** The found assets that count. Those that a cluster borrows count only on days on which it is on a bill. */
const BILLED_ASSETS = `
CREATE TEMP TABLE billed_assets AS
SELECT * FROM found_assets
WHERE NOT is_borrowed
  OR EXISTS (
    FROM cluster_days
    WHERE is_on_bill AND cluster_days.day = found_assets.day AND cluster_days.cluster = found_assets.cluster)`;

/** Assets of a day without a bill line. `is_outside` is true if they count. It is false if they follow a cluster on a bill. */
const UNBILLED_ASSETS = `
CREATE TEMP TABLE unbilled_assets AS
SELECT assets.*, COALESCE(is_on_bill, false) AS is_on_bill,
  stands_for_itself OR NOT COALESCE(is_on_bill, false) AS is_outside
FROM (FROM assets WHERE NOT is_borrowed) AS assets
LEFT JOIN cluster_days USING (day, cluster)
ANTI JOIN (SELECT DISTINCT day, identity FROM billed_assets) AS billed USING (day, identity)`;

/** The tables with the statements that create them, in the order of creation. */
export const COVERING_TABLES: Readonly<Record<string, string>> = {
  borrowed_days: BORROWED_DAYS,
  assets: ASSETS,
  asset_pairs: ASSET_PAIRS,
  resource_days: RESOURCE_DAYS,
  ambiguous_names: AMBIGUOUS_NAMES,
  found_assets: FOUND_ASSETS,
  cluster_days: CLUSTER_DAYS,
  billed_assets: BILLED_ASSETS,
  unbilled_assets: UNBILLED_ASSETS,
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
