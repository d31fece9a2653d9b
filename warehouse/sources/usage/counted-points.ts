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
