/** The kind of source that a pick takes spend from. */
export const PICK_KIND = `CASE source WHEN 'cloud' THEN 'focus' WHEN 'kubernetes' THEN 'opencost' WHEN 'host' THEN 'hosts'
    ELSE 'ai_tools' END`;

/** CTE with the kinds of sources that metrics pick from, after `wanted` (metric_id), as one text in alphabetical order. */
export const METRIC_KINDS = `metric_kinds AS (
  SELECT metric_id, COALESCE(string_agg(DISTINCT kind, ',' ORDER BY kind), '') AS kinds
  FROM wanted LEFT JOIN (
    SELECT user_id AS metric_id, ${PICK_KIND} AS kind FROM spend_picks WHERE org_id = $org AND user_type = 'metric')
    USING (metric_id)
  GROUP BY metric_id)`;

/**
 * CTEs with the days on which the spend of a scope is known, after `metric_kinds` (kinds) and COVERED_DAYS; they end with
 * `known_days`. With picked spend, every active source of the picked kinds must cover the day, and each of these kinds needs a
 * source that does. Organisation and teams (`kinds` '') need every active source, and at least one source.
 */
export const KNOWN_DAYS = `kind_days AS (
  SELECT kind, day, bool_or(covered_days.source_id IS NOT NULL) AS is_covered,
    bool_and(schedule_paused OR covered_days.source_id IS NOT NULL) AS is_whole
  FROM (SELECT source_id, kind, schedule_paused, day FROM cost_sources CROSS JOIN days WHERE org_id = $org)
  LEFT JOIN covered_days USING (source_id, day) GROUP BY kind, day),
known_days AS (
  SELECT kinds, day
  FROM (SELECT DISTINCT kinds FROM metric_kinds) JOIN kind_days ON kinds = '' OR list_contains(string_split(kinds, ','), kind)
  GROUP BY kinds, day
  HAVING bool_and(is_whole) AND CASE WHEN kinds = '' THEN bool_or(is_covered)
    ELSE bool_and(is_covered) AND count(*) = len(string_split(kinds, ',')) END)`;
