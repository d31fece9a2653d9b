import type { Day } from '../../domain/shared/calendar.ts';
import type { DecimalText } from '../../domain/shared/decimals.ts';
import type { Session } from '../engine/session.ts';

/** An ended month of a metric, or a team's bill, as a warehouse of version 7 showed it. */
export interface OldNumber {
  of: 'metric' | 'team';
  id: string;
  /** The first day of the month. */
  month: Day;
  cost: DecimalText | null;
  status: string;
}

/**
 * Returns the numbers that a warehouse of version 7 showed of the months from `first` to `last`: the cost and status of every
 * metric's month, and the newest sealed bills of every team. It reads what that version had stored. It leaves out estimated
 * bills, and months of metrics with team scope that are neither locked nor sealed.
 */
export const numbersOfVersion7 = (
  session: Session,
  orgId: string,
  range: { first: Day; last: Day },
): Promise<OldNumber[]> => session.query<OldNumber>(NUMBERS, { org: orgId, ...range });

// Version 7 took all days from the first to the last one of a kind of source as delivered.
const NUMBERS = `
WITH months AS (
  SELECT CAST(unnest(generate_series($first::DATE, $last::DATE, INTERVAL 1 MONTH)) AS DATE) AS month),
delivered AS (
  SELECT kind, min(first_day) AS first_day, max(delivered_through) AS delivered_through
  FROM current_loads WHERE org_id = $org GROUP BY kind),
wanted AS (
  SELECT metric_id, scope->>'$.type' AS scope, md5(scope) AS scope_id, scope->>'$.team_id' AS team_id FROM metrics
  WHERE org_id = $org),
bills AS (
  SELECT team_id, month, direct + shared AS cost FROM sealed_bills WHERE org_id = $org AND month BETWEEN $first::DATE AND $last::DATE
  QUALIFY row_number() OVER (PARTITION BY team_id, month ORDER BY version_id DESC) = 1),
uses AS (
  SELECT picks.user_id AS metric_id, picks.source, choices.first_day
  FROM spend_picks AS picks LEFT JOIN spend_choices AS choices ON picks.org_id = choices.org_id
    AND picks.cloud = choices.cloud AND ((choices.kind = 'tag' AND picks.tag_key = choices.choice)
      OR (choices.kind = 'split' AND picks.account = choices.account AND picks.split_kind = choices.choice))
  WHERE picks.org_id = $org AND picks.user_type = 'metric'),
kinds AS (
  SELECT metric_id, kind, DATE '0001-01-01' AS collected_from FROM wanted CROSS JOIN delivered WHERE scope = 'organisation'
  UNION ALL
  SELECT metric_id, CASE source WHEN 'cloud' THEN 'focus' WHEN 'kubernetes' THEN 'opencost' WHEN 'host' THEN 'hosts'
    ELSE 'ai_tools' END AS kind, min(COALESCE(first_day, DATE '0001-01-01'))
  FROM uses GROUP BY ALL),
known AS (
  SELECT DISTINCT metric_id, month FROM kinds JOIN delivered USING (kind)
  JOIN months ON month <= delivered_through AND last_day(month) >= delivered.first_day
    AND collected_from <= least(last_day(month), delivered_through)),
costs AS (
  SELECT scope_id, month, cost FROM scope_costs JOIN current_computations USING (org_id, month, computation_id)
  WHERE org_id = $org),
partial AS (SELECT DISTINCT metric_id, month FROM uses JOIN months ON first_day > month),
with_values AS (
  SELECT DISTINCT metric_id, CAST(date_trunc('month', period) AS DATE) AS month FROM metric_values WHERE org_id = $org),
changes AS (
  SELECT metric_id, CAST(date_trunc('month', period) AS DATE) AS month, count(*) AS value_changes
  FROM metric_value_changes WHERE org_id = $org GROUP BY ALL),
locked AS (
  SELECT metric_id, month, cost, value_changes AS seen FROM month_locks WHERE org_id = $org
  QUALIFY row_number() OVER (PARTITION BY metric_id, month ORDER BY lock_id DESC) = 1),
metric_numbers AS (
  SELECT metric_id, month,
    COALESCE(locked.cost, bills.cost, CASE WHEN known.month IS NOT NULL THEN COALESCE(costs.cost, 0) END) AS cost,
    CASE WHEN locked.month IS NOT NULL THEN CASE WHEN value_changes = seen THEN 'locked' ELSE 'changed_since_lock' END
      WHEN partial.month IS NOT NULL THEN 'partial'
      WHEN bills.month IS NOT NULL AND with_values.month IS NOT NULL THEN 'ready_to_lock'
      WHEN known.month IS NOT NULL AND with_values.month IS NOT NULL
        AND EXISTS (FROM settled_months WHERE settled_months.org_id = $org AND settled_months.month = months.month)
        THEN 'ready_to_lock'
      ELSE 'open' END AS status
  FROM wanted CROSS JOIN months LEFT JOIN known USING (metric_id, month) LEFT JOIN costs USING (scope_id, month)
  LEFT JOIN partial USING (metric_id, month) LEFT JOIN with_values USING (metric_id, month)
  LEFT JOIN changes USING (metric_id, month) LEFT JOIN locked USING (metric_id, month)
  LEFT JOIN bills USING (team_id, month)
  WHERE scope <> 'team' OR locked.month IS NOT NULL OR bills.month IS NOT NULL)
SELECT 'metric' AS of, metric_id AS id, month, CAST(cost AS DECIMAL(38,15)) AS cost, status FROM metric_numbers
UNION ALL
SELECT 'team', team_id, month, CAST(cost AS DECIMAL(38,15)), 'sealed' FROM bills
ORDER BY of, id, month`;
