import { KINDS } from '../../domain/sources/kinds.ts';
import { cte, type Cte } from '../engine/sql/cte.ts';
import { COVERED_DAYS, DAYS } from '../sources/covered-days.ts';

/** The kind of source that a pick takes spend from. */
export const PICK_KIND = `CASE source ${Object.entries(KINDS)
  .map(([kind, { pick }]) => `WHEN '${pick}' THEN '${kind}'`)
  .join(' ')} END`;

/** Returns the kinds of sources that `metrics` (metric_id) pick from, as one text in alphabetical order. */
export const metricKinds = (metrics: Cte): Cte =>
  cte({
    name: 'metric_kinds',
    needs: [metrics],
    sql: `SELECT metric_id, COALESCE(string_agg(DISTINCT kind, ',' ORDER BY kind), '') AS kinds
  FROM ${metrics.name} LEFT JOIN (
    SELECT user_id AS metric_id, ${PICK_KIND} AS kind FROM spend_picks WHERE org_id = $org AND user_type = 'metric')
    USING (metric_id)
  GROUP BY metric_id`,
  });

/**
 * Returns the days on which the spend of each `kinds` of `scopes` is known. With picked spend, every active source of the picked
 * kinds must cover the day, and each of these kinds needs a source that does. Organisation and teams (`kinds` '') need every
 * active source, and at least one source.
 */
export const knownDays = (scopes: Cte): Cte =>
  cte({
    name: 'known_days',
    needs: [scopes, DAYS, COVERED_DAYS],
    sql: `WITH kind_days AS (
  SELECT kind, day, bool_or(covered_days.source_id IS NOT NULL) AS is_covered,
    bool_and(schedule_paused OR covered_days.source_id IS NOT NULL) AS is_whole
  FROM (SELECT source_id, kind, schedule_paused, day FROM cost_sources CROSS JOIN days WHERE org_id = $org)
  LEFT JOIN covered_days USING (source_id, day) GROUP BY kind, day)
SELECT kinds, day
FROM (SELECT DISTINCT kinds FROM ${scopes.name}) JOIN kind_days ON kinds = '' OR list_contains(string_split(kinds, ','), kind)
GROUP BY kinds, day
HAVING bool_and(is_whole) AND CASE WHEN kinds = '' THEN bool_or(is_covered)
  ELSE bool_and(is_covered) AND count(*) = len(string_split(kinds, ',')) END`,
  });
