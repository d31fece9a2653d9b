import { cte } from '../engine/sql/cte.ts';
import { countedLines, LOADS_OF_DAYS } from './counted-spend.ts';
import { SPEND_KEYS } from './picks/pick-key.ts';

/** Everything that counts on the days `$start` to `$end`, and all its keys, from the bill lines up. */
export const COUNTED_DAYS = cte({
  name: 'counted',
  needs: [countedLines(LOADS_OF_DAYS, 'day BETWEEN $start::DATE AND $end::DATE')],
  sql: `SELECT day, source, cloud, account, split_kind, split_value, tag_key, tag_value, cluster, namespace,
    NULL AS workload, host, NULL AS host_service, NULL AS tool, NULL AS repository, cost
  FROM counted_lines
  UNION ALL
  SELECT day, source, NULL, NULL, NULL, NULL, NULL, NULL, cluster, namespace, workload, host, host_service, tool, repository, cost
  FROM distributed_spend JOIN current_computations USING (org_id, month, computation_id)
  WHERE org_id = $org AND day BETWEEN $start::DATE AND $end::DATE`,
});

/**
 * The spend of the days `$start` to `$end`, in the form of a month's spend (compute-stale-months.ts): sums by day and by the keys
 * that match picks and owners.
 */
export const DAILY_SPEND = cte({
  name: 'spend',
  needs: [COUNTED_DAYS],
  sql: `SELECT row_number() OVER () AS row_id, day, ${SPEND_KEYS} AS keys, cost
  FROM (SELECT * EXCLUDE (tool, cost), sum(cost) AS cost FROM counted GROUP BY ALL)`,
});
