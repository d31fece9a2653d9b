import { monthOf, type Day, type Month } from '../domain/calendar.ts';
import { isBackfill } from './sealed-months.ts';
import type { Warehouse } from './warehouse.ts';

/**
 * Records every month of an organisation that has settled and was not recorded before: its settle days have
 * passed, and every active source has delivered its last day (design §2, Status). Answers the new ones, oldest
 * first; run again, it answers none.
 */
export const settleMonths = (warehouse: Warehouse, orgId: string, now: Date): Promise<Month[]> =>
  warehouse.exclusive(`settlement ${orgId}`, () =>
    warehouse.transaction(async (session) => {
      const rows = await session.query<{ month: Day }>(SETTLED_NOW, { org: orgId, now: now.toISOString() });
      const months = rows.map(({ month }) => month);
      if (months.length > 0) {
        await session.run(
          `INSERT INTO settled_months BY NAME
            SELECT $org AS org_id, month, $now::TIMESTAMP AS settled_at,
              EXISTS (FROM teams WHERE org_id = $org) AS with_teams, ${isBackfill('$now::TIMESTAMP')} AS backfilled
            FROM (SELECT unnest($months)::DATE AS month)
            CROSS JOIN (SELECT settle_days FROM organisations WHERE org_id = $org)`,
          { org: orgId, months, now: now.toISOString() },
        );
      }
      return months.map(monthOf);
    }),
  );

const SETTLED_NOW = `
WITH organisation AS (SELECT settle_days FROM organisations WHERE org_id = $org),
ranges AS (
  SELECT min(first_day) AS first_day, max(delivered_through) AS delivered_through
  FROM current_loads WHERE org_id = $org),
sources AS (
  SELECT source_id, max(delivered_through) AS delivered_through
  FROM cost_sources LEFT JOIN current_loads USING (org_id, source_id)
  WHERE org_id = $org AND NOT schedule_paused GROUP BY ALL),
ended_months AS (
  SELECT CAST(unnest(generate_series(
    date_trunc('month', first_day), date_trunc('month', CAST($now AS TIMESTAMP)) - INTERVAL 1 MONTH, INTERVAL 1 MONTH)) AS DATE) AS month
  FROM ranges WHERE first_day IS NOT NULL)
SELECT month FROM ended_months CROSS JOIN organisation CROSS JOIN ranges
WHERE CAST($now AS TIMESTAMP) >= CAST(last_day(month) + 1 + settle_days AS TIMESTAMP)
  AND ranges.delivered_through >= last_day(month)
  AND NOT EXISTS (FROM sources WHERE delivered_through IS NULL OR delivered_through < last_day(month))
  AND NOT EXISTS (FROM settled_months WHERE settled_months.org_id = $org AND settled_months.month = ended_months.month)
ORDER BY month`;
