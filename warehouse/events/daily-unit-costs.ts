import type { ComputedSession } from '../spend/compute-spend.ts';
import Big from 'big.js';
import { addDays, type Day } from '../../domain/shared/calendar.ts';
import { RECORDED_DAYS, type RecordedDay } from '../../domain/events/daily-rise.ts';
import { quotient, type DecimalText } from '../../domain/shared/decimals.ts';
import { UNIT_COST_DECIMALS } from '../../domain/months/month-numbers.ts';
import { pushTo } from '../../domain/shared/push-to.ts';
import { lackingDays } from '../sources/units/missing-units.ts';
import { DOUBTED_MONTHS } from '../sources/doubts.ts';
import { cte, ctes, type Cte } from '../engine/sql/cte.ts';
import { DAILY_SPEND } from '../spend/daily-spend.ts';
import { dailyTeamCosts } from '../teams/bills/daily-team-costs.ts';
import { knownDays, metricSpend } from '../spend/known-days.ts';
import { PICK_KEY } from '../spend/picks/pick-key.ts';
import { USES_CHOICE } from '../spend/picks/spend-choices.ts';
import { completeValues } from '../metrics/values-through.ts';
import { hasReadDay, hasReadInPart } from '../../domain/imports/import-reach.ts';
import { valueImports } from '../sources/value-imports.ts';

/** Most days that a recorded day lies back: enough history for a metric with one value a week. */
const OLDEST_DAYS = 366;

/**
 * Returns the unit costs of the last recorded days, oldest first, by metric, for some daily metrics. A unit cost is the scope's
 * cost of the day ÷ the sum of the day's values. A day up to `through` is recorded if it has a value other than 0 and its values
 * are complete (values-through.ts): an import has read it to its end. The sources that the scope picks from must also cover it
 * (known-days.ts), and its month has no doubt about them (doubts.ts). So a source that delivers monthly delays only the scopes
 * that pick from it, and a gap only its own days.
 */
export async function dailyUnitCosts(
  session: ComputedSession,
  orgId: string,
  metrics: readonly string[],
  through: Day,
): Promise<Map<string, RecordedDay[]>> {
  const found = {
    org: orgId,
    metrics,
    first: addDays(through, -OLDEST_DAYS),
    last: through,
    days: RECORDED_DAYS,
    ...(await lackingDays(session, orgId, { first: addDays(through, -OLDEST_DAYS), last: through })),
  };
  const [range] = await session.query<{ start: Day | null; scopes: Scope[] }>(RANGE, found);
  const days = new Map<string, RecordedDay[]>();
  if (range === undefined || range.start === null) return days;
  const parameters = { ...found, first: range.start };
  const imports = await valueImports(session, orgId, metrics);
  for (const scope of range.scopes) {
    for (const { metric_id, day, value, cost } of await DAYS_OF[scope](session, parameters)) {
      const { reach, disconnectedOn } = imports.get(metric_id) ?? {};
      // What comes after an import that was disconnected is recorded by people.
      if (
        reach !== undefined &&
        (disconnectedOn === null ? !hasReadDay(reach, day) : hasReadInPart(reach, day))
      )
        continue;
      const unitCost = quotient(Big(cost), Big(value), UNIT_COST_DECIMALS);
      pushTo(days, metric_id, { day, unitCost });
    }
  }
  return days;
}

type Scope = 'organisation' | 'spend' | 'team';

type Range = Readonly<{
  org: string;
  metrics: readonly string[];
  first: Day;
  last: Day;
  days: number;
  lacking_sources: readonly string[];
  lacking_days: readonly Day[];
}>;

interface DayRow {
  metric_id: string;
  day: Day;
  value: DecimalText;
  cost: DecimalText;
}

async function teamDays(session: ComputedSession, range: Range): Promise<DayRow[]> {
  const rows = await session.query<Omit<DayRow, 'cost'> & { team_id: string }>(TEAM_DAYS, range);
  const costs = await dailyTeamCosts(session, range.org, { start: range.first, end: range.last });
  return rows.flatMap(({ team_id, ...row }) => {
    const cost = costs.get(row.day)?.get(team_id);
    return cost === undefined ? [] : [{ ...row, cost }];
  });
}

