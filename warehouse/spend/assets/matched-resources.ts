import { ctes } from '../../engine/sql/cte.ts';
import { billLines, LOADS_OF_COMPUTATION } from '../counted-spend.ts';
import { canHave, cloudOfBill, hasMachines } from './clouds-of-machines.ts';
import {
  billedBalancerName,
  billedClusterName,
  fullResourceKey,
  googleZone,
  isUniqueName,
  resourceName,
  scaleSetKey,
} from './resource-key.ts';

// Finds the bill lines of assets by all their names. Each statement creates the temporary table of its name from those before it.

/** The resources of Azure that a machine's mere name can mean: single machines, their disks, and servers of databases. */
const AZURE_MACHINES =
  '^subscriptions/[^/]+/resourcegroups/[^/]+/providers/[^/]+/(?:virtualmachines|machines|disks|servers|flexibleservers|managedinstances)/[^/]+$';

/** Whether a Google account is not an id of a project: it is the billing account, or the project's number. */
const isNoProject = (account: string): string =>
  `regexp_matches(${account}, '^([0-9]+|([0-9a-f]{6}-){2}[0-9a-f]{6})$')`;

/**
 * Whether a resource `placed` can be in the project of the asset `known`. A project's id and its number cannot be compared,
 * so that on Google's bills any project fits if the bill does not name its id.
 */
const IN_PROJECT = `(known.project IS NULL OR known.project IN (placed.account_key, placed.own_project)
    OR (placed.cloud = 'gcp' AND ${isNoProject('placed.account_key')}
      AND (${isNoProject('placed.own_project')} <> ${isNoProject('known.project')})))`;

const FOUND = 'placed.month, placed.cloud, placed.account, placed.resource_id, known.identity';

/** Whether zones fit: one is not known, they are equal, or one is the region of the other. */
const IN_ZONE = `(known.zone IS NULL OR placed.zone IS NULL OR known.zone = placed.zone OR starts_with(known.zone, placed.zone || '-'))`;

/**
 * Pairs of a resource on the bill of a month and an asset that can be the same. They match by the full id if both have one, or
 * else by name: the last part of the resource's id, or the name that the bill gives it. Matches by name need the same project
 * and zone, if they are known. Google's ids on bills have numbers, so that full ids match by name there too. A machine of an
 * Azure scale set also matches its set. A load balancer also matches by the name inside its ARN, and the management fee by the
 * cluster's own resource. `place` distinguishes resources of the same name, and so does `zone` if the bill has it.
 */
