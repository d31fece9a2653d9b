import { invalid } from '../../../domain/shared/errors.ts';
import { chosenValue, clusterOf, columnsOf, type Candidate } from './values/collected-values.ts';
import type { CostColumn } from './focus-columns.ts';
import { moneyOfUnits, unitsOf } from '../../engine/sql/money-units.ts';
import { sqlText } from '../../engine/sql/sql-text.ts';
import { throughWeekend } from '../publishing/through-weekend.ts';
import type { UnitRows } from '../publishing/unit-days.ts';
import { IS_WHOLE } from '../feeds/written-files.ts';
import { STORED } from '../feeds/read-feed.ts';
import type { Statements } from '../../engine/session.ts';

// The statements that turn the groups of an export (focus-load.ts) into spend.

/**
 * Returns statements that select the daily money of all readable rows, one for each part that fits a reader's memory. A row
 * inside one UTC day belongs to it. A longer row is spread over [start, end) by seconds in whole 10⁻¹⁵ units. Its last day takes
 * the remainder, so that the parts add up exactly (docs/data-formats.md#focus-billing-exports). Each day keeps the candidates
 * that were chosen for its cloud or account by then (docs/concepts.md#tags-services-and-resource-groups). `row_count` has a
 * spread row on its first day only.
 *
 * @throws ServiceError `invalid` if few charges span too many days.
 */
export async function dailyMoney(reader: Statements, candidates: readonly Candidate[]): Promise<string[]> {
  const [groups] = await reader.query<{ count: string; days: string | null }>(
    `SELECT count(*) AS count, sum(COALESCE(date_diff('day', span_start, span_end) + 1, 1)) AS days
     FROM checked_groups WHERE ${STORED}`,
  );
  const [count, days] = [Number(groups?.count), Number(groups?.days ?? 0)];
  if (days > Math.max(MOST_DAYS, count * MOST_DAYS_OF_CHARGE)) {
    throw invalid(
      `ChargePeriodEnd: expected charges of at most ${MOST_DAYS_OF_CHARGE} days on average, or ${MOST_DAYS} in all, ` +
        `got ${count} charges of ${days} days in all; nothing was loaded`,
    );
  }
  const parts = Math.max(1, Math.ceil(days / DAYS_OF_PART));
  return Array.from({ length: parts }, (_, part) =>
    dailyMoneyOf(
      parts === 1 ? STORED : `${STORED} AND hash(account, resource_id) % ${parts} = ${part}`,
      candidates,
    ),
  );
}

/** Most long charges span a month. Charges of years are few. */
const MOST_DAYS_OF_CHARGE = 40;
const MOST_DAYS = 10_000_000;

const DAYS_OF_PART = 500_000;

/** A local day is this long once a year. A charge of one lies on two UTC days, and shows both like a charge inside a day. */
export const LONGEST_DAY_HOURS = 25;

/** The name and the zone of a resource. The smallest one is the same in each reading. */
const NAMES = 'min(resource_name) AS resource_name, min(zone) AS zone';

const dailyMoneyOf = (condition: string, candidates: readonly Candidate[]): string => `
WITH dated AS (FROM checked_groups LEFT JOIN temp.main.written_files USING (last_file) WHERE ${condition}),
spans AS (
  SELECT *, ${unitsOf('span_cost')} AS units,
    CAST(span_start AS DATE) AS first_day, CAST(span_end - INTERVAL 1 MICROSECOND AS DATE) AS last_day,
    span_end - span_start <= INTERVAL ${LONGEST_DAY_HOURS} HOUR AS is_local_day
  FROM dated WHERE span_start IS NOT NULL),
-- The days between a charge's first and last day are whole, so that they get equal parts.
shares AS (
  SELECT *, units * date_diff('second', span_start, CAST(first_day + 1 AS TIMESTAMP)) // date_diff('second', span_start, span_end) AS first_units,
    units * 86400 // date_diff('second', span_start, span_end) AS middle_units
  FROM spans),
span_groups AS (
  SELECT billing_period, cloud, account, any_value(account_name) AS account_name, resource_id,
    ${NAMES}, ${columnsOf(candidates)}first_day, last_day, is_local_day, is_ahead, written_on, is_local_day AND is_usage AS is_usage,
    is_local_day AND is_purchase AS is_purchase, bool_and(fell_back) AS fell_back, sum(row_count) AS row_count,
    sum(first_units * row_count) AS first_units, sum(middle_units * row_count) AS middle_units,
    sum((units - first_units - middle_units * (last_day - first_day - 1)) * row_count) AS last_units
  FROM shares GROUP BY ALL),
span_days AS (
  SELECT *, CAST(unnest(generate_series(first_day, last_day, INTERVAL 1 DAY)) AS DATE) AS day FROM span_groups),
day_units AS (
  SELECT *, CASE day WHEN first_day THEN first_units WHEN last_day THEN last_units ELSE middle_units END AS day_units
  FROM span_days),
money AS (
  SELECT billing_period, day, cloud, account, account_name, resource_id, resource_name, zone, ${columnsOf(candidates)}cost,
    true AS inside_day, is_usage, is_purchase, is_ahead, written_on, fell_back, row_count
  FROM dated WHERE span_start IS NULL
  UNION ALL
  SELECT billing_period, day, cloud, account, account_name, resource_id, resource_name, zone, ${columnsOf(candidates)}
    ${moneyOfUnits('day_units')} AS cost,
    is_local_day AS inside_day, is_usage, is_purchase, is_ahead, written_on,
    fell_back, CASE day WHEN first_day THEN row_count ELSE 0 END AS row_count
  FROM day_units),
chosen_money AS (
  SELECT money.*, split.choice AS split_kind, ${chosenValue(candidates, 'split')} AS split_value,
    tag.choice AS tag_key, ${chosenValue(candidates, 'tag')} AS tag_value
  FROM money
  LEFT JOIN temp.main.focus_choices AS split
    ON split.kind = 'split' AND split.cloud = money.cloud AND split.account = money.account AND split.first_day <= day
  LEFT JOIN temp.main.focus_choices AS tag
    ON tag.kind = 'tag' AND tag.cloud = money.cloud AND tag.first_day <= day)
SELECT billing_period, day, cloud, account,
  CASE WHEN split_value IS NOT NULL THEN split_kind END AS split_kind, split_value,
  CASE WHEN tag_value IS NOT NULL THEN tag_key END AS tag_key, tag_value,
  resource_id, ${clusterOf(candidates)}, ${NAMES}, any_value(account_name) AS account_name, sum(cost) AS cost, bool_or(inside_day) AS inside_day,
  bool_or(is_usage) AS has_usage, bool_or(is_usage AND ${IS_WHOLE}) AS has_whole_usage,
  bool_or(is_purchase AND ${IS_WHOLE}) AS has_whole_purchase, bool_or(is_ahead) AS is_ahead,
  bool_or(written_on > last_day(billing_period)) AS is_after_month, bool_and(fell_back) AS fell_back,
  CAST(sum(row_count) AS BIGINT) AS row_count
FROM chosen_money GROUP BY ALL`;

