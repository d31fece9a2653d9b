import { addMonths, firstDay, lastDay, monthOf, type Day } from '../../domain/shared/calendar.ts';
import { ownedSpend } from './picks/ownership.ts';
import { DAILY_SPEND } from './daily-spend.ts';
import { cte, ctes, type Cte } from '../engine/sql/cte.ts';
import { picksOf } from './scope-costs.ts';
import type { Session } from '../engine/session.ts';

// The running month is compared with the same days of the month before (same-days.ts). So the daily costs of scopes and of
// owners in these two months are stored once for each computation. A read of a thousand metrics then needs no bill line.

const comparedMonths = (today: Day): { first: Day; last: Day } => ({
  first: firstDay(addMonths(monthOf(today), -1)),
  last: firstDay(monthOf(today)),
});

/** Stores the missing costs of the days of the running month and of the month before. */
export async function storeScopeDayCosts(session: Session, orgId: string, today: Day): Promise<void> {
  for (const store of [SCOPE_DAYS, OWNER_DAYS]) {
    const months = await missingMonths(session, orgId, today, store.missing);
    if (months === null) continue;
    await session.run(store.insert, { org: orgId, ...comparedMonths(today), ...months });
  }
}

/** Whether any of them is missing. */
export async function scopeDayCostsMissing(session: Session, orgId: string, today: Day): Promise<boolean> {
  for (const { missing } of [SCOPE_DAYS, OWNER_DAYS])
    if ((await missingMonths(session, orgId, today, missing)) !== null) return true;
  return false;
}

async function missingMonths(
  session: Session,
  orgId: string,
  today: Day,
  missing: Cte,
): Promise<{ start: Day; end: Day } | null> {
  const [months] = await session.query<{ first: Day | null; last: Day | null }>(
    `WITH ${ctes(missing)} SELECT min(month) AS first, max(month) AS last FROM missing`,
    { org: orgId, ...comparedMonths(today) },
  );
  if (months === undefined || months.first === null || months.last === null) return null;
  return { start: months.first, end: lastDay(monthOf(months.last)) };
}

const COMPUTATIONS = cte({
  name: 'computations',
  sql: `SELECT month, computation_id FROM current_computations
  WHERE org_id = $org AND month BETWEEN $first::DATE AND $last::DATE`,
});

const MISSING_SCOPES = cte({
  name: 'missing',
  needs: [COMPUTATIONS],
  sql: `SELECT * FROM (
    SELECT DISTINCT md5(scope) AS scope_id, scope->>'$.type' AS type FROM metrics
    WHERE org_id = $org AND (scope->>'$.type') <> 'team')
  CROSS JOIN computations
  ANTI JOIN (FROM scope_day_costs WHERE org_id = $org) USING (scope_id, month, computation_id)`,
});

// Like scope-costs.ts for months. A row without cost on the first day shows that the scope is stored.
const INSERT_SCOPE_DAYS = `
INSERT INTO scope_day_costs BY NAME
WITH ${ctes(MISSING_SCOPES, picksOf(MISSING_SCOPES), DAILY_SPEND)},
picked_keys AS (
  SELECT row_id, day, cost, key FROM (SELECT row_id, day, cost, unnest(keys) AS key FROM spend) SEMI JOIN picks USING (key)),
combination_days AS (
  SELECT keys, day, sum(cost) AS cost
  FROM (SELECT day, list(key ORDER BY key) AS keys, any_value(cost) AS cost FROM picked_keys GROUP BY row_id, day)
  GROUP BY keys, day),
matches AS (
  SELECT DISTINCT scope_id, keys
  FROM (SELECT keys, unnest(keys) AS key FROM (SELECT DISTINCT keys FROM combination_days)) JOIN picks USING (key)),
costs AS (
  SELECT scope_id, day, sum(cost) AS cost FROM matches JOIN combination_days USING (keys) GROUP BY ALL
  UNION ALL
  SELECT scope_id, day, sum(cost)
  FROM (SELECT DISTINCT scope_id FROM missing WHERE type = 'organisation')
  CROSS JOIN (
    SELECT day, cost FROM daily_totals JOIN current_computations USING (org_id, month, computation_id)
    WHERE org_id = $org AND day BETWEEN $start::DATE AND $end::DATE)
  GROUP BY ALL)
SELECT $org AS org_id, scope_id, month, computation_id, day, cost
FROM missing JOIN costs USING (scope_id) WHERE date_trunc('month', day) = month
UNION ALL
SELECT $org, scope_id, month, computation_id, month, 0 FROM missing`;

const SCOPE_DAYS = { missing: MISSING_SCOPES, insert: INSERT_SCOPE_DAYS };

/** Today's picks of teams and shared costs as one text. Other picks have days of their own. */
const DEFINITIONS = cte({
  name: 'definitions',
  sql: `SELECT COALESCE(md5(string_agg(concat_ws('/', user_type, user_id, scope_id), ',' ORDER BY user_id, scope_id)), '') AS definitions_id
  FROM (SELECT DISTINCT user_type, user_id, scope_id FROM spend_picks WHERE org_id = $org AND user_type IN ('team', 'shared cost'))`,
});

const MISSING_OWNERS = cte({
  name: 'missing',
  needs: [COMPUTATIONS, DEFINITIONS],
  sql: `SELECT month, computation_id, definitions_id FROM computations CROSS JOIN definitions
  ANTI JOIN (FROM owner_day_costs WHERE org_id = $org) USING (month, computation_id, definitions_id)
  WHERE EXISTS (FROM metrics WHERE org_id = $org AND (scope->>'$.type') = 'team')`,
});

const INSERT_OWNER_DAYS = `
INSERT INTO owner_day_costs BY NAME
WITH ${ctes(MISSING_OWNERS)},
owned AS (${ownedSpend('day', DAILY_SPEND)})
SELECT $org AS org_id, month, computation_id, definitions_id, period AS day, user_type, user_id, owned_source, cost
FROM missing JOIN owned ON date_trunc('month', period) = month
UNION ALL
SELECT $org, month, computation_id, definitions_id, month, 'nobody', '', NULL, 0 FROM missing`;

const OWNER_DAYS = { missing: MISSING_OWNERS, insert: INSERT_OWNER_DAYS };

/** Selects the stored daily costs of today's owners in the two months, in the form of {@link ownedSpend}. */
export const STORED_OWNER_DAYS = `
WITH ${ctes(DEFINITIONS)}
SELECT day AS period, user_type, user_id, owned_source, sum(cost) AS cost
FROM owner_day_costs JOIN definitions USING (definitions_id) JOIN current_computations USING (org_id, month, computation_id)
WHERE org_id = $org AND user_type <> 'nobody' AND day BETWEEN $start::DATE AND $end::DATE GROUP BY ALL`;
