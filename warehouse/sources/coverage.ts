import { HAS_NAMESPACES } from './spend-of-kind.ts';
import { firstDay, lastDay, monthOf, type Day, type Month } from '../../domain/shared/calendar.ts';
import type { SourceMonth } from '../../domain/sources/coverage.ts';
import { unitDoubts } from '../../domain/sources/units/missing-units.ts';
import { pushTo } from '../../domain/shared/push-to.ts';
import type { Queries } from '../engine/session.ts';
import { ctes } from '../engine/sql/cte.ts';
import { BROUGHT_THROUGH, coveredDays, DAYS, deliveries, LOADS_AS_OF, ownLoads } from './covered-days.ts';
import { storedDoubts } from './doubts.ts';
import { DAY_BIT, daysOfRhythm, missingUnitsOf } from './units/missing-units.ts';

/** Returns the last day that each source has delivered, by source id. */
export async function deliveredThrough(session: Queries, orgId: string): Promise<Map<string, Day>> {
  const rows = await session.query<{ source_id: string; delivers_through: Day }>(
    `WITH ${ctes(deliveries('current_loads'))} SELECT source_id, delivers_through FROM deliveries`,
    { org: orgId },
  );
  return new Map(rows.map(({ source_id: id, delivers_through: day }) => [id, day]));
}

interface NewestDay {
  org_id: string;
  source_id: string;
  schedule_paused: boolean;
  newest_day: Day;
}

/** Returns the last day that each source of all organisations has delivered, for the operator's metrics. */
export const newestDays = (session: Queries): Promise<NewestDay[]> =>
  session.query<NewestDay>(`
SELECT org_id, source_id, schedule_paused, max(${BROUGHT_THROUGH}) AS newest_day
FROM current_loads JOIN cost_sources USING (org_id, source_id)
WHERE first_day IS NOT NULL AND ${BROUGHT_THROUGH} >= billing_period
GROUP BY ALL ORDER BY org_id, source_id`);

/**
 * Returns the days that each existing source covers of every month from `first` to `last`, by month; the oldest source first.
 *
 * @param asOf only loads before this day count; null counts all.
 */
export async function sourceMonths(
  session: Queries,
  orgId: string,
  { first, last }: { first: Month; last: Month },
  asOf: Day | null = null,
): Promise<Map<Month, SourceMonth[]>> {
  const parameters = { org: orgId, ...daysOfRhythm({ first, last }) };
  const rows = await (asOf === null
    ? session.query<SourceMonthRow>(SOURCE_MONTHS, parameters)
    : session.query<SourceMonthRow>(SOURCE_MONTHS_AS_OF, { ...parameters, as_of: asOf }));
  const known = new Map<string, Map<Month, number>>();
  for (const { id, isActive, month, days } of rows)
    if (isActive) known.set(id, (known.get(id) ?? new Map<Month, number>()).set(monthOf(month), days));
  const doubts = await storedDoubts(
    session,
    { org: orgId, first: firstDay(first), last: lastDay(last) },
    asOf,
  );
  const missing = await missingUnitsOf(session, orgId, { first, last }, known, asOf);
  const byMonth = new Map<Month, SourceMonth[]>();
  for (const { month: day, days: _, ...source } of rows) {
    const month = monthOf(day);
    if (month < first || month > last) continue;
    const missingUnits = missing.get(source.id)?.filter((unit) => unit.month === month) ?? [];
    pushTo(byMonth, month, {
      ...source,
      month,
      missingUnits,
      doubts: [...(doubts.get(`${day} ${source.id}`) ?? []), ...unitDoubts(source, missingUnits)],
    });
  }
  return byMonth;
}

/** Returns those of `months` (oldest first) in which a source covers a day, or has brought a part of one. */
export async function deliveredMonths(
  session: Queries,
  orgId: string,
  months: readonly Month[],
): Promise<Set<Month>> {
  const [first, last] = [months[0], months.at(-1)];
  if (first === undefined || last === undefined) return new Set();
  const sources = await sourceMonths(session, orgId, { first, last });
  return new Set(months.filter((month) => sources.get(month)?.some(({ lastKnown }) => lastKnown !== null)));
}

/** A month of a source, with the days that it covers as bits. */
type SourceMonthRow = Omit<SourceMonth, 'month' | 'missingUnits' | 'doubts'> & { month: Day; days: number };

// Ids decide whether the source or the settlement came first.
const sourceMonthsBy = (loads: string): string => `
WITH ${ctes(ownLoads(loads), deliveries(loads), DAYS, coveredDays(loads))},
made AS (
  SELECT source_id, min(version_id) AS made_id FROM cost_source_versions WHERE org_id = $org GROUP BY source_id),
settled AS (SELECT month, min(settled_id) AS settled_id FROM settled_months WHERE org_id = $org GROUP BY month),
begun AS (
  SELECT source_id, CAST(date_trunc('month', begun_through) AS DATE) AS month, max(begun_through) AS begun_through
  FROM own_loads WHERE begun_through >= billing_period GROUP BY ALL),
written AS (
  SELECT source_id, CAST(date_trunc('month', billing_period) AS DATE) AS month, min(written_through) AS "writtenThrough"
  FROM own_loads GROUP BY ALL),
averages AS (
  SELECT source_id, billing_period, cost_total / (begun_through - first_day + 1) AS day_cost
  FROM own_loads WHERE begun_through >= first_day),
source_days AS (
  SELECT source_id, CAST(date_trunc('month', day) AS DATE) AS month, day, covered_days.day IS NOT NULL AS covered
  FROM (SELECT source_id, day FROM cost_sources CROSS JOIN days WHERE org_id = $org)
  LEFT JOIN covered_days USING (source_id, day)),
source_months AS (
  SELECT source_id, month, min(day) FILTER (NOT covered) AS "missingFrom", max(day) FILTER (NOT covered) AS "missingThrough",
    count(*) FILTER (NOT covered AND day > delivers_from) AS missed_days, max(day) FILTER (covered) AS last_covered, COALESCE(bit_or(${DAY_BIT}) FILTER (covered), 0) AS days
  FROM source_days LEFT JOIN deliveries USING (source_id) GROUP BY ALL)
SELECT month, source_id AS id, name, kind, ${HAS_NAMESPACES} AS "hasNamespaces", NOT schedule_paused AS "isActive", "missingFrom", "missingThrough", days, last_covered AS "lastCovered",
  greatest(last_covered, begun_through) AS "lastKnown",
  CAST(round(day_cost * NULLIF(missed_days, 0), 2) AS DECIMAL(38,15)) AS "missedCost",
  "writtenThrough", delivers_from AS "deliversFrom", delivers_through AS "deliversThrough",
  COALESCE(made_id > settled_id, false) AS "isLater"
FROM source_months JOIN cost_sources USING (source_id) JOIN made USING (source_id)
LEFT JOIN deliveries USING (source_id) LEFT JOIN begun USING (source_id, month) LEFT JOIN settled USING (month) LEFT JOIN written USING (source_id, month)
ASOF LEFT JOIN averages ON averages.source_id = source_months.source_id AND averages.billing_period <= month
WHERE cost_sources.org_id = $org
ORDER BY month, source_id`;

// Built once, because every read of months needs them.
const SOURCE_MONTHS = sourceMonthsBy('current_loads');
const SOURCE_MONTHS_AS_OF = sourceMonthsBy(LOADS_AS_OF);
