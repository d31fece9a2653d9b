import { ctes } from '../engine/sql/cte.ts';
import { LOADS_OF_COMPUTATION, ofUsedLoads } from './counted-spend.ts';
import { moneyOfUnits, unitsOf } from '../engine/sql/money-units.ts';

/**
 * Stores everything that counts and is not a bill line.
 *
 * A cluster or host has the costs that no bill line covers (assets/covered-resources.ts):
 *
 * - A cluster has its assets outside the bills. On a day without assets of its own it has its allocations, idle included, unless
 *   the assets that it borrows are on a bill.
 * - A host has all its rows, unless its machine is on a bill or is an asset of a cluster.
 *
 * Each workload and service has its direct cost, and its cluster or host gets the same amount as a negative cost. So the total
 * of a cluster does not depend on how its cost is distributed over workloads (docs/concepts.md#every-dollar-counts-once).
 *
 * A repository has its share of a tool's spend of a day, by its usage of the tool that day, in whole units of 10⁻¹⁵. The largest
 * user also has the remainder of the division. The spend of a day without usage stays with the tool.
 */
export const INSERT_DISTRIBUTED_SPEND = `
INSERT INTO distributed_spend BY NAME
WITH ${ctes(LOADS_OF_COMPUTATION)},
allocations AS (SELECT day, cluster, namespace, workload, is_idle, cost FROM ${ofUsedLoads('kubernetes_spend')}),
services AS (SELECT day, host, service, cost FROM ${ofUsedLoads('host_spend')}),
unbilled AS (SELECT day, cluster, host, cost FROM unbilled_assets WHERE is_outside),
cluster_parts AS (
  SELECT day, cluster, cost FROM unbilled WHERE cluster IS NOT NULL
  UNION ALL
  SELECT day, cluster, cost FROM allocations
  WHERE NOT EXISTS (FROM cluster_days WHERE cluster_days.day = allocations.day
    AND cluster_days.cluster = allocations.cluster AND (is_on_bill OR NOT is_borrowed))
  UNION ALL
  SELECT day, cluster, -cost FROM allocations WHERE NOT is_idle),
host_parts AS (
  SELECT day, host, cost FROM unbilled WHERE host IS NOT NULL
  UNION ALL
  SELECT day, host, -cost FROM services WHERE service IS NOT NULL),
tool_days AS (
  SELECT day, tool, sum(cost) AS cost, ${unitsOf('abs(sum(cost))')} AS units
  FROM ${ofUsedLoads('ai_tool_spend')} GROUP BY ALL),
users AS (
  SELECT day, tool, repository, ${unitsOf('sum(usage)')} AS used
  FROM ${ofUsedLoads('ai_usage')} GROUP BY ALL HAVING sum(usage) > 0),
shares AS (
  SELECT day, tool, repository, cost, units, used,
    CAST(sum(used) OVER tool_day AS HUGEINT) AS all_used,
    row_number() OVER (PARTITION BY day, tool ORDER BY used DESC, repository NULLS LAST) AS place
  FROM users JOIN tool_days USING (day, tool) WINDOW tool_day AS (PARTITION BY day, tool)),
-- In two steps, so that no product of money and usage needs more than 128 bits.
floors AS (SELECT *, (units // all_used) * used + ((units % all_used) * used) // all_used AS floor_units FROM shares),
repository_units AS (
  SELECT day, tool, repository, cost < 0 AS is_credit,
    floor_units + CASE WHEN place = 1 THEN units - CAST(sum(floor_units) OVER (PARTITION BY day, tool) AS HUGEINT) ELSE 0 END AS share_units
  FROM floors),
repository_days AS (
  SELECT day, tool, repository, CASE WHEN is_credit THEN -amount ELSE amount END AS cost
  FROM (
    SELECT *, ${moneyOfUnits('share_units')} AS amount
    FROM repository_units WHERE repository IS NOT NULL)),
tool_parts AS (
  SELECT day, tool, cost FROM tool_days UNION ALL SELECT day, tool, -cost FROM repository_days),
counted AS (
  SELECT day, 'kubernetes' AS source, cluster, NULL AS namespace, NULL AS workload, NULL AS host, NULL AS host_service,
    NULL AS tool, NULL AS repository, sum(cost) AS cost
  FROM cluster_parts GROUP BY ALL
  UNION ALL
  SELECT day, 'kubernetes', cluster, namespace, workload, NULL, NULL, NULL, NULL, sum(cost)
  FROM allocations WHERE NOT is_idle GROUP BY ALL
  UNION ALL
  SELECT day, 'hosts', NULL, NULL, NULL, host, NULL, NULL, NULL, sum(cost) FROM host_parts GROUP BY ALL
  UNION ALL
  SELECT day, 'hosts', NULL, NULL, NULL, host, service, NULL, NULL, sum(cost)
  FROM services WHERE service IS NOT NULL GROUP BY ALL
  UNION ALL
  SELECT day, 'ai_tools', NULL, NULL, NULL, NULL, NULL, tool, NULL, sum(cost) FROM tool_parts GROUP BY ALL
  UNION ALL
  SELECT day, 'ai_tools', NULL, NULL, NULL, NULL, NULL, tool, repository, cost FROM repository_days)
SELECT $org AS org_id, CAST(date_trunc('month', day) AS DATE) AS month, $computation::UUID AS computation_id, *
FROM counted WHERE cost <> 0 OR namespace IS NOT NULL OR host_service IS NOT NULL OR repository IS NOT NULL`;
