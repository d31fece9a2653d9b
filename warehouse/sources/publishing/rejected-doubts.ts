import { idsOf, type Load } from './load.ts';
import { CURRENT_READINGS, CURRENT_UNREAD } from './readings.ts';
import { sumOfKnown } from '../feeds/rejected-rows.ts';
import { MAIN_FEED } from '../feeds/rejected-when.ts';
import type { Session } from '../../engine/session.ts';

/**
 * Stores the rejected rows of a reading, which are in the temporary table `rejected_rows`, and the doubts that they raise. Runs
 * after the loads are published, in their transaction.
 *
 * A row belongs to the months of its days, else to the month of its billing period. If neither can be read, it can belong to any
 * billing period of this run. The doubt goes once its billing period is read again. So a billing period of which no row could be
 * read has doubts and no load, and keeps the earlier doubts of what this reading lacks. Usage and assets without spend are left
 * out of a load, and their rejected rows with them.
 */
export async function storeRejectedDoubts(session: Session, load: Load): Promise<void> {
  const [some] = await session.query('FROM temp.main.rejected_rows LIMIT 1');
  if (some === undefined) return;
  const parameters = idsOf(load);
  await session.run(INSERT_REJECTED_DAYS, parameters);
  await session.run(INSERT_UNREAD_PERIODS, { ...parameters, now: load.now.toISOString() });
  await session.run(INSERT_DOUBTS, parameters);
}

const COLUMNS = 'feed, billing_period, month, day, is_dated, row_count, sample, amount';

// The cost of a row that spans several months is known, but not the cost in each of them.
const INSERT_REJECTED_DAYS = `
INSERT INTO rejected_days BY NAME
WITH published AS (
  SELECT billing_period FROM loads WHERE org_id = $org AND source_id = $source AND load_id = $load::UUID),
loaded AS (SELECT billing_period FROM current_loads WHERE org_id = $org AND source_id = $source),
dated AS (
  SELECT * REPLACE (
      COALESCE(billing_period, first_month) AS billing_period,
      CASE WHEN first_month IS NOT DISTINCT FROM last_month THEN amount END AS amount),
    CAST(unnest(generate_series(
      COALESCE(first_month, date_trunc('month', billing_period)), COALESCE(last_month, date_trunc('month', billing_period)),
      INTERVAL 1 MONTH)) AS DATE) AS month
  FROM rejected_rows WHERE billing_period IS NOT NULL OR first_month IS NOT NULL),
undated AS (
  SELECT rejected_rows.* REPLACE (published.billing_period AS billing_period),
    CAST(date_trunc('month', published.billing_period) AS DATE) AS month
  FROM rejected_rows CROSS JOIN published
  WHERE rejected_rows.billing_period IS NULL AND rejected_rows.first_month IS NULL),
found AS (
  SELECT ${COLUMNS} FROM (SELECT ${COLUMNS} FROM dated UNION ALL SELECT ${COLUMNS} FROM undated)
  WHERE feed = '${MAIN_FEED}' OR billing_period IN (FROM loaded)),
kept AS (
  SELECT ${COLUMNS}
  FROM (FROM rejected_days SEMI JOIN ${CURRENT_UNREAD} AS unread USING (org_id, source_id, load_id, billing_period)) AS earlier
  WHERE org_id = $org AND source_id = $source
    AND billing_period IN (SELECT billing_period FROM found ANTI JOIN published USING (billing_period))
    AND NOT EXISTS (
      FROM found WHERE found.feed = earlier.feed AND found.billing_period = earlier.billing_period
        AND found.month = earlier.month AND found.day IS NOT DISTINCT FROM earlier.day))
SELECT $org AS org_id, $source AS source_id, $load::UUID AS load_id, rejected.*
FROM (FROM found UNION ALL FROM kept) AS rejected`;

const INSERT_UNREAD_PERIODS = `
INSERT INTO unread_periods BY NAME
SELECT DISTINCT org_id, source_id, load_id, billing_period, $now::TIMESTAMP AS published_at
FROM rejected_days ANTI JOIN loads USING (org_id, source_id, load_id, billing_period)
WHERE org_id = $org AND source_id = $source AND load_id = $load::UUID`;

const INSERT_DOUBTS = `
INSERT INTO load_doubts BY NAME
WITH rejected AS (
  SELECT org_id, source_id, load_id, billing_period, month, feed, is_dated, CAST(sum(row_count) AS BIGINT) AS row_count,
    first(sample ORDER BY row_count DESC, sample) AS sample, ${sumOfKnown('amount')} AS amount
  FROM rejected_days WHERE org_id = $org AND source_id = $source AND load_id = $load::UUID GROUP BY ALL)
SELECT org_id, source_id, load_id, billing_period, month, 'rejected_rows' AS code, CAST(NULL AS VARCHAR) AS unit, amount,
  'has ' || row_count || CASE row_count WHEN 1 THEN ' rejected row' ELSE ' rejected rows' END
    || CASE feed WHEN '${MAIN_FEED}' THEN '' ELSE ' of ' || feed END
    || CASE WHEN is_dated THEN ' in ' ELSE ' whose month cannot be read and may be ' END || strftime(month, '%Y-%m')
    || CASE WHEN billing_period = month THEN '' ELSE ' (billing period ' || billing_period || ')' END
    || ', such as ' || sample AS phrase
FROM rejected`;

/**
 * Keeps the rejected rows of days that a load keeps from an earlier load (carry-over.ts), in the temporary table `rejected_rows`.
 * Runs before the days join those of this reading, in the table `staged`. Rows whose day could not be read can belong to any kept
 * day.
 *
 * @param feed the feed's name in `rejected_rows`.
 * @param months SQL that selects the months that keep days.
 */
export async function keepRejected(
  session: Session,
  { orgId, sourceId }: Load,
  feed: string,
  { staged, stored, months }: { staged: string; stored: string; months: string },
): Promise<void> {
  await session.run(
    `INSERT INTO temp.main.rejected_rows BY NAME
     WITH days_read AS (
       SELECT day FROM temp.main.${staged} UNION SELECT day FROM temp.main.rejected_rows WHERE feed = $feed AND day IS NOT NULL),
     kept_months AS (
       SELECT DISTINCT billing_period FROM ${stored} SEMI JOIN current_loads USING (org_id, source_id, load_id, billing_period)
       WHERE org_id = $org AND source_id = $source AND billing_period IN (${months}) AND day NOT IN (SELECT day FROM ${staged}))
     SELECT feed, billing_period, month AS first_month, month AS last_month, day, is_dated, row_count, sample, amount
     FROM rejected_days SEMI JOIN ${CURRENT_READINGS} AS counted USING (org_id, source_id, load_id, billing_period)
     WHERE org_id = $org AND source_id = $source AND feed = $feed AND billing_period IN (${months})
       AND CASE WHEN day IS NULL THEN billing_period IN (FROM kept_months) ELSE day NOT IN (FROM days_read) END
     QUALIFY rank() OVER (PARTITION BY billing_period, day ORDER BY load_id DESC) = 1`,
    { org: orgId, source: sourceId, feed },
  );
}
