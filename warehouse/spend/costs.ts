import Big from 'big.js';
import { addDays, dayOf, type Day } from '../../domain/shared/calendar.ts';
import type { DecimalText } from '../../domain/shared/decimals.ts';
import type { SpendSource } from '../../domain/sources/spend-sources.ts';
import { cte, ctes } from '../engine/sql/cte.ts';
import { COVERED_DAYS, DAYS } from '../sources/covered-days.ts';
import { lackingDays } from '../sources/units/missing-units.ts';
import type { ComputedSession } from './compute-spend.ts';

/** An account's spend, with its clusters and hosts apart (docs/concepts.md#every-dollar-counts-once). */
interface AccountSpend {
  cloud: string;
  account: string;
  name: string | null;
  total: DecimalText;
  kubernetes: DecimalText;
  hosts: DecimalText;
}

/** The spend of a range of days, and of the equally long range before it. */
export interface CostSummary {
  total: DecimalText;
  bySource: Record<SpendSource, DecimalText>;
  byDay: { day: Day; total: DecimalText }[];
  byAccount: AccountSpend[];
  /** Null if nothing of the range before was delivered. */
  previousTotal: DecimalText | null;
  completeThrough: Day | null;
}

/** `start` to `end`, both inclusive. `previousStart` is the first day of the range before. */
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
 * (docs/http.md#read-costs). Days and accounts without spend in the range are left out.
 */
export async function costSummary(
  session: ComputedSession,
  orgId: string,
  range: CostRange,
  now: Date,
): Promise<CostSummary> {
  const rows = await session.query<Row>(COST_SUMMARY, { org: orgId, ...range });
  const coverage = await coverageFrom(session, orgId, range, now);
  const whole = rows.find(({ part }) => part === 'total');
  const previous = whole?.previous ?? '0';
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
    // A sum of 0 is known only if some day is.
    previousTotal: coverage.coversBefore || !Big(previous).eq(0) ? previous : null,
    completeThrough: coverage.completeThrough,
  };
}

/**
 * Returns the last day up to which every active source covers all days from `start` on; null if one lacks `start` itself. If
 * no source is active, a day counts as covered once any paused source covers it.
 */
export const completeThrough = async (
  session: ComputedSession,
  orgId: string,
  start: Day,
  now: Date,
): Promise<Day | null> =>
  (await coverageFrom(session, orgId, { previousStart: start, start }, now)).completeThrough;

/** Does what {@link completeThrough} does, and tells whether any source covers a day from `previousStart` to before `start`. */
async function coverageFrom(
  session: ComputedSession,
  orgId: string,
  { previousStart, start }: Pick<CostRange, 'previousStart' | 'start'>,
  now: Date,
): Promise<{ completeThrough: Day | null; coversBefore: boolean }> {
  const [yesterday, before] = [addDays(dayOf(now), -1), addDays(start, -1)];
  const range = { first: previousStart, last: yesterday < before ? before : yesterday };
  const [covered] = await session.query<{ complete_through: Day; covers_before: boolean }>(COVERAGE_FROM, {
    org: orgId,
    start,
    ...range,
    ...(await lackingDays(session, orgId, range)),
  });
  const isKnown = covered !== undefined && covered.complete_through >= start && start <= yesterday;
  return {
    completeThrough: isKnown ? covered.complete_through : null,
    coversBefore: covered?.covers_before === true,
  };
}

const COVERAGE_FROM = `
WITH ${ctes(DAYS, COVERED_DAYS)},
existing AS (SELECT source_id, NOT schedule_paused AS is_active FROM cost_sources WHERE org_id = $org),
day_sources AS (
  SELECT day, count(source_id) AS covering, count(source_id) FILTER (is_active) AS covering_actively
  FROM days LEFT JOIN (FROM covered_days JOIN existing USING (source_id)) USING (day) GROUP BY day)
SELECT COALESCE(min(day) FILTER (day >= $start::DATE
      AND (covering = 0 OR covering_actively < (SELECT count(*) FROM existing WHERE is_active))) - 1, $last::DATE) AS complete_through,
  COALESCE(bool_or(covering > 0) FILTER (day < $start::DATE), false) AS covers_before
FROM day_sources`;

/** The newest name of each account in the current loads. */
export const ACCOUNT_NAMES = cte({
  name: 'account_names_now',
  sql: `SELECT cloud, account, arg_max(name, billing_period) AS name
  FROM account_names JOIN current_loads USING (org_id, source_id, load_id, billing_period)
  WHERE org_id = $org GROUP BY ALL`,
});

/** Scans the daily totals once, and groups them in four ways. */
const COST_SUMMARY = `
WITH ${ctes(ACCOUNT_NAMES)},
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
