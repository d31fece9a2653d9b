import { addDays, dayOf, type Day } from '../domain/calendar.ts';
import type { DecimalText } from '../domain/decimals.ts';
import type { SpendSource } from '../domain/spend-source.ts';
import { COVERED_DAYS } from './coverage.ts';
import { computeMonths } from './month-computation.ts';
import type { Warehouse } from './warehouse.ts';

/** An account's spend without the clusters and hosts in it, and theirs beside it (spec §1, counting rule 2). */
export interface AccountSpend {
  cloud: string;
  account: string;
  name: string | null;
  total: DecimalText;
  kubernetes: DecimalText;
  hosts: DecimalText;
}

/** Spend of a range of days and of the range of the same length before it. */
export interface CostSummary {
  total: DecimalText;
  bySource: Record<SpendSource, DecimalText>;
  byDay: { day: Day; total: DecimalText }[];
  byAccount: AccountSpend[];
  /** Null where nothing of the range before was delivered. */
  previousTotal: DecimalText | null;
  completeThrough: Day | null;
}

/** `start` to `end`, both inclusive; `previousStart` begins the range to compare with. */
export interface CostRange {
  previousStart: Day;
  start: Day;
  end: Day;
}

interface Row {
  part: 'total' | 'day' | 'source' | 'account';
  day: Day | null;
  source: SpendSource | null;
  cloud: string | null;
  account: string | null;
  name: string | null;
  total: DecimalText | null;
  own: DecimalText | null;
  kubernetes: DecimalText | null;
  hosts: DecimalText | null;
  previous: DecimalText | null;
}

/**
 * Sums an organisation's spend once for all parts of `GET /costs`: in total, by day, source and account
 * (contract §3, Costs). Days and accounts without spend in the range are left out.
 */
export const costSummary = async (
  warehouse: Warehouse,
  orgId: string,
  range: CostRange,
  now: Date,
): Promise<CostSummary> => {
  await computeMonths(warehouse, orgId, now);
  const rows = await warehouse.query<Row>(COST_SUMMARY, { org: orgId, ...range });
  const whole = rows.find(({ part }) => part === 'total');
  const ofSource = (wanted: SpendSource): DecimalText =>
    rows.find(({ part, source }) => part === 'source' && source === wanted)?.total ?? '0';
  return {
    total: whole?.total ?? '0',
    bySource: {
      cloud: ofSource('cloud'),
      kubernetes: ofSource('kubernetes'),
      hosts: ofSource('hosts'),
      ai_tools: ofSource('ai_tools'),
    },
    byDay: rows.flatMap(({ part, day, total }) =>
      part === 'day' && day !== null && total !== null ? [{ day, total }] : [],
    ),
    byAccount: rows.flatMap(({ part, cloud, account, name, total, own, kubernetes, hosts }) =>
      part === 'account' && cloud !== null && account !== null && total !== null
        ? [{ cloud, account, name, total: own ?? '0', kubernetes: kubernetes ?? '0', hosts: hosts ?? '0' }]
        : [],
    ),
    previousTotal: whole?.previous ?? (await nothingSpent(warehouse, orgId, range)),
    completeThrough: await completeThrough(warehouse, orgId, range.start, now),
  };
};

/** What was spent before the range if no money is there: nothing, or not known where no source covers any of the days. */
const nothingSpent = async (
  warehouse: Warehouse,
  orgId: string,
  { previousStart, start }: CostRange,
): Promise<DecimalText | null> => {
  const days = { org: orgId, first: previousStart, last: addDays(start, -1) };
  const [covered] = await warehouse.query<{ any: boolean }>(ANY_COVERED, days);
  return covered?.any === true ? '0' : null;
};

const ANY_COVERED = `
WITH ${COVERED_DAYS}
SELECT count(*) > 0 AS any FROM covered_days SEMI JOIN (FROM cost_sources WHERE org_id = $org) USING (source_id)`;

/**
 * The last day up to which every active source covers all days from `start` on; null when one lacks `start` itself. Without
 * any active source, the paused ones decide, each day by any of them.
 */
export const completeThrough = async (
  warehouse: Warehouse,
  orgId: string,
  start: Day,
  now: Date,
): Promise<Day | null> => {
  const yesterday = addDays(dayOf(now), -1);
  if (start > yesterday) return null;
  const [covered] = await warehouse.query<{ complete_through: Day }>(COMPLETE_THROUGH, {
    org: orgId,
    first: start,
    last: yesterday,
  });
  return covered === undefined || covered.complete_through < start ? null : covered.complete_through;
};

const COMPLETE_THROUGH = `
WITH ${COVERED_DAYS},
active AS (SELECT source_id FROM cost_sources WHERE org_id = $org AND NOT schedule_paused),
day_sources AS (
  SELECT day, count(covered_days.source_id) AS covering, count(active.source_id) AS covering_actively
  FROM days LEFT JOIN covered_days USING (day) LEFT JOIN active USING (source_id) GROUP BY day)
SELECT COALESCE(min(day) FILTER (covering = 0 OR covering_actively < (SELECT count(*) FROM active)) - 1, $last::DATE)
  AS complete_through
FROM day_sources`;

/** The names that the current loads give to accounts; the newest one of each. */
export const ACCOUNT_NAMES = `account_names_now AS (
  SELECT cloud, account, arg_max(name, billing_period) AS name
  FROM account_names JOIN current_loads USING (org_id, source_id, load_id, billing_period)
  WHERE org_id = $org GROUP BY ALL)`;

/** One scan, grouped four ways. */
export const COST_SUMMARY = `
WITH ${ACCOUNT_NAMES},
spend AS (
  SELECT day, source, cloud, account, cost, day >= $start::DATE AS in_range
  FROM daily_totals JOIN current_computations USING (org_id, month, computation_id)
  WHERE org_id = $org AND day BETWEEN $previousStart::DATE AND $end::DATE),
parts AS (
  SELECT
    CASE WHEN grouping(day) = 0 THEN 'day' WHEN grouping(source) = 0 THEN 'source'
      WHEN grouping(account) = 0 THEN 'account' ELSE 'total' END AS part,
    day, source, cloud, account, sum(cost) FILTER (in_range) AS total,
    sum(cost) FILTER (in_range AND source = 'cloud') AS own,
    sum(cost) FILTER (in_range AND source = 'kubernetes') AS kubernetes,
    sum(cost) FILTER (in_range AND source = 'hosts') AS hosts,
    sum(cost) FILTER (NOT in_range) AS previous
  FROM spend
  GROUP BY GROUPING SETS ((day), (source), (cloud, account), ()))
SELECT parts.*, name FROM parts LEFT JOIN account_names_now USING (cloud, account)
ORDER BY day, own DESC NULLS LAST, cloud, account`;
