import type { Queries } from '../../engine/session.ts';
import { cte, type Cte } from '../../engine/sql/cte.ts';

/**
 * Returns what stored points add to the usage of their days. A point that was sent again counts once. A cumulative point adds its
 * difference from the point before it of the same series and start. A smaller value than before is a restart, which begins at 0.
 *
 * @param where which points.
 */
export const countedPoints = (where: string): Cte =>
  cte({
    name: 'counted_points',
    sql: `SELECT * EXCLUDE (value, before),
    CASE WHEN is_cumulative AND before <= value THEN value - before ELSE value END AS value
  FROM (
    SELECT *, lag(value) OVER (PARTITION BY org_id, source_id, series, start_ns ORDER BY time_ns) AS before
    FROM (
      FROM usage_points WHERE ${where}
      QUALIFY row_number() OVER (PARTITION BY org_id, source_id, series, start_ns, time_ns ORDER BY point_id) = 1))`,
  });

/**
 * Returns how many points a source has, and the newest id; null without points. It changes with each point, also one of another node
 * whose clock is late, and when points become sums of days.
 */
export async function pointsState(
  querier: Queries,
  { orgId, sourceId }: { orgId: string; sourceId: string },
): Promise<string | null> {
  const [points] = await querier.query<{ state: string | null }>(
    'SELECT count(*) || max(point_id) AS state FROM usage_points WHERE org_id = $org AND source_id = $source',
    { org: orgId, source: sourceId },
  );
  return points?.state ?? null;
}