export const ASSET_PAIRS = `
CREATE TEMP TABLE asset_pairs AS
WITH ${ctes(billLines(LOADS_OF_COMPUTATION, 'resource_id IS NOT NULL AND (SELECT count(*) FROM assets WHERE provider_id IS NOT NULL OR own_cluster IS NOT NULL) > 0'))},
resources AS (
  SELECT *, ${fullResourceKey('resource_id')} AS full_key, ${resourceName('resource_id')} AS last_part,
    ${billedBalancerName('resource_id')} AS balancer, ${billedClusterName('resource_id')} AS own_cluster,
    COALESCE(${googleZone('resource_id')}, lower(bill_zone)) AS zone,
    COALESCE(${googleZone('resource_id')}, CASE WHEN regexp_matches(lower(bill_zone), '-[a-z]$') THEN lower(bill_zone) END) AS own_zone, ${cloudOfBill('cloud')} AS bill_cloud,
    regexp_replace(lower(account), '^(?:projects|billingaccounts)/', '') AS account_key
  FROM (
    SELECT month, cloud, account, resource_id, lower(min(resource_name)) AS resource_name, min(zone) AS bill_zone
    FROM bill_lines GROUP BY ALL)),
owned AS (
  SELECT *, CASE WHEN starts_with(full_key, 'gcp/') THEN split_part(full_key, '/', 2) ELSE account_key END AS own_project
  FROM resources),
named AS (
  SELECT *, last_part AS name, '' AS named_apart FROM owned
  UNION ALL
  -- Google gives a machine the same name again after it replaced it. Other clouds give a name to several machines.
  SELECT *, resource_name, CASE WHEN cloud = 'gcp' THEN '' ELSE '/' || resource_id END FROM owned WHERE resource_name <> last_part),
placed AS (
  SELECT *,
    cloud || '/' || CASE
      WHEN cloud = 'gcp' AND ${isNoProject('account_key')} THEN own_project
      WHEN starts_with(full_key, 'subscriptions/') THEN regexp_extract(full_key, '^subscriptions/([^/]+/resourcegroups/[^/]+)', 1)
      ELSE account_key END || named_apart AS named_place
  FROM named),
known AS (
  SELECT DISTINCT identity, project, full_key, name, zone, cloud, balancer, own_cluster
  FROM assets WHERE provider_id IS NOT NULL OR own_cluster IS NOT NULL),
pairs AS (
  SELECT 'full id' AS via, ${FOUND}, '' AS place, CAST(NULL AS VARCHAR) AS place_zone
  FROM owned AS placed JOIN known ON placed.full_key = known.full_key
  UNION ALL
  SELECT 'full id', ${FOUND}, '', NULL
  FROM owned AS placed JOIN known ON ${scaleSetKey('placed.full_key')} = ${scaleSetKey('known.full_key')}
  WHERE starts_with(placed.full_key, 'subscriptions/')
    AND (placed.full_key = ${scaleSetKey('placed.full_key')} OR known.full_key = ${scaleSetKey('known.full_key')})
  UNION ALL
  SELECT 'name', ${FOUND}, CASE WHEN ${isUniqueName('known.name')} THEN '' ELSE named_place END,
    CASE WHEN ${isUniqueName('known.name')} THEN NULL
      WHEN placed.cloud = 'gcp' THEN named_place || '/' || placed.own_zone
      WHEN starts_with(placed.full_key, 'arn:') THEN named_place || '/' || split_part(placed.full_key, ':', 4) END
  FROM placed JOIN known ON placed.name = known.name
  WHERE COALESCE(placed.balancer <> known.balancer, true) AND ${IN_PROJECT} AND CASE
    WHEN ${isUniqueName('known.name')} THEN true
    WHEN ${hasMachines('placed.bill_cloud')} AND NOT ${canHave('placed.bill_cloud', 'known.cloud')} THEN false
    WHEN starts_with(known.full_key, 'subscriptions/') THEN false
    WHEN starts_with(placed.full_key, 'subscriptions/')
      THEN known.full_key IS NULL AND regexp_matches(placed.full_key, '${AZURE_MACHINES}')
    WHEN starts_with(known.full_key, 'gcp/') THEN ${IN_ZONE}
    WHEN starts_with(known.full_key, 'arn:')
      THEN placed.full_key IS NULL AND split_part(known.full_key, ':', 5) IN ('', placed.account_key)
    ELSE true END
  UNION ALL
  -- Names of load balancers are unique in a region, the fourth part of an ARN.
  SELECT 'load balancer', ${FOUND}, concat_ws('/', placed.cloud, account, split_part(lower(resource_id), ':', 4)), NULL
  FROM owned AS placed JOIN known ON placed.balancer = known.balancer WHERE ${IN_PROJECT}
  UNION ALL
  SELECT 'cluster', ${FOUND}, lower(resource_id), NULL
  FROM owned AS placed JOIN known ON placed.own_cluster = known.own_cluster WHERE ${IN_PROJECT})
SELECT DISTINCT via, month, cloud, account, resource_id, identity, place, place_zone FROM pairs`;

export const RESOURCE_DAYS = `
CREATE TEMP TABLE resource_days AS
WITH ${ctes(billLines(LOADS_OF_COMPUTATION, 'resource_id IS NOT NULL AND (SELECT count(*) FROM asset_pairs) > 0'))}
SELECT DISTINCT month, day, cloud, account, resource_id FROM bill_lines SEMI JOIN asset_pairs USING (month, cloud, account, resource_id)`;

/** Names that several resources have on the bills of a month, so that a match would be a guess. */
export const AMBIGUOUS_NAMES = `
CREATE TEMP TABLE ambiguous_names AS
SELECT month, identity, via, string_agg(DISTINCT COALESCE(place_zone, place), ', ' ORDER BY COALESCE(place_zone, place)) AS places
FROM asset_pairs WHERE via <> 'full id'
GROUP BY month, identity, via HAVING count(DISTINCT place) > 1 OR count(DISTINCT place_zone) > 1`;

/** Selects the resources on the bill of each day, with the identity of the asset that each one is. */
export const BILLED_IDENTITIES = `
  SELECT DISTINCT month, day, cloud, account, resource_id, identity
  FROM resource_days JOIN asset_pairs USING (month, cloud, account, resource_id)
  ANTI JOIN ambiguous_names USING (month, identity, via)`;

/**
 * Resources on the bill with the asset that each one is, borrowed assets included. There is a row for each day on which the
 * bill has the resource, and the cluster or host has the asset.
 */
export const FOUND_ASSETS = `
CREATE TEMP TABLE found_assets AS
WITH found AS (${BILLED_IDENTITIES})
SELECT day, found.cloud, account, resource_id, identity, cluster, host, machine_key, is_borrowed, is_machine
FROM found JOIN assets USING (day, identity)`;
