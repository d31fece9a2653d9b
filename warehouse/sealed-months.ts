/** Whether there was any team when a settled month settled: without one it follows the definitions of today. */
export const SETTLED_WITH_TEAMS = 'COALESCE(with_teams, settled_at > first_team_at, false)';

/**
 * The months that have settled, and of those that were sealed what from. A month that settled with teams in place keeps
 * the definitions it was sealed by. One that had settled before there was any team has none of its own time:
 * it follows today's, so that teams can be set up over past months one after the other; what it was sealed from
 * holds only until teams or shared costs change. Instants tell the order only where nothing else does: a clock may stand still.
 */
export const SEALED_MONTHS = `settled AS (
  SELECT month, min(settled_at) AS settled_at, bool_and(with_teams) AS with_teams FROM settled_months WHERE org_id = $org GROUP BY month),
first_team AS (SELECT min(changed_at) AS first_team_at FROM team_versions WHERE org_id = $org),
definitions_now AS (
  SELECT max(version_id) AS definitions_id FROM (
    SELECT version_id FROM team_versions WHERE org_id = $org
    UNION ALL SELECT version_id FROM shared_cost_versions WHERE org_id = $org)),
sealed AS (
  SELECT month, basis, metric_ids, values_id,
    ${SETTLED_WITH_TEAMS} OR bases.definitions_id = definitions_now.definitions_id AS holds
  FROM current_bill_bases AS bases JOIN settled USING (month) CROSS JOIN first_team CROSS JOIN definitions_now
  WHERE org_id = $org)`;
