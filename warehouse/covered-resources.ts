import { billLines, LOADS_OF_COMPUTATION, ofUsedLoads } from './counted-spend.ts';
import { fullResourceKey, isSameByName, resourceName } from './resource-key.ts';

/**
 * What clusters and hosts are made of, day by day: one row per asset that has an id, of the computation's loads.
 * The project is the feed's, else the one in a Google id. A host is one asset, of kind node, under the machine id that
 * any of its rows of that day names. Creates the temporary table `assets`.
 */
export const ASSETS = `
CREATE TEMP TABLE assets AS
WITH ${LOADS_OF_COMPUTATION},
cluster_days AS (
  SELECT day, cluster, CAST(NULL AS VARCHAR) AS host, provider_id, lower(project) AS project, sum(cost) AS cost
  FROM ${ofUsedLoads('cluster_assets')}
  GROUP BY ALL),
host_rows AS (
  SELECT day, host, cost, COALESCE(machine_id, max(machine_id) OVER (PARTITION BY day, host)) AS machine_id
  FROM ${ofUsedLoads('host_spend')}),
host_days AS (
  SELECT day, CAST(NULL AS VARCHAR) AS cluster, host, machine_id AS provider_id, CAST(NULL AS VARCHAR) AS project,
    sum(cost) AS cost
  FROM host_rows GROUP BY ALL)
SELECT * REPLACE (COALESCE(project, CASE WHEN starts_with(full_key, 'gcp/') THEN split_part(full_key, '/', 2) END) AS project)
FROM (
  SELECT *, ${fullResourceKey('provider_id')} AS full_key, ${resourceName('provider_id')} AS name
  FROM (FROM cluster_days UNION ALL FROM host_days))`;

/**
 * Which resources on the bill are which assets: by the full id where both sides have one, else by name, and then
 * only where the project agrees as far as it is known. Azure's ids are always full. Creates the temporary table
 * `billed_assets`: resource and asset, one row per day on which the bill has the resource and the cluster or host
 * the asset.
 */
export const BILLED_ASSETS = `
CREATE TEMP TABLE billed_assets AS
WITH ${LOADS_OF_COMPUTATION}, ${billLines(`resource_id IS NOT NULL AND (SELECT count(*) FROM assets WHERE provider_id IS NOT NULL) > 0`)},
resources AS (
  SELECT *, ${fullResourceKey('resource_id')} AS full_key, ${resourceName('resource_id')} AS name
  FROM (SELECT DISTINCT cloud, account, resource_id FROM bill_lines)),
known AS (SELECT DISTINCT provider_id, project, full_key, name FROM assets WHERE provider_id IS NOT NULL),
pairs AS (
  SELECT cloud, account, resource_id, provider_id, known.project
  FROM resources JOIN known ON resources.full_key = known.full_key
  UNION
  SELECT cloud, account, resource_id, provider_id, known.project
  FROM resources JOIN known ON resources.name = known.name
  WHERE ${isSameByName('resources', 'known')}
    AND (known.project IS NULL OR known.project = lower(account)
      OR known.project = split_part(resources.full_key, '/', 2))),
resource_days AS (
  SELECT DISTINCT day, cloud, account, resource_id FROM bill_lines SEMI JOIN pairs USING (cloud, account, resource_id))
SELECT day, cloud, account, resource_id, provider_id, assets.project, cluster, host
FROM resource_days JOIN pairs USING (cloud, account, resource_id)
JOIN assets USING (day, provider_id) WHERE assets.project IS NOT DISTINCT FROM pairs.project`;

/** Stores whose spend a resource's lines of a day are: a cluster's before a host's, for a node can be known as both. */
export const INSERT_COVERED_RESOURCES = `
INSERT INTO covered_resources BY NAME
SELECT $org AS org_id, CAST(date_trunc('month', day) AS DATE) AS month, $computation::UUID AS computation_id, day, cloud,
  account, resource_id, min(cluster) AS cluster, CASE WHEN min(cluster) IS NULL THEN min(host) END AS host
FROM billed_assets GROUP BY ALL`;
