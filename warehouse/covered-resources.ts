import { billLines, LOADS_OF_COMPUTATION, ofUsedLoads } from './counted-spend.ts';
import { LENT_ASSETS, NEAREST_ASSETS } from './nearest-assets.ts';
import {
  balancerName,
  billedBalancerName,
  billedClusterName,
  fullResourceKey,
  isSameByName,
  isUniqueName,
  resourceName,
} from './resource-key.ts';

// Which bill lines are clusters' and hosts', and what clusters and hosts cost beside the bill (design §2, Every dollar
// once). Each statement creates the temporary table of its name from those before it.

/**
 * Days on which a cluster reports allocations and no assets, each with the nearest day of which its assets are known
 * (nearest-assets.ts), and what its allocations cost.
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
 * What clusters and hosts are made of, day by day, of the computation's loads. `identity` is what the bill is searched
 * for. The project is the feed's, else the one in a Google id. A host is one asset, of kind node, under the machine id that
 * any of its rows of that day names. An asset that does not stand for itself follows its cluster.
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
 * Which resources on the bill can be which assets: by the full id where both sides have one, else by name, and then
 * only where the project agrees as far as it is known. Azure's ids are always full. A load balancer is found by the
 * name inside its ARN, too, and the management fee by the cluster's own resource. `place` tells apart what has the
 * same name.
 */
const ASSET_PAIRS = `
CREATE TEMP TABLE asset_pairs AS
WITH ${LOADS_OF_COMPUTATION}, ${billLines(`resource_id IS NOT NULL AND (SELECT count(*) FROM assets WHERE provider_id IS NOT NULL OR own_cluster IS NOT NULL) > 0`)},
resources AS (
  SELECT *, ${fullResourceKey('resource_id')} AS full_key, ${resourceName('resource_id')} AS name,
    ${billedBalancerName('resource_id')} AS balancer, ${billedClusterName('resource_id')} AS own_cluster
  FROM (SELECT DISTINCT cloud, account, resource_id FROM bill_lines)),
placed AS (
  SELECT *, CASE WHEN starts_with(full_key, 'gcp/') THEN split_part(full_key, '/', 2) ELSE lower(account) END AS project FROM resources),
known AS (
  SELECT DISTINCT identity, project, full_key, name, balancer, own_cluster
  FROM assets WHERE provider_id IS NOT NULL OR own_cluster IS NOT NULL),
pairs AS (
  SELECT 'full id' AS via, cloud, account, resource_id, placed.project AS own_project, identity, known.project, '' AS place
  FROM placed JOIN known ON placed.full_key = known.full_key
  UNION ALL
  SELECT 'name', cloud, account, resource_id, placed.project, identity, known.project,
    CASE WHEN NOT ${isUniqueName('known.name')} THEN cloud || '/' || placed.project ELSE '' END
  FROM placed JOIN known ON placed.name = known.name WHERE ${isSameByName('placed', 'known')}
  UNION ALL
  -- Names of load balancers are unique in a region, the fourth part of an ARN.
  SELECT 'load balancer', cloud, account, resource_id, placed.project, identity, known.project,
    concat_ws('/', cloud, account, split_part(lower(resource_id), ':', 4))
  FROM placed JOIN known ON placed.balancer = known.balancer
  UNION ALL
  SELECT 'cluster', cloud, account, resource_id, placed.project, identity, known.project, lower(resource_id)
  FROM placed JOIN known ON placed.own_cluster = known.own_cluster)
SELECT DISTINCT via, cloud, account, resource_id, identity, place FROM pairs
WHERE via = 'full id' OR project IS NULL OR project IN (lower(account), own_project)`;

const RESOURCE_DAYS = `
CREATE TEMP TABLE resource_days AS
WITH ${LOADS_OF_COMPUTATION}, ${billLines('resource_id IS NOT NULL AND (SELECT count(*) FROM asset_pairs) > 0')}
SELECT DISTINCT month, day, cloud, account, resource_id FROM bill_lines SEMI JOIN asset_pairs USING (cloud, account, resource_id)`;

