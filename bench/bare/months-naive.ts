import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import { ORG } from '../data/months-organisation.ts';

/**
 * Returns the cost of a metric in a month by a naive statement, which compares each row of the month with all picks of the
 * metric. It takes the covered lines from the product instead of finding them.
 */
export async function naiveCost(warehouse: Warehouse, metricId: string, month: string): Promise<string> {
  const [metric] = await warehouse.query<{ scope: string }>(
    'SELECT scope FROM metrics WHERE org_id = $org AND metric_id = $metric',
    { org: ORG, metric: metricId },
  );
  const scope = JSON.parse(metric?.scope ?? '{}') as { type: string };
  const [row] = await warehouse.query<{ cost: string }>(
    scope.type === 'organisation' ? ORGANISATION : PICKED,
    scope.type === 'organisation'
      ? { org: ORG, month: `${month}-01` }
      : { org: ORG, month: `${month}-01`, metric: metricId },
  );
  return row?.cost ?? '0';
}

const IN_MONTH = `org_id = $org AND day BETWEEN $month::DATE AND last_day($month::DATE)`;

const COVERED = `covered AS (
  SELECT DISTINCT day, cloud, account, resource_id
  FROM covered_resources JOIN current_computations USING (org_id, month, computation_id)
  WHERE ${IN_MONTH})`;

const PICKED = `
WITH picks AS (SELECT * FROM spend_picks WHERE org_id = $org AND user_id = $metric), ${COVERED},
usage AS (SELECT day, tool, sum(usage) AS usage FROM ai_usage WHERE ${IN_MONTH} GROUP BY ALL),
parts AS (
  SELECT sum(cost) AS cost FROM cloud_spend
  WHERE ${IN_MONTH} AND NOT EXISTS (FROM covered WHERE covered.day = cloud_spend.day AND covered.cloud = cloud_spend.cloud
      AND covered.account = cloud_spend.account AND covered.resource_id = cloud_spend.resource_id)
    AND EXISTS (FROM picks WHERE picks.cloud = cloud_spend.cloud AND (
      (picks.account = cloud_spend.account AND (picks.split_value IS NULL OR picks.split_value = cloud_spend.split_value))
      OR (picks.tag_key = cloud_spend.tag_key AND picks.tag_value = cloud_spend.tag_value)))
  UNION ALL
  SELECT sum(cost) FROM kubernetes_spend
  WHERE ${IN_MONTH} AND NOT is_idle AND EXISTS (FROM picks WHERE picks.cluster = kubernetes_spend.cluster
    AND picks.namespace = kubernetes_spend.namespace AND (picks.workload IS NULL OR picks.workload = kubernetes_spend.workload))
  UNION ALL
  SELECT sum(cost) FROM host_spend
  WHERE ${IN_MONTH} AND service IS NOT NULL AND EXISTS (FROM picks WHERE picks.host = host_spend.host
    AND (picks.host_service IS NULL OR picks.host_service = host_spend.service))
  UNION ALL
  SELECT sum(CAST(cost * ai_usage.usage / usage.usage AS DECIMAL(38,15)))
  FROM ai_usage JOIN usage USING (day, tool) JOIN (FROM ai_tool_spend WHERE ${IN_MONTH}) AS spend USING (day, tool)
  WHERE ai_usage.org_id = $org AND EXISTS (FROM picks WHERE picks.repository = ai_usage.repository))
SELECT COALESCE(sum(cost), 0) AS cost FROM parts`;

const ORGANISATION = `
WITH ${COVERED},
parts AS (
  SELECT sum(cost) AS cost FROM cloud_spend WHERE ${IN_MONTH}
  UNION ALL
  SELECT sum(cost) FROM ai_tool_spend WHERE ${IN_MONTH}
  UNION ALL
  SELECT sum(cost) FROM cluster_assets WHERE ${IN_MONTH} AND NOT EXISTS (
    FROM covered WHERE covered.day = cluster_assets.day AND suffix(covered.resource_id, '/' || cluster_assets.provider_id))
  UNION ALL
  SELECT sum(cost) FROM host_spend WHERE ${IN_MONTH} AND NOT EXISTS (
    FROM covered WHERE covered.day = host_spend.day AND suffix(covered.resource_id, '/' || host_spend.machine_id)))
SELECT sum(cost) AS cost FROM parts`;
