import type { Day } from '../../../domain/shared/calendar.ts';
import { cte, type Cte } from '../../engine/sql/cte.ts';
import { COLLECTED_CHOICES } from '../../sources/focus/values/collected-choices.ts';
import type { ComputedSession } from '../compute-spend.ts';
import { ACCOUNT_NAMES } from '../costs.ts';
import { BILL_VALUE_KEY, CHOICE_KEY } from './pick-key.ts';

// What each thing that can be picked costs alone, in the newest month that is over. Services, resource groups and tag values
// that are not collected have their cost from the bills' lists (warehouse/sources/focus/values/bill-values.ts).

/** Returns the first day of the newest month that is over and has spend; null before the first. */
export async function newestCompleteMonth(
  session: ComputedSession,
  orgId: string,
  today: Day,
): Promise<Day | null> {
  const [newest] = await session.query<{ month: Day | null }>(
    `SELECT max(month) AS month FROM month_spend JOIN current_computations USING (org_id, month, computation_id)
     WHERE org_id = $org AND month < date_trunc('month', $today::DATE)`,
    { org: orgId, today },
  );
  return newest?.month ?? null;
}

/** The counted cost decides if the thing is always available, or collected since before `$month`. */
const IS_COUNTED = `(form NOT IN ('split', 'tag') OR COALESCE(first_day <= $month::DATE, false))`;

/**
 * Returns what can be picked by some keys: the key with its `form` and `parts`, the name, the cost in the month `$month`, and the
 * day from which it is collected. A value of a choice that began within the month costs what is collected of the month, like a
 * metric. If that is nothing, it has the bill's cost, and `is_listed` is true. The cost is null if the bill's list does not have it.
 *
 * @param keyed what has the keys; null for the keys of everything that was seen in the month or later.
 */
export const optionsOf = (keyed: Cte | null): Cte =>
  cte({
    name: 'options',
    needs: [ACCOUNT_NAMES, ...(keyed === null ? [] : [keyed])],
    sql: `WITH counted AS (
  SELECT key, sum(cost) FILTER (month = $month::DATE) AS cost FROM (
    SELECT month, cost, unnest(keys) AS key
    FROM month_spend JOIN current_computations USING (org_id, month, computation_id)
    WHERE org_id = $org AND ($month::DATE IS NULL OR month >= $month::DATE))
  GROUP BY key),
listed AS (
  SELECT ${BILL_VALUE_KEY} AS key, sum(cost) FILTER (date_trunc('month', billing_period) = $month::DATE) AS cost
  FROM bill_values JOIN current_loads USING (org_id, source_id, load_id, billing_period)
  WHERE org_id = $org AND ($month::DATE IS NULL OR billing_period >= $month::DATE)
  GROUP BY ALL),
kept_choices AS (
  SELECT ${CHOICE_KEY} AS choice_key, first_day FROM (${COLLECTED_CHOICES}) AS choices),
seen AS (
  SELECT key, string_split(key, chr(31)) AS parts, parts[1] AS form, array_to_string(parts[1:-2], chr(31)) AS choice_key,
    counted.cost AS counted_cost, listed.cost AS listed_cost
  FROM (${keyed === null ? 'SELECT key FROM counted UNION SELECT key FROM listed' : `SELECT DISTINCT key FROM ${keyed.name}`})
  LEFT JOIN counted USING (key) LEFT JOIN listed USING (key))
SELECT key, form, parts, CASE form
    WHEN 'tag' THEN parts[2] || ' / ' || parts[3] || '=' || parts[4]
    WHEN 'split' THEN COALESCE(name, parts[3]) || ' / ' || parts[5]
    WHEN 'account' THEN COALESCE(name, parts[3])
    WHEN 'idle cluster' THEN parts[2] || ' / idle'
    WHEN 'idle host' THEN parts[2] || ' / idle'
    ELSE array_to_string(parts[2:], ' / ') END AS name,
  CASE WHEN form IN ('split', 'tag') THEN CAST(first_day AS VARCHAR) ELSE 'always' END AS collected_from,
  counted_cost IS NULL AND NOT ${IS_COUNTED} AS is_listed,
  CASE WHEN $month::DATE IS NULL THEN NULL WHEN is_listed THEN listed_cost ELSE COALESCE(counted_cost, 0) END AS cost
FROM seen
LEFT JOIN kept_choices ON form IN ('split', 'tag') AND kept_choices.choice_key = seen.choice_key
LEFT JOIN account_names_now ON form IN ('split', 'account')
  AND account_names_now.cloud = parts[2] AND account_names_now.account = parts[3]`,
  });
