import { billLines, COUNTED_LINES, LOADS_OF_DAYS } from './counted-spend.ts';
import { SPEND_KEYS } from './pick-key.ts';

/**
 * Day by day what a month's spend is (month-computation.ts), for the days `$start` to `$end`: rows with the same
 * keys, by which picks and owners are matched to them.
 */
export const DAILY_SPEND = `${LOADS_OF_DAYS}, ${billLines('day BETWEEN $start::DATE AND $end::DATE')}, ${COUNTED_LINES},
rolled_up AS (
  SELECT day, source, cloud, account, split_kind, split_value, tag_key, tag_value, NULL AS cluster,
    NULL AS namespace, NULL AS workload, NULL AS host, NULL AS host_service, NULL AS repository, sum(cost) AS cost
  FROM counted_lines GROUP BY ALL
  UNION ALL
  SELECT day, source, NULL, NULL, NULL, NULL, NULL, NULL, cluster, namespace, workload, host, host_service,
    repository, sum(cost)
  FROM distributed_spend JOIN current_computations USING (org_id, month, computation_id)
  WHERE org_id = $org AND day BETWEEN $start::DATE AND $end::DATE GROUP BY ALL),
spend AS (SELECT row_number() OVER () AS row_id, day, ${SPEND_KEYS} AS keys, cost FROM rolled_up)`;
