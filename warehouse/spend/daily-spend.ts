import { billLines, COUNTED_LINES, LOADS_OF_DAYS } from './counted-spend.ts';
import { SPEND_KEYS } from './picks/pick-key.ts';

/** Everything that counts on the days `$start` to `$end`, with all that it can be grouped by, from the bill lines up. */
export const COUNTED_DAYS = `${LOADS_OF_DAYS}, ${billLines('day BETWEEN $start::DATE AND $end::DATE')}, ${COUNTED_LINES},
counted AS (
  SELECT day, source, cloud, account, split_kind, split_value, tag_key, tag_value, cluster, NULL AS namespace,
    NULL AS workload, host, NULL AS host_service, NULL AS tool, NULL AS repository, cost
  FROM counted_lines
  UNION ALL
  SELECT day, source, NULL, NULL, NULL, NULL, NULL, NULL, cluster, namespace, workload, host, host_service, tool, repository, cost
  FROM distributed_spend JOIN current_computations USING (org_id, month, computation_id)
  WHERE org_id = $org AND day BETWEEN $start::DATE AND $end::DATE)`;

/**
 * Day by day what a month's spend is (month-computation.ts), for the days `$start` to `$end`: rows with the same
 * keys, by which picks and owners are matched to them.
 */
export const DAILY_SPEND = `${COUNTED_DAYS},
spend AS (
  SELECT row_number() OVER () AS row_id, day, ${SPEND_KEYS} AS keys, cost
  FROM (SELECT * EXCLUDE (tool, cost), sum(cost) AS cost FROM counted GROUP BY ALL))`;
