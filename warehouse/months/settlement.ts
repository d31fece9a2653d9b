import { addMonths, dayOf, monthOf, type Day, type Month } from '../../domain/shared/calendar.ts';
import { isCovered } from '../../domain/sources/coverage.ts';
import { sourceMonths } from '../sources/coverage.ts';
import { idAfter } from '../engine/sql/ids.ts';
import { lateFrom } from '../teams/bills/sealed-months.ts';
import type { Session } from '../engine/session.ts';
import type { Warehouse } from '../engine/warehouse.ts';

/**
 * Records every month of an organisation that has settled and was not recorded before: its settle days have
 * passed, and every active source covers all its days (design §2, Status). Returns the new ones, oldest
 * first; run again, it returns none.
 */
export const settleMonths = (warehouse: Warehouse, orgId: string, now: Date): Promise<Month[]> =>
  warehouse.exclusive(`settlement ${orgId}`, () =>
    warehouse.transaction(async (session) => {
      const unsettled = await session.query<Unsettled>(UNSETTLED_MONTHS, {
        org: orgId,
        now: now.toISOString(),
      });
      const first = unsettled[0];
      if (first === undefined) return [];
      const range = { first: monthOf(first.month), last: addMonths(monthOf(dayOf(now)), -1) };
      const sources = await sourceMonths(session, orgId, range);
      const months = unsettled.filter(({ month }) =>
        isCovered(monthOf(month), sources.get(monthOf(month)) ?? []),
      );
      if (months.length === 0) return [];
      const late: Day[] = [];
      for (const unsettledMonth of months)
        if (await isBackfill(session, orgId, unsettledMonth, now)) late.push(unsettledMonth.month);
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
          months: months.map(({ month }) => month),
          late,
          now: now.toISOString(),
          settled: idAfter(source?.newest ?? null),
        },
      );
      return months.map(({ month }) => monthOf(month));
    }),
  );

/** Whether what a month now settles by came late: it was not yet covered on its last day in time. */
const isBackfill = async (
  session: Session,
  orgId: string,
  unsettled: Unsettled,
  now: Date,
): Promise<boolean> => {
  if (dayOf(now) < unsettled.late_from) return false;
  const month = monthOf(unsettled.month);
  const sources = await sourceMonths(session, orgId, { first: month, last: month }, unsettled.late_from);
  return !isCovered(month, sources.get(month) ?? []);
};

interface Unsettled {
  month: Day;
  /** The first day on which it is too late to settle in time. */
  late_from: Day;
}

/**
 * The months whose settle days have passed, from the first that any source delivers. Where a source says from when on it had
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
SELECT month, CAST(${lateFrom('month')} AS DATE) AS late_from
FROM ended_months CROSS JOIN organisation
WHERE CAST($now AS TIMESTAMP) >= CAST(last_day(month) + 1 + settle_days AS TIMESTAMP)
  AND NOT EXISTS (FROM settled_months WHERE settled_months.org_id = $org AND settled_months.month = ended_months.month)
ORDER BY month`;
