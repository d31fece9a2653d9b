import type { Day } from '../domain/calendar.ts';
import type { DecimalText } from '../domain/decimals.ts';
import type { Warehouse } from './warehouse.ts';

/** Spend of a range of days and of the range of the same length before it. */
export interface CostSummary {
  total: DecimalText;
  byDay: { day: Day; total: DecimalText }[];
  byAccount: { cloud: string; account: string; name: string | null; total: DecimalText }[];
  previousTotal: DecimalText;
  /**
   * The last day that every active source has delivered; null while one has delivered nothing. Without any active
   * source, the last day that a paused one has delivered.
   */
  completeThrough: Day | null;
}

/** `start` to `end`, both inclusive; `previousStart` begins the range to compare with. */
export interface CostRange {
  previousStart: Day;
  start: Day;
  end: Day;
}

interface Row {
  part: 'total' | 'day' | 'account';
  day: Day | null;
  cloud: string | null;
  account: string | null;
  name: string | null;
  total: DecimalText | null;
  previous: DecimalText | null;
}

/**
 * Sums an organisation's spend once for all parts of `GET /costs`: in total, by day and by account
 * (contract §3, Costs). Days and accounts without spend in the range are left out.
 */
export const costSummary = (warehouse: Warehouse, orgId: string, range: CostRange): Promise<CostSummary> =>
  warehouse.session(async (session) => {
    const rows = await session.query<Row>(COST_SUMMARY, { org: orgId, ...range });
    const [delivered] = await session.query<{ complete_through: Day | null }>(COMPLETE_THROUGH, {
      org: orgId,
    });
    const whole = rows.find(({ part }) => part === 'total');
    return {
      total: whole?.total ?? '0',
      byDay: rows.flatMap(({ part, day, total }) =>
        part === 'day' && day !== null && total !== null ? [{ day, total }] : [],
      ),
      byAccount: rows.flatMap(({ part, cloud, account, name, total }) =>
        part === 'account' && cloud !== null && account !== null && total !== null
          ? [{ cloud, account, name, total }]
          : [],
      ),
      previousTotal: whole?.previous ?? '0',
      completeThrough: delivered?.complete_through ?? null,
    };
  });

/** One scan, grouped three ways. */
export const COST_SUMMARY = `
WITH spend AS (
  SELECT day, cloud, account, account_name, cost, day >= $start::DATE AS in_range
  FROM account_spend JOIN current_loads USING (org_id, source_id, load_id, billing_period)
  WHERE org_id = $org AND day BETWEEN $previousStart::DATE AND $end::DATE)
SELECT
  CASE WHEN grouping(day) = 0 THEN 'day' WHEN grouping(account) = 0 THEN 'account' ELSE 'total' END AS part,
  day, cloud, account, max(account_name) AS name,
  sum(cost) FILTER (in_range) AS total, sum(cost) FILTER (NOT in_range) AS previous
FROM spend
GROUP BY GROUPING SETS ((day), (cloud, account), ())
ORDER BY day, total DESC, cloud, account`;

const COMPLETE_THROUGH = `
WITH delivered AS (
  SELECT source_id, schedule_paused, max(delivered_through) AS delivered_through
  FROM cost_sources LEFT JOIN current_loads USING (org_id, source_id)
  WHERE org_id = $org GROUP BY ALL)
SELECT CASE
    WHEN bool_and(schedule_paused) THEN max(delivered_through)
    WHEN bool_and(schedule_paused OR delivered_through IS NOT NULL)
      THEN min(delivered_through) FILTER (NOT schedule_paused)
  END AS complete_through
FROM delivered`;
