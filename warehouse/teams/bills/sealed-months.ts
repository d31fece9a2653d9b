import { cte } from '../../engine/sql/cte.ts';

/**
 * The months that have settled. A month that settled by backfill, or while there was no team, `follows_today` until an admin
 * seals it by hand: its seal holds only until its spend, a team or a shared cost changes. A month that began late does so until it
 * is closed (see `closed`). Every other month keeps its seal.
 *
 * A month `began_late` if it had ended before its first spend was published, or before a source that brought spend of it was
 * created. Deleted sources count, because their bills must lose what they brought.
 *
 * A later month `closes` it: one that settled in time, and ended after the organisation first had spend. Months that are all
 * connected on one day do not close each other. The first seal after that is the month's last one (`bill_bases.closes`), so
 * that the bills keep the spend of that moment, whoever reads them when.
 */
export const SETTLED = cte({
  name: 'settled',
  sql: `WITH settlements AS (
  SELECT month, min(settled_at) AS settled_at, bool_and(with_teams) AS with_teams, bool_and(backfilled) AS backfilled
  FROM settled_months WHERE org_id = $org GROUP BY month),
sealed_by_hand AS (
  SELECT DISTINCT month FROM bill_bases WHERE org_id = $org AND sealed_because = 'resealed'),
made AS (
  SELECT source_id, min(changed_at) AS made_at FROM cost_source_versions WHERE org_id = $org GROUP BY source_id),
brought AS (
  SELECT source_id, first_day, loads.last_day AS through, published_at, made_at FROM loads JOIN made USING (source_id)
  WHERE org_id = $org AND first_day IS NOT NULL),
begun_late AS (
  SELECT month FROM settlements JOIN brought ON first_day <= last_day(month) AND through >= month
  GROUP BY month HAVING greatest(min(published_at), max(made_at)) >= month + INTERVAL 1 MONTH),
closers AS (
  SELECT max(month) AS newest FROM settlements
  WHERE NOT backfilled AND month + INTERVAL 1 MONTH > (SELECT min(published_at) FROM brought)),
closed AS (SELECT DISTINCT month FROM bill_bases WHERE org_id = $org AND closes)
SELECT settlements.*, begun_late.month IS NOT NULL AS began_late, COALESCE(month < closers.newest, false) AS closes,
  closed.month IS NOT NULL AS is_closed, sealed_by_hand.month IS NULL AND (
    backfilled OR NOT with_teams OR (begun_late.month IS NOT NULL AND closed.month IS NULL)) AS follows_today
FROM settlements LEFT JOIN sealed_by_hand USING (month) LEFT JOIN begun_late USING (month) LEFT JOIN closed USING (month)
CROSS JOIN closers`,
});

/** What the settled months would be sealed from today. */
export const MADE_OF_NOW = cte({
  name: 'made_of_now',
  needs: [SETTLED],
  sql: `WITH definitions_now AS (
  SELECT (SELECT count(*) FROM team_versions WHERE org_id = $org)
    + (SELECT count(*) FROM shared_cost_versions WHERE org_id = $org) AS definition_changes)
SELECT month, computation_id, definition_changes, closes
FROM settled CROSS JOIN definitions_now
LEFT JOIN (SELECT month, computation_id FROM current_computations WHERE org_id = $org) USING (month)`,
});

/** What the sealed months were sealed from, and whether that holds. */
export const SEALED = cte({
  name: 'sealed',
  needs: [SETTLED, MADE_OF_NOW],
  sql: `SELECT month, basis, metric_ids, bases.computation_id, bases.definition_changes, value_changes,
    NOT follows_today OR (bases.definition_changes IS NOT DISTINCT FROM made_of_now.definition_changes
      AND bases.computation_id IS NOT DISTINCT FROM made_of_now.computation_id) AS holds
  FROM current_bill_bases AS bases JOIN settled USING (month) JOIN made_of_now USING (month)
  WHERE org_id = $org`,
});