/** Groups the daily money by billing period and day, with the columns that the shrink check compares (bill-shrink.ts). */
export const LOAD_DAYS = `
CREATE TEMP TABLE load_days AS
SELECT billing_period, day, bool_or(inside_day) AS inside_day, bool_or(has_usage) AS has_usage,
  bool_or(has_whole_usage) AS has_whole_usage, bool_or(is_ahead) AS is_ahead, bool_or(is_after_month) AS is_after_month,
  bool_and(fell_back) AS fell_back, sum(cost) AS cost,
  sum(row_count) AS row_count
FROM daily_money GROUP BY ALL`;

/** Selects the daily money by all columns that picks can use. */
export const CLOUD_SPEND = `
SELECT billing_period, day, cloud, account, split_kind, split_value, tag_key, tag_value, resource_id, resource_name, zone, cluster, namespace, cost
FROM daily_money`;

/** Selects the names of the accounts in this load. */
export const ACCOUNT_NAMES = `
SELECT billing_period, cloud, account, max(account_name) AS name
FROM daily_money WHERE account_name IS NOT NULL GROUP BY ALL`;

export const BILL_DAYS = 'SELECT billing_period, day, inside_day, cost FROM load_days';

/**
 * The days on which each account has usage, or purchases on two days in a row, such as the daily fees of a commitment. A
 * single purchase may come long before the first usage, or in a rest. Taxes and credits follow no rhythm of days.
 */
export const ACCOUNT_DAYS: UnitRows = {
  kind: 'account',
  unit: `cloud || '/' || account`,
  billingPeriod: 'billing_period',
  from: `daily_money LEFT JOIN (
    SELECT cloud, account, day FROM (SELECT DISTINCT cloud, account, day FROM daily_money WHERE has_whole_purchase)
    WINDOW days AS (PARTITION BY cloud, account ORDER BY day)
    QUALIFY lead(day) OVER days = day + 1 OR lag(day) OVER days = day - 1) AS daily_purchases USING (cloud, account, day)`,
  counts: 'has_whole_usage OR (has_whole_purchase AND daily_purchases.day IS NOT NULL)',
};

/**
 * Returns the SQL that groups days into billing periods. Only usage inside one day shows how far the source has delivered. A
 * charge that is spread over its month reaches future days. A tax of the last day says nothing about the days before. The last
 * UTC day of a bill in a time ahead of UTC goes on in the next one.
 */
export const billingPeriods = (costColumn: CostColumn) => ({
  billingPeriod: 'billing_period',
  costColumn: `CASE WHEN bool_and(fell_back) THEN 'BilledCost' ELSE ${sqlText(costColumn)} END`,
  broughtThrough: throughWeekend({
    brought: `COALESCE(max(day) FILTER (has_usage), max(day) FILTER (inside_day), max(day)) - CAST(bool_or(is_ahead) AS INTEGER)`,
    billingPeriod: 'billing_period',
    counts: 'has_usage AND day >= billing_period',
  }),
  cutDays: 'SELECT billing_period, day FROM load_days WHERE has_usage AND NOT has_whole_usage',
});
