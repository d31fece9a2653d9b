import { addMonths, dayOf, monthOf, type Day, type Month } from '../domain/calendar.ts';
import { isCovered } from '../domain/coverage.ts';
import { sourceMonths } from './coverage.ts';
import { idAfter } from './ids.ts';
import { isBackfill } from './sealed-months.ts';
import type { Warehouse } from './warehouse.ts';

/**
 * Records every month of an organisation that has settled and was not recorded before: its settle days have
 * passed, and every active source covers all its days (design §2, Status). Returns the new ones, oldest
 * first; run again, it returns none.
 */
export const settleMonths = (warehouse: Warehouse, orgId: string, now: Date): Promise<Month[]> =>
  warehouse.exclusive(`settlement ${orgId}`, () =>
    warehouse.transaction(async (session) => {
      const unsettled = await session.query<{ month: Day }>(UNSETTLED_MONTHS, {
        org: orgId,
        now: now.toISOString(),
      });
      const first = unsettled[0];
      if (first === undefined) return [];
      const range = { first: monthOf(first.month), last: addMonths(monthOf(dayOf(now)), -1) };
      const sources = await sourceMonths(session, orgId, range);
      const months = unsettled
        .map(({ month }) => month)
        .filter((month) => isCovered(monthOf(month), sources.get(monthOf(month)) ?? []));
      if (months.length === 0) return [];
      const [source] = await session.query<{ newest: string | null }>(
        'SELECT max(version_id) AS newest FROM cost_source_versions WHERE org_id = $org',
        { org: orgId },
      );
      await session.run(
        `INSERT INTO settled_months BY NAME
          SELECT $org AS org_id, month, $now::TIMESTAMP AS settled_at, $settled::UUID AS settled_id,
            EXISTS (FROM teams WHERE org_id = $org) AS with_teams, ${isBackfill('$now::TIMESTAMP')} AS backfilled
          FROM (SELECT unnest($months)::DATE AS month)
          CROSS JOIN (SELECT settle_days FROM organisations WHERE org_id = $org)`,
        { org: orgId, months, now: now.toISOString(), settled: idAfter(source?.newest ?? null) },
      );
      return months.map(monthOf);
    }),
  );

/** The months whose settle days have passed, from the first that any source delivers. */
const UNSETTLED_MONTHS = `
WITH organisation AS (SELECT settle_days FROM organisations WHERE org_id = $org),
delivered AS (SELECT min(greatest(first_day, billing_period)) AS first_day FROM current_loads WHERE org_id = $org),
ended_months AS (
  SELECT CAST(unnest(generate_series(
    date_trunc('month', first_day), date_trunc('month', CAST($now AS TIMESTAMP)) - INTERVAL 1 MONTH, INTERVAL 1 MONTH)) AS DATE) AS month
  FROM delivered WHERE first_day IS NOT NULL)
SELECT month FROM ended_months CROSS JOIN organisation
WHERE CAST($now AS TIMESTAMP) >= CAST(last_day(month) + 1 + settle_days AS TIMESTAMP)
  AND NOT EXISTS (FROM settled_months WHERE settled_months.org_id = $org AND settled_months.month = ended_months.month)
ORDER BY month`;
