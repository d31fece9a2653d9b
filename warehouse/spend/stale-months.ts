import type { Day } from '../../domain/shared/calendar.ts';
import { cte, ctes } from '../engine/sql/cte.ts';
import type { Session } from '../engine/session.ts';
import { LENDERS_ON_BILLS, nearestAssets } from './assets/nearest-assets.ts';

/** A month that must be computed, and what it is made of. */
interface StaleMonth {
  month: Day;
  made_of: string;
}

/** Returns the months whose published loads are not those they were last computed from, oldest first. */
export const staleMonths = (session: Session, orgId: string, today: Day): Promise<StaleMonth[]> =>
  session.query<StaleMonth>(STALE_MONTHS, { org: orgId, today });

/** The loads, the months of their days, and what their sources say about machines without a bill line. */
export const LOADED_MONTHS = cte({
  name: 'loaded_months',
  sql: `SELECT source_id, load_id, billing_period, last_day, on_bill,
    CAST(unnest(generate_series(date_trunc('month', first_day), date_trunc('month', last_day), INTERVAL 1 MONTH)) AS DATE) AS month
  FROM current_loads
  JOIN (SELECT source_id, options->>'$.on_bill' AS on_bill FROM cost_sources WHERE org_id = $org) AS told USING (source_id)
  WHERE org_id = $org AND first_day IS NOT NULL`,
});

/**
 * The number of the counting rules. A change of what is stored about a month (its keys, what counts) takes the next number,
 * so that months of earlier versions are computed again.
 */
const COUNTING_RULES = 6;

/**
 * What people have said about units, by month and source: those that have ended within or before it, which may count no more
 * (left-out-days.ts), and those whose charges stand. Bills that follow today are sealed again after either changes.
 */
const DECIDED_UNITS = cte({
  name: 'decided',
  needs: [LOADED_MONTHS],
  sql: `SELECT month, source_id, string_agg(concat_ws(' ', unit, CASE WHEN ended_on < last_day(month) THEN ended_on END, CASE WHEN stands THEN 'stands' END), ',' ORDER BY unit) AS told
  FROM (SELECT DISTINCT month, source_id FROM loaded_months)
  JOIN (SELECT source_id, unit, ended_on, stands FROM decided_units WHERE org_id = $org) AS decisions USING (source_id)
  WHERE ended_on < last_day(month) OR stands GROUP BY month, source_id`,
});

const BORROWED = cte({
  name: 'borrowed',
  sql: `SELECT month, day, cluster, asset_day, assets, lender_is_on_bill
  FROM asset_decisions JOIN current_computations USING (org_id, month, computation_id)
  WHERE org_id = $org AND reason = 'borrowed'`,
});

const BORROWERS = cte({
  name: 'borrowers',
  needs: [BORROWED],
  sql: 'SELECT DISTINCT day, cluster FROM borrowed',
});

// A month with days in the future grows each day, so that the day of the computation is part of its input. A month that
// borrowed assets is stale once the cluster's nearest known assets change, in any month. It is also stale once the cluster
// comes onto a bill, or leaves it, on the day that lends.
const STALE_MONTHS = `
WITH ${ctes(LOADED_MONTHS, DECIDED_UNITS, BORROWED, nearestAssets(BORROWERS), LENDERS_ON_BILLS)},
wanted AS (
  SELECT month, '${COUNTING_RULES}/' || md5(string_agg(
        concat_ws('/', source_id, billing_period, load_id, told, NULLIF(on_bill, 'auto')), ',' ORDER BY source_id, billing_period))
      || CASE WHEN month > $today::DATE THEN '/ahead'
        WHEN last_day(month) > $today::DATE AND max(loaded_months.last_day) > $today::DATE THEN '/' || $today ELSE '' END AS made_of
  FROM loaded_months LEFT JOIN decided USING (month, source_id) GROUP BY month),
computed AS (SELECT month, made_of FROM current_computations WHERE org_id = $org),
lent_otherwise AS (
  SELECT DISTINCT month FROM borrowed JOIN nearest_assets USING (day, cluster)
  LEFT JOIN lenders_on_bills ON lenders_on_bills.cluster = borrowed.cluster AND lenders_on_bills.asset_day = borrowed.asset_day
  WHERE borrowed.asset_day IS DISTINCT FROM nearest_assets.asset_day OR borrowed.assets IS DISTINCT FROM nearest_assets.assets
    OR borrowed.lender_is_on_bill <> (lenders_on_bills.cluster IS NOT NULL))
SELECT month, COALESCE(wanted.made_of, '') AS made_of
FROM wanted FULL JOIN computed USING (month)
WHERE COALESCE(wanted.made_of, '') IS DISTINCT FROM computed.made_of OR month IN (FROM lent_otherwise)
ORDER BY month`;