/** Names that several things have on the bills of a month: nobody knows which of them is meant. */
const AMBIGUOUS_NAMES = `
CREATE TEMP TABLE ambiguous_names AS
SELECT month, identity, via, string_agg(DISTINCT place, ', ' ORDER BY place) AS places
FROM (SELECT DISTINCT month, cloud, account, resource_id FROM resource_days) JOIN asset_pairs USING (cloud, account, resource_id)
WHERE via <> 'full id'
GROUP BY month, identity, via HAVING count(DISTINCT place) > 1`;

/**
 * Which resources on the bill are which assets: one row per day on which the bill has the resource and the cluster or
 * host the asset. What a cluster borrows counts only if a node or a disk among it is on the bill.
 */
const BILLED_ASSETS = `
CREATE TEMP TABLE billed_assets AS
WITH found AS (
  SELECT DISTINCT day, cloud, account, resource_id, identity
  FROM resource_days JOIN asset_pairs USING (cloud, account, resource_id)
  ANTI JOIN ambiguous_names USING (month, identity, via)),
billed AS (
  SELECT day, cloud, account, resource_id, identity, cluster, host, is_borrowed, stands_for_itself
  FROM found JOIN assets USING (day, identity)),
on_bill AS (SELECT DISTINCT day, cluster FROM billed WHERE stands_for_itself AND cluster IS NOT NULL)
SELECT * FROM billed
WHERE NOT is_borrowed OR EXISTS (FROM on_bill WHERE on_bill.day = billed.day AND on_bill.cluster = billed.cluster)`;

/** Whether a cluster is on a bill that day: whether any of its nodes or disks is. */
const CLUSTER_DAYS = `
CREATE TEMP TABLE cluster_days AS
WITH on_bill AS (
  SELECT DISTINCT day, cluster, true AS is_on_bill FROM billed_assets WHERE stands_for_itself AND cluster IS NOT NULL)
SELECT day, cluster, is_borrowed, COALESCE(is_on_bill, false) AS is_on_bill
FROM (SELECT DISTINCT day, cluster, is_borrowed FROM assets WHERE cluster IS NOT NULL)
LEFT JOIN on_bill USING (day, cluster)`;

/** Assets of the day that no line is for; `is_outside` of those that count on their own: the others' cluster is on the bill. */
const UNBILLED_ASSETS = `
CREATE TEMP TABLE unbilled_assets AS
SELECT assets.*, COALESCE(is_on_bill, false) AS is_on_bill,
  stands_for_itself OR NOT COALESCE(is_on_bill, false) AS is_outside
FROM (FROM assets WHERE NOT is_borrowed) AS assets
LEFT JOIN cluster_days USING (day, cluster)
ANTI JOIN (SELECT DISTINCT day, identity FROM billed_assets) AS billed USING (day, identity)`;

/** The tables, in the order in which they are made, with the statements that make them. */
export const COVERING_TABLES: Readonly<Record<string, string>> = {
  borrowed_days: BORROWED_DAYS,
  assets: ASSETS,
  asset_pairs: ASSET_PAIRS,
  resource_days: RESOURCE_DAYS,
  ambiguous_names: AMBIGUOUS_NAMES,
  billed_assets: BILLED_ASSETS,
  cluster_days: CLUSTER_DAYS,
  unbilled_assets: UNBILLED_ASSETS,
};

/** Stores whose spend a resource's lines of a day are: a cluster's before a host's, for a node can be known as both. */
export const INSERT_COVERED_RESOURCES = `
INSERT INTO covered_resources BY NAME
SELECT $org AS org_id, CAST(date_trunc('month', day) AS DATE) AS month, $computation::UUID AS computation_id, day, cloud,
  account, resource_id, min(cluster) AS cluster, CASE WHEN min(cluster) IS NULL THEN min(host) END AS host
FROM billed_assets GROUP BY ALL`;