const DAYS_OF: Record<Scope, (session: ComputedSession, range: Range) => Promise<DayRow[]>> = {
  organisation: (session, range) => session.query(ORGANISATION_DAYS, range),
  spend: (session, range) => session.query(SPEND_DAYS, { ...range, start: range.first, end: range.last }),
  team: teamDays,
};

const WANTED = cte({
  name: 'wanted',
  sql: `SELECT metric_id, frequency, scope->>'$.type' AS scope, md5(scope) AS scope_id, scope->>'$.team_id' AS team_id FROM metrics
  WHERE org_id = $org AND list_contains($metrics, metric_id)`,
});

const PICKED = metricSpend(WANTED);

/** Returns the last known days of each metric that have a value. Labels are added up (docs/http.md#send-values). */
const valueDays = (where: string): Cte =>
  cte({
    name: 'value_days',
    needs: [WANTED, PICKED, knownDays(PICKED), completeValues(WANTED), DOUBTED_MONTHS],
    sql: `WITH certain_days AS (
  FROM known_days WHERE NOT EXISTS (
    FROM doubted_months WHERE month = date_trunc('month', day) AND (known_days.spend = '' OR list_contains(string_split(known_days.spend, ','), doubted_months.spend))))
SELECT metric_id, scope, scope_id, team_id, period AS day, sum(value) AS value
FROM metric_values JOIN wanted USING (metric_id) JOIN metric_spend USING (metric_id) JOIN complete_values USING (metric_id)
JOIN certain_days ON certain_days.spend = metric_spend.spend AND certain_days.day = period
WHERE org_id = $org AND period <= values_through AND ${where}
GROUP BY metric_id, scope, scope_id, team_id, period HAVING sum(value) > 0
QUALIFY row_number() OVER (PARTITION BY metric_id ORDER BY period DESC) <= $days`,
  });

const RANGE = `
WITH ${ctes(valueDays('true'))}
SELECT min(day) AS start, COALESCE(list(DISTINCT scope), []) AS scopes FROM value_days`;

const ORGANISATION_DAYS = `
WITH ${ctes(valueDays(`scope = 'organisation'`))},
costs AS (
  SELECT day, sum(cost) AS cost FROM daily_totals JOIN current_computations USING (org_id, month, computation_id)
  WHERE org_id = $org AND day BETWEEN $first::DATE AND $last::DATE GROUP BY day)
SELECT metric_id, day, value, COALESCE(cost, 0) AS cost
FROM value_days LEFT JOIN costs USING (day)
ORDER BY metric_id, day`;

// A tag key or split that any owner picks decides who owns a dollar. Days before and after the newest one do not compare.
const TEAM_DAYS = `
WITH ${ctes(valueDays(`scope = 'team'`))},
picks AS (FROM spend_picks WHERE org_id = $org AND user_type IN ('team', 'shared cost')),
collected AS (
  SELECT max(choices.first_day) AS collected_from FROM picks JOIN spend_choices AS choices ON ${USES_CHOICE})
SELECT metric_id, team_id, day, value FROM value_days CROSS JOIN collected
WHERE day >= COALESCE(collected_from, day)
ORDER BY metric_id, day`;

// Each scope gets a row of spend once, even if several of its picks match. Days before the first use of a tag key or split
// have no cost by it.
const SPEND_DAYS = `
WITH ${ctes(valueDays(`scope = 'spend'`), DAILY_SPEND)},
picks AS (
  SELECT *, ${PICK_KEY} AS key FROM spend_picks
  WHERE org_id = $org AND user_type = 'metric' AND user_id IN (SELECT metric_id FROM value_days)),
collected AS (
  SELECT user_id AS metric_id, max(choices.first_day) AS collected_from
  FROM picks JOIN spend_choices AS choices ON ${USES_CHOICE} GROUP BY ALL),
matches AS (
  SELECT DISTINCT scope_id, row_id
  FROM (SELECT row_id, unnest(keys) AS key FROM spend) JOIN (SELECT DISTINCT scope_id, key FROM picks) USING (key)),
costs AS (SELECT scope_id, day, sum(cost) AS cost FROM matches JOIN spend USING (row_id) GROUP BY ALL)
SELECT metric_id, day, value, COALESCE(cost, 0) AS cost
FROM value_days LEFT JOIN collected USING (metric_id) LEFT JOIN costs USING (scope_id, day)
WHERE day >= COALESCE(collected_from, day)
ORDER BY metric_id, day`;
