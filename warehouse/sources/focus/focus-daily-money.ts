import { invalid } from '../../../domain/shared/errors.ts';
import { chosenValue, columnsOf, type Candidate } from './collected-values.ts';
import { moneyOfUnits, unitsOf } from '../../engine/sql/money-units.ts';
import { STORED } from '../feeds/read-feed.ts';
import type { Statements } from '../../engine/session.ts';

// The statements that turn the judged groups of an export (focus-load.ts) into spend, and publish it.

/**
 * Daily money of every readable row. A row inside one UTC day belongs to it; a longer one is spread over
 * [start, end) by seconds in whole 10⁻¹⁵ units, and its last day takes what the division leaves, so that the
 * parts add up exactly (sources §1). Of the candidates each day keeps those that were chosen for its cloud or
 * account by then (spec §1, cloud picks, rule 6).
 *
 * Returns a statement for each part of the money, which a reader has the memory for.
 *
 * @throws ServiceError `invalid` if long charges make too many days of few rows.
 */
export const dailyMoney = async (reader: Statements, candidates: readonly Candidate[]): Promise<string[]> => {
  const [groups] = await reader.query<{ count: string; days: string | null }>(
    `SELECT count(*) AS count, sum(COALESCE(date_diff('day', span_start, span_end) + 1, 1)) AS days
     FROM judged_groups WHERE ${STORED}`,
  );
  const [count, days] = [Number(groups?.count), Number(groups?.days ?? 0)];
  if (days > Math.max(MOST_DAYS, count * MOST_DAYS_OF_CHARGE)) {
    throw invalid(
      `ChargePeriodEnd: expected at most ${MOST_DAYS} days of charges, or ${MOST_DAYS_OF_CHARGE} of each, ` +
        `got ${count} charges of ${days} days in all; nothing was loaded`,
    );
  }
  const parts = Math.max(1, Math.ceil(days / DAYS_OF_PART));
  return Array.from({ length: parts }, (_, part) =>
    dailyMoneyOf(`${STORED} AND hash(account, resource_id) % ${parts} = ${part}`, candidates),
  );
};

/** A charge of a month is spread over its days; ones of years are few. */
const MOST_DAYS_OF_CHARGE = 40;
const MOST_DAYS = 10_000_000;

const DAYS_OF_PART = 500_000;

const dailyMoneyOf = (condition: string, candidates: readonly Candidate[]): string => `
WITH spans AS (
  SELECT *, ${unitsOf('span_cost')} AS units,
    CAST(span_start AS DATE) AS first_day, CAST(span_end - INTERVAL 1 MICROSECOND AS DATE) AS last_day
  FROM judged_groups WHERE ${condition} AND span_start IS NOT NULL),
-- All days between the first and the last of a charge are whole, so that they get the same.
shares AS (
  SELECT *, units * date_diff('second', span_start, CAST(first_day + 1 AS TIMESTAMP)) // date_diff('second', span_start, span_end) AS first_units,
    units * 86400 // date_diff('second', span_start, span_end) AS middle_units
  FROM spans),
span_groups AS (
  SELECT billing_period, cloud, account, any_value(account_name) AS account_name, resource_id,
    ${columnsOf(candidates)}first_day, last_day,
    sum(first_units * row_count) AS first_units, sum(middle_units * row_count) AS middle_units,
    sum((units - first_units - middle_units * (last_day - first_day - 1)) * row_count) AS last_units
  FROM shares GROUP BY ALL),
span_days AS (
  SELECT *, CAST(unnest(generate_series(first_day, last_day, INTERVAL 1 DAY)) AS DATE) AS day FROM span_groups),
day_units AS (
  SELECT *, CASE day WHEN first_day THEN first_units WHEN last_day THEN last_units ELSE middle_units END AS day_units
  FROM span_days),
money AS (
  SELECT billing_period, day, cloud, account, account_name, resource_id, ${columnsOf(candidates)}cost, true AS inside_day
  FROM judged_groups WHERE ${condition} AND span_start IS NULL
  UNION ALL
  SELECT billing_period, day, cloud, account, account_name, resource_id, ${columnsOf(candidates)}
    ${moneyOfUnits('day_units')} AS cost,
    false AS inside_day
  FROM day_units),
chosen_money AS (
  SELECT money.*, split.choice AS split_kind, ${chosenValue(candidates, 'split', 'split.choice')} AS split_value,
    tag.choice AS tag_key, ${chosenValue(candidates, 'tag', 'tag.choice')} AS tag_value
  FROM money
  LEFT JOIN temp.main.focus_choices AS split
    ON split.kind = 'split' AND split.cloud = money.cloud AND split.account = money.account AND split.first_day <= day
  LEFT JOIN temp.main.focus_choices AS tag
    ON tag.kind = 'tag' AND tag.cloud = money.cloud AND tag.first_day <= day)
SELECT billing_period, day, cloud, account,
  CASE WHEN split_value IS NOT NULL THEN split_kind END AS split_kind, split_value,
  CASE WHEN tag_value IS NOT NULL THEN tag_key END AS tag_key, tag_value,
  resource_id, any_value(account_name) AS account_name, sum(cost) AS cost, bool_or(inside_day) AS inside_day
FROM chosen_money GROUP BY ALL`;

/** The billing periods that were read, with their rows and whether they fell back. */
export const READ_PERIODS = `
SELECT billing_period, bool_and(fell_back) AS fell_back, sum(row_count)::BIGINT AS row_count
FROM judged_groups WHERE ${STORED} GROUP BY ALL`;

/** Stores the daily money by everything that can be picked later. */
export const INSERT_CLOUD_SPEND = `
INSERT INTO cloud_spend BY NAME
SELECT $org AS org_id, $source AS source_id, $load::UUID AS load_id, billing_period, day, cloud, account,
  split_kind, split_value, tag_key, tag_value, resource_id, cost
FROM daily_money`;

/** Stores what the accounts are called in this load, those that have a name. */
export const INSERT_ACCOUNT_NAMES = `
INSERT INTO account_names BY NAME
SELECT $org AS org_id, $source AS source_id, $load::UUID AS load_id, billing_period, cloud, account,
  max(account_name) AS name
FROM daily_money WHERE account_name IS NOT NULL GROUP BY ALL`;

/** Stores what this load has of each day, for the load that comes after it (bill-shrink.ts). */
export const INSERT_BILL_DAYS = `
INSERT INTO bill_days BY NAME
SELECT $org AS org_id, $source AS source_id, $load::UUID AS load_id, billing_period, day,
  bool_or(inside_day) AS inside_day, sum(cost) AS cost
FROM daily_money GROUP BY ALL`;

/**
 * Publishes the load. How far the source has delivered is read off the rows that lie inside one day: a charge
 * spread over its month reaches days that are still to come.
 */
export const PUBLISH = `
INSERT INTO loads BY NAME
WITH delivered AS (
  SELECT billing_period, min(day) AS first_day, max(day) AS last_day, sum(cost) AS cost_total,
    least(COALESCE(max(day) FILTER (inside_day), max(day)), CAST($now::TIMESTAMP AS DATE)) AS delivered_through
  FROM daily_money GROUP BY ALL)
SELECT $org AS org_id, $source AS source_id, $load::UUID AS load_id, $run AS run_id, $now::TIMESTAMP AS published_at,
  billing_period, CASE WHEN fell_back THEN 'BilledCost' ELSE $column END AS cost_column, row_count AS rows_read,
  COALESCE(cost_total, 0) AS cost_total, first_day, last_day, delivered_through
FROM read_periods LEFT JOIN delivered USING (billing_period)`;
