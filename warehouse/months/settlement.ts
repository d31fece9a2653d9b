import { firstLateDay, settleDayReasons, settles } from '../../domain/months/settlement.ts';
import { addMonths, dayOf, firstDay, monthOf, type Day, type Month } from '../../domain/shared/calendar.ts';
import { sourceMonths } from '../sources/coverage.ts';
import { computeMonths } from '../spend/compute-spend.ts';
import { idAfter } from '../engine/sql/ids.ts';
import type { Session } from '../engine/session.ts';
import type { Warehouse } from '../engine/warehouse.ts';

/**
 * Records every month of an organisation that has settled and was not recorded before (domain/months/settlement.ts).
 * Returns the new ones, oldest first. If it runs again, it returns nothing. Months are computed before, because their doubts keep
 * them from settling.
 */
export async function settleMonths(warehouse: Warehouse, orgId: string, now: Date): Promise<Month[]> {
  await computeMonths(warehouse, orgId, now);
  return warehouse.lockedTransaction([`settlement ${orgId}`], async (session) => {
    const today = dayOf(now);
    const unsettled = (
      await session.query<Unsettled>(UNSETTLED_MONTHS, { org: orgId, now: now.toISOString() })
    ).map(({ month, settle_days }) => ({ month: monthOf(month), settleDays: settle_days }));
    const due = unsettled.filter(({ month, ...days }) => settleDayReasons(month, days, today).length === 0);
    const first = due[0];
    if (first === undefined) return [];
    const range = { first: first.month, last: addMonths(monthOf(today), -1) };
    const sources = await sourceMonths(session, orgId, range);
    const months = due.filter(({ month, ...days }) =>
      settles(month, { ...days, sources: sources.get(month) ?? [] }, today),
    );
    if (months.length === 0) return [];
    const late: Day[] = [];
    for (const settling of months)
      if (await isBackfill(session, orgId, settling, today)) late.push(firstDay(settling.month));
    const [source] = await session.query<{ newest: string | null }>(
      'SELECT max(version_id) AS newest FROM cost_source_versions WHERE org_id = $org',
      { org: orgId },
    );
    await session.run(
      `INSERT INTO settled_months BY NAME
          SELECT $org AS org_id, month, $now::TIMESTAMP AS settled_at, $settled::UUID AS settled_id,
            EXISTS (FROM teams WHERE org_id = $org) AS with_teams, list_contains($late::DATE[], month) AS backfilled
          FROM (SELECT unnest($months)::DATE AS month)`,
      {
        org: orgId,
        months: months.map(({ month }) => firstDay(month)),
        late,
        now: now.toISOString(),
        settled: idAfter(source?.newest ?? null),
      },
    );
    return months.map(({ month }) => month);
  });
}

/** Whether a month that settles today settles by backfill: on its first late day it still waited for a source. */
async function isBackfill(
  session: Session,
  orgId: string,
  { month, settleDays }: { month: Month; settleDays: number },
  today: Day,
): Promise<boolean> {
  const lateDay = firstLateDay(month, { settleDays });
  if (today < lateDay) return false;
  const sources = await sourceMonths(session, orgId, { first: month, last: month }, lateDay);
  return !settles(month, { settleDays, sources: sources.get(month) ?? [] }, lateDay);
}

interface Unsettled {
  month: Day;
  settle_days: number;
}

/**
 * The months that have ended and not settled, from the first that any source delivers. If a source says from when on it had
 * spend, they begin with the first month that has a value, within twelve: the source's 0 is divided by it.
 */
const UNSETTLED_MONTHS = `
WITH organisation AS (SELECT settle_days FROM organisations WHERE org_id = $org),
delivered AS (SELECT min(greatest(first_day, billing_period)) AS first_day FROM current_loads WHERE org_id = $org),
valued AS (
  SELECT min(period) AS first_day FROM metric_values SEMI JOIN metrics USING (org_id, metric_id)
  WHERE org_id = $org AND period >= CAST($now AS TIMESTAMP) - INTERVAL 12 MONTH
    AND EXISTS (FROM cost_sources WHERE org_id = $org AND starts_on IS NOT NULL)),
ended_months AS (
  SELECT CAST(unnest(generate_series(
    date_trunc('month', least(delivered.first_day, valued.first_day)), date_trunc('month', CAST($now AS TIMESTAMP)) - INTERVAL 1 MONTH, INTERVAL 1 MONTH)) AS DATE) AS month
  FROM delivered CROSS JOIN valued WHERE delivered.first_day IS NOT NULL)
SELECT month, settle_days
FROM ended_months CROSS JOIN organisation
WHERE NOT EXISTS (FROM settled_months WHERE settled_months.org_id = $org AND settled_months.month = ended_months.month)
ORDER BY month`;
