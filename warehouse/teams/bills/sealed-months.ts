import { DAYS_IN_TIME } from '../../../domain/months/settlement.ts';

/** `firstLateDay` in SQL, for months that an earlier version settled without recording whether they were late. */
const lateFrom = (month: string): string => `(last_day(${month}) + settle_days + ${DAYS_IN_TIME + 2})`;

/**
 * CTEs with the months that have settled, and with what the sealed ones were sealed from. A month that settled by backfill, or
 * while there was no team, `follows_today` until an admin seals it by hand: its seal holds only until its spend, a team or a
 * shared cost changes. A month that began late does so until it is closed (see `closed`). Every other month keeps its seal.
 * Earlier versions recorded no such reason; for their months the time of the settlement decides, and for equal times the record.
 *
 * A month `began_late` if it had ended before its first spend was published, or before a source that brought spend of it was
 * created. Deleted sources count, because their bills must lose what they brought.
 *
 * A later month `closes` it: one that settled in time, and ended after the organisation first had spend. Months that are all
 * connected on one day do not close each other. The first seal after that is the month's last one (`bill_bases.closes`), so
 * that the bills keep the spend of that moment, whoever reads them when. Seals of earlier versions count as the last ones.
 */
export const SEALED_MONTHS = `settlements AS (
  SELECT month, min(settled_at) AS settled_at, bool_and(with_teams) AS with_teams, bool_and(backfilled) AS backfilled
  FROM settled_months WHERE org_id = $org GROUP BY month),
team_lives AS (
  SELECT deleted, changed_at AS since, lead(changed_at) OVER (PARTITION BY team_id ORDER BY version_id) AS until
  FROM team_versions WHERE org_id = $org),
settle_days_then AS (
  SELECT month, COALESCE(arg_max(settle_days, version_id) FILTER (changed_at <= settled_at),
    arg_min(settle_days, version_id)) AS settle_days
  FROM settlements CROSS JOIN organisation_versions WHERE org_id = $org GROUP BY month),
judged AS (
  SELECT month, settled_at, COALESCE(backfilled, settled_at >= ${lateFrom('month')}, false) AS backfilled,
    CASE WHEN backfilled IS NOT NULL THEN with_teams
      ELSE with_teams IS NOT false AND EXISTS (
        FROM team_lives
        WHERE NOT deleted AND (since < settled_at OR (since = settled_at AND with_teams))
          AND (until IS NULL OR until > settled_at)) END AS with_teams
  FROM settlements LEFT JOIN settle_days_then USING (month)),
sealed_by_hand AS (
  SELECT DISTINCT month FROM bill_bases WHERE org_id = $org AND sealed_because = 'resealed'),
made AS (
  SELECT source_id, min(changed_at) AS made_at FROM cost_source_versions WHERE org_id = $org GROUP BY source_id),
brought AS (
  SELECT source_id, first_day, loads.last_day AS through, published_at, made_at FROM loads JOIN made USING (source_id)
  WHERE org_id = $org AND first_day IS NOT NULL),
begun_late AS (
  SELECT month FROM judged JOIN brought ON first_day <= last_day(month) AND through >= month
  GROUP BY month HAVING greatest(min(published_at), max(made_at)) >= month + INTERVAL 1 MONTH),
closers AS (
  SELECT max(month) AS newest FROM judged
  WHERE NOT backfilled AND month + INTERVAL 1 MONTH > (SELECT min(published_at) FROM brought)),
closed AS (SELECT DISTINCT month FROM bill_bases WHERE org_id = $org AND closes IS NOT false),
settled AS (
  SELECT judged.*, begun_late.month IS NOT NULL AS began_late, COALESCE(month < closers.newest, false) AS closes,
    closed.month IS NOT NULL AS is_closed, sealed_by_hand.month IS NULL AND (
      backfilled OR NOT with_teams OR (begun_late.month IS NOT NULL AND closed.month IS NULL)) AS follows_today
  FROM judged LEFT JOIN sealed_by_hand USING (month) LEFT JOIN begun_late USING (month) LEFT JOIN closed USING (month)
  CROSS JOIN closers),
definitions_now AS (
  SELECT (SELECT count(*) FROM team_versions WHERE org_id = $org)
    + (SELECT count(*) FROM shared_cost_versions WHERE org_id = $org) AS definition_changes),
made_of_now AS (
  SELECT month, computation_id, definition_changes, closes
  FROM settled CROSS JOIN definitions_now
  LEFT JOIN (SELECT month, computation_id FROM current_computations WHERE org_id = $org) USING (month)),
sealed AS (
  SELECT month, basis, metric_ids, bases.computation_id, bases.definition_changes, value_changes,
    NOT follows_today OR (bases.definition_changes IS NOT DISTINCT FROM made_of_now.definition_changes
      AND bases.computation_id IS NOT DISTINCT FROM made_of_now.computation_id) AS holds
  FROM current_bill_bases AS bases JOIN settled USING (month) JOIN made_of_now USING (month)
  WHERE org_id = $org)`;
