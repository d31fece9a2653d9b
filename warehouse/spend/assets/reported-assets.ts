import { cte, ctes } from '../../engine/sql/cte.ts';
import { LOADS_OF_COMPUTATION, ofUsedLoads } from '../counted-spend.ts';
import { cloudOfBill, cloudOfMachine, hasMachines, isOfCloud } from './clouds-of-machines.ts';
import { lentAssets, nearestAssets } from './nearest-assets.ts';
import { balancerName, fullResourceKey, googleZone, resourceName } from './resource-key.ts';

// What clusters, hosts and bills report on each day. Each statement creates the temporary table of its name from those before it.

/** The clusters without assets, by day, with the cost of their allocations. */
const NEEDS = cte({
  name: 'needs',
  needs: [LOADS_OF_COMPUTATION],
  sql: `SELECT day, cluster, sum(cost) AS cost FROM ${ofUsedLoads('kubernetes_spend')}
  ANTI JOIN (SELECT DISTINCT day, cluster FROM ${ofUsedLoads('cluster_assets')}) AS own USING (day, cluster)
  GROUP BY ALL`,
});

/**
 * Days on which a cluster reports allocations but no assets. Each has the cost of the allocations, and the nearest day whose
 * assets are known (nearest-assets.ts).
 */
export const BORROWED_DAYS = `
CREATE TEMP TABLE borrowed_days AS
WITH ${ctes(NEEDS, nearestAssets(NEEDS))}
SELECT * FROM needs JOIN nearest_assets USING (day, cluster)`;

/**
 * The clusters and hosts of each day, with what their sources say about machines without a bill line (`options.on_bill`). If
 * several sources report one, a source that says always or never decides.
 */
export const REPORTERS = `
CREATE TEMP TABLE reporters AS
WITH ${ctes(LOADS_OF_COMPUTATION)},
told AS (
  SELECT source_id, COALESCE(options->>'$.on_bill', 'auto') AS on_bill FROM cost_sources WHERE org_id = $org),
reported AS (
  SELECT source_id, day, cluster, CAST(NULL AS VARCHAR) AS host FROM ${ofUsedLoads('kubernetes_spend')}
  UNION SELECT source_id, day, cluster, NULL FROM ${ofUsedLoads('cluster_assets')}
  UNION SELECT source_id, day, NULL, host FROM ${ofUsedLoads('host_spend')})
SELECT day, cluster, host, min(source_id) AS source_id,
  CASE WHEN bool_or(on_bill = 'always') THEN 'always' WHEN bool_or(on_bill = 'never') THEN 'never' ELSE 'auto' END AS on_bill
FROM reported JOIN told USING (source_id) GROUP BY ALL`;

/**
 * The days that bills of their own billing period have delivered, by cloud. A bill of a provider that is no cloud counts only if
 * it has ids of resources that month. On a fresh day a cloud may still add lines, for two days after it.
 */
export const BILL_DAYS_OF_CLOUDS = `
CREATE TEMP TABLE bill_days_of_clouds AS
WITH ${ctes(LOADS_OF_COMPUTATION)},
days AS (
  SELECT day, month, ${cloudOfBill('cloud')} AS cloud, max(published_at) AS published_at, bool_or(resource_id IS NOT NULL) AS has_ids
  FROM ${ofUsedLoads('cloud_spend', '(SELECT count(*) FROM reporters) > 0')}
  JOIN (SELECT load_id, billing_period, delivered_through, published_at FROM loads WHERE org_id = $org) AS delivered
    USING (load_id, billing_period)
  WHERE day <= delivered_through AND date_trunc('month', billing_period) = month
  GROUP BY ALL)
SELECT day, cloud, CAST(published_at AS DATE) <= day + 2 AS is_fresh FROM days
QUALIFY ${hasMachines('cloud')} OR bool_or(has_ids) OVER (PARTITION BY month, cloud)`;

const BORROWERS = cte({ name: 'borrowers', sql: 'SELECT cluster FROM borrowed_days' });

/**
 * The assets of clusters and hosts on each day, from the computation's loads. `identity` identifies an asset in the search for
 * its bill lines. The project is the feed's, or else the one in a Google id. A host is one asset of kind node, with the machine
 * id of any of its rows on that day.
 *
 * - `is_machine`: a node or disk with any id, or a host. A bill line of it shows that its cluster is on a bill.
 * - `stands_for_itself`: a host, a node with an id, or a disk with an id that a cloud made. Any other asset follows its cluster.
 * - `machine_key`: what all feeds call a machine, if a cloud made its id.
 */
export const ASSETS = `
CREATE TEMP TABLE assets AS
WITH ${ctes(LOADS_OF_COMPUTATION, lentAssets(BORROWERS))},
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
keyed AS (
  SELECT *, CAST(date_trunc('month', day) AS DATE) AS month, ${fullResourceKey('provider_id')} AS full_key,
    ${resourceName('provider_id')} AS name, ${googleZone('provider_id')} AS zone,
    CASE kind WHEN 'load_balancer' THEN ${balancerName('provider_id')} END AS balancer,
    CASE kind WHEN 'management' THEN lower(cluster) END AS own_cluster
  FROM (FROM cluster_assets_of_days UNION ALL FROM host_days)),
named AS (
  SELECT * REPLACE (COALESCE(project, CASE WHEN starts_with(full_key, 'gcp/') THEN split_part(full_key, '/', 2) END) AS project),
    ${cloudOfMachine('provider_id', 'name')} AS cloud, ${isOfCloud('provider_id', 'name')} AS is_of_cloud,
    host IS NOT NULL OR (kind IN ('node', 'disk') AND provider_id IS NOT NULL) AS is_machine
  FROM keyed)
SELECT * EXCLUDE (is_of_cloud),
  host IS NOT NULL OR (is_machine AND (kind = 'node' OR is_of_cloud)) AS stands_for_itself,
  CASE WHEN is_of_cloud AND is_machine THEN COALESCE(CASE WHEN NOT starts_with(full_key, 'arn:') THEN full_key END, name) END AS machine_key,
  concat_ws('|', COALESCE(provider_id, ''), COALESCE(project, ''), COALESCE(balancer, ''), COALESCE(own_cluster, '')) AS identity
FROM named`;
