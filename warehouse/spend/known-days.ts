import { SPEND } from '../../domain/sources/spend-sources.ts';
import { cte, type Cte } from '../engine/sql/cte.ts';
import { COVERED_DAYS, DAYS } from '../sources/covered-days.ts';
import { SPENDS_OF_SOURCE } from '../sources/spend-of-kind.ts';

/** The part of the total that a pick takes spend from. */
export const PICKED_SPEND = `CASE source ${Object.entries(SPEND)
  .map(([spend, { pick }]) => `WHEN '${pick}' THEN '${spend}'`)
  .join(' ')} END`;

/** Returns what `metrics` (metric_id) pick from, as one text in alphabetical order, such as `cloud,hosts`. */
export const metricSpend = (metrics: Cte): Cte =>
  cte({
    name: 'metric_spend',
    needs: [metrics],
    sql: `SELECT metric_id, COALESCE(string_agg(DISTINCT spend, ',' ORDER BY spend), '') AS spend
  FROM ${metrics.name} LEFT JOIN (
    SELECT user_id AS metric_id, ${PICKED_SPEND} AS spend FROM spend_picks WHERE org_id = $org AND user_type = 'metric')
    USING (metric_id)
  GROUP BY metric_id`,
  });

/**
 * Returns the days on which each `spend` of `scopes` is known. Picked spend is known if every active source of each picked part
 * covers the day. Each of these parts needs at least one source. Organisation and teams (`spend` '') need every active source,
 * and at least one source.
 */
export const knownDays = (scopes: Cte): Cte =>
  cte({
    name: 'known_days',
    needs: [scopes, DAYS, COVERED_DAYS],
    sql: `WITH part_days AS (
  SELECT part, day, bool_or(covered_days.source_id IS NOT NULL) AS is_covered,
    bool_and(schedule_paused OR covered_days.source_id IS NOT NULL) AS is_whole
  FROM (
    SELECT source_id, unnest(${SPENDS_OF_SOURCE}) AS part, schedule_paused, day FROM cost_sources CROSS JOIN days WHERE org_id = $org)
  LEFT JOIN covered_days USING (source_id, day) GROUP BY part, day)
SELECT spend, day
FROM (SELECT DISTINCT spend FROM ${scopes.name}) JOIN part_days ON spend = '' OR list_contains(string_split(spend, ','), part)
GROUP BY spend, day
HAVING bool_and(is_whole) AND CASE WHEN spend = '' THEN bool_or(is_covered)
  ELSE bool_and(is_covered) AND count(*) = len(string_split(spend, ',')) END`,
  });
