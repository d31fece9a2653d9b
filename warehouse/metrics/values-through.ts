import type { Day } from '../../domain/shared/calendar.ts';
import { cte, ctes, type Cte } from '../engine/sql/cte.ts';
import type { Queries } from '../engine/session.ts';

/**
 * Returns the day through which the values of each of `metrics` (metric_id, frequency) are complete, and the first period with a
 * value (metric_id, values_through, values_from). Metrics without values have no row.
 *
 * A value of a later period means that earlier ones are complete, so that only the newest period can be incomplete. With labels
 * it is, while a label lacks a value there that had one in the week before (for a monthly metric, in the month before).
 */
export const completeValues = (metrics: Cte): Cte =>
  cte({
    name: 'complete_values',
    needs: [metrics],
    sql: `WITH newest_values AS (
  SELECT metric_id, frequency, min(period) AS values_from, max(period) AS newest FROM metric_values JOIN ${metrics.name} USING (metric_id)
  WHERE org_id = $org GROUP BY ALL)
SELECT metric_id, CASE WHEN count(DISTINCT label) > count(DISTINCT label) FILTER (period = newest) THEN newest - 1
  WHEN frequency = 'monthly' THEN last_day(newest) ELSE newest END AS values_through, values_from
FROM metric_values JOIN newest_values USING (metric_id)
WHERE org_id = $org AND period >= newest - CASE frequency WHEN 'monthly' THEN 31 ELSE 7 END
GROUP BY metric_id, frequency, newest, values_from`,
  });

/** Returns the day through which the values of some metrics are complete, by metric. Metrics without values are left out. */
export async function valuesThrough(
  session: Queries,
  orgId: string,
  metricIds: readonly string[],
): Promise<Map<string, Day>> {
  const rows = await session.query<{ metric_id: string; values_through: Day }>(
    `WITH ${ctes(completeValues(WANTED))} SELECT metric_id, values_through FROM complete_values`,
    { org: orgId, metrics: metricIds },
  );
  return new Map(rows.map(({ metric_id, values_through }) => [metric_id, values_through]));
}

const WANTED = cte({
  name: 'wanted',
  sql: 'SELECT metric_id, frequency FROM metrics WHERE org_id = $org AND list_contains($metrics, metric_id)',
});
