import { monthOf, type Day } from '../../../domain/shared/calendar.ts';
import type { DecimalText } from '../../../domain/shared/decimals.ts';
import { invalid } from '../../../domain/shared/errors.ts';
import { kindsThat } from '../../../domain/sources/kinds.ts';
import { recordLoadFiles } from './load-files.ts';
import { idsOf, type Load, type LoadResult, type Periods, type StagedLoad } from './load.ts';
import { storeRejectedDoubts } from './rejected-doubts.ts';
import type { Session } from '../../engine/session.ts';
import { sqlTexts } from '../../engine/sql/sql-text.ts';

const KINDS_OF_READ_DAYS = sqlTexts(kindsThat(({ covers }) => covers === 'read days'));

export const MONTH = `CAST(date_trunc('month', day) AS DATE)`;

/** Selects the days of a staged table of which every file was written before they ended, with their month. */
export const cutDaysOf = (staged: 'load_days' | 'asset_days'): string => `
  SELECT ${MONTH} AS billing_period, day FROM ${staged} GROUP BY ALL HAVING NOT bool_or(is_whole)`;

/** The billing periods of sources that have no others: months. */
export const MONTHS: Periods = {
  billingPeriod: MONTH,
  costColumn: 'CAST(NULL AS VARCHAR)',
  broughtThrough: 'max(day)',
  cutDays: cutDaysOf('load_days'),
};

/**
 * Publishes a load for each billing period of the temporary table `load_days` (day, cost, row_count). One statement makes all
 * rows visible. Stores what the reading has rejected (`rejected_rows`) with them. Returns the months of the days, oldest first, and
 * their total cost.
 */
export async function publishLoad(session: Session, staged: StagedLoad): Promise<LoadResult> {
  const { load, counts, rowsStored, periods, readFrom = [], notes } = staged;
  await checkMoney(session, 'load_days', periods.billingPeriod);
  await recordLoadFiles(session, load, readFrom);
  await session.run(publishStatement(periods), {
    ...idsOf(load),
    run: load.runId,
    now: load.now.toISOString(),
    accept_shrink: load.acceptShrink,
  });
  await checkPublished(session, load, rowsStored);
  await storeRejectedDoubts(session, load);
  const published = await session.query<{ month: Day; cost: DecimalText }>(
    `SELECT ${MONTH} AS month, sum(sum(cost)) OVER () AS cost FROM load_days GROUP BY month ORDER BY month`,
  );
  const months = published.map(({ month }) => monthOf(month));
  return { ...counts, months, costTotal: published[0]?.cost ?? '0', notes };
}

// The decimals have room for 1e23: enough for the sum of so many loads of so much money, also after its distribution.
const LARGEST_TOTAL = 1e16;
const MOST_LOADS = 100_000;

/**
 * Throws `invalid` if the amounts of a billing period in `table`, whatever their signs, add up to more than sums can hold. The
 * check adds doubles, because a sum of decimals would overflow.
 */
export async function checkMoney(session: Session, table: string, billingPeriod: string): Promise<void> {
  const [period] = await session.query<{ billing_period: Day }>(
    `SELECT ${billingPeriod} AS billing_period FROM temp.main.${table}
     GROUP BY ALL HAVING sum(abs(CAST(cost AS DOUBLE))) > ${LARGEST_TOTAL} ORDER BY ALL LIMIT 1`,
  );
  if (period === undefined) return;
  throw invalid(
    `billing period ${period.billing_period}: expected amounts of at most 1e16 in all, whatever their signs, got more; nothing was loaded`,
  );
}

/** Throws if the loads hold other row counts than the reading, or if the organisation has too many loads for sums. */
async function checkPublished(session: Session, load: Load, rowsStored: number): Promise<void> {
  const [loads] = await session.query<{ row_count: string; current: string }>(
    `SELECT COALESCE(sum(rows_read), 0)::BIGINT AS row_count,
       (SELECT count(*) FROM current_loads WHERE org_id = $org) AS current
     FROM loads WHERE org_id = $org AND source_id = $source AND load_id = $load::UUID`,
    idsOf(load),
  );
  if (Number(loads?.row_count) !== rowsStored) {
    throw new Error(
      `expected to store ${rowsStored} rows, but the loads hold ${Number(loads?.row_count)}: nothing was published`,
    );
  }
  if (Number(loads?.current) > MOST_LOADS) {
    throw invalid(
      `expected at most ${MOST_LOADS} billing periods of all cost sources, got more; nothing was loaded`,
    );
  }
}

/**
 * Returns the statement that inserts the loads. A day in the future is a plan: it is not delivered before it has begun. A month
 * of which this run read no spend (carry-over.ts) keeps the time of its previous load.
 *
 * A file that was written before a day ended does not have all of the day. A load says up to which day its files have all.
 *
 * Clusters and hosts have spend every day. Their load covers the ended days from the first to the last that this run has read. If
 * days of the previous load stay, the load also covers the days that it covered.
 */
const publishStatement = ({ billingPeriod, costColumn, broughtThrough, cutDays }: Periods): string => `
INSERT INTO loads BY NAME
WITH cut_days AS (${cutDays}),
written AS (SELECT billing_period, min(day) - 1 AS written_through FROM cut_days GROUP BY ALL),
published AS (
  SELECT ${billingPeriod} AS billing_period, ${costColumn} AS cost_column, CAST(sum(row_count) AS BIGINT) AS rows_read,
    sum(cost) AS cost_total, min(day) AS first_day, max(day) AS last_day,
    least(${broughtThrough}, CAST($now::TIMESTAMP AS DATE)) AS delivered_through
  FROM load_days GROUP BY ALL),
before AS (
  SELECT billing_period, published_at AS read_at, covered_days FROM current_loads WHERE org_id = $org AND source_id = $source),
days_read AS (
  SELECT CAST(unnest(generate_series(min(day), least(max(day), CAST($now::TIMESTAMP AS DATE) - 1), INTERVAL 1 DAY)) AS DATE) AS day
  FROM load_days WHERE row_count > 0),
whole_days AS (FROM days_read WHERE day NOT IN (SELECT day FROM cut_days)),
days_kept AS (
  SELECT unnest(before.covered_days) AS day FROM before JOIN published USING (billing_period)
  WHERE rows_read = 0 OR NOT $accept_shrink),
covered AS (
  SELECT ${MONTH} AS billing_period, list(DISTINCT day ORDER BY day) AS covered_days
  FROM (FROM whole_days UNION ALL FROM days_kept) GROUP BY ALL)
SELECT $org AS org_id, $source AS source_id, $load::UUID AS load_id, $run AS run_id,
  CASE WHEN rows_read = 0 THEN read_at ELSE $now::TIMESTAMP END AS published_at,
  published.*, written_through,
  CASE WHEN (SELECT kind FROM cost_sources WHERE org_id = $org AND source_id = $source) IN ${KINDS_OF_READ_DAYS}
    THEN COALESCE(covered.covered_days, []) END AS covered_days
FROM published LEFT JOIN before USING (billing_period) LEFT JOIN covered USING (billing_period) LEFT JOIN written USING (billing_period)`;
