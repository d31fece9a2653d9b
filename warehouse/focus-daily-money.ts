// The statements that turn the judged groups of an export (focus-load.ts) into spend, and publish it.

/**
 * Daily money of every readable row. A row inside one UTC day belongs to it; a longer one is spread over
 * [start, end) by seconds in whole 10⁻¹⁵ units, and its last day takes what the division leaves, so that the
 * parts add up exactly (sources §1).
 */
const DAILY_MONEY = `
spans AS (
  SELECT * EXCLUDE (day),
    CAST(replace(CAST(span_cost AS VARCHAR), '.', '') AS HUGEINT) AS units,
    CAST(unnest(generate_series(CAST(span_start AS DATE), CAST(span_end - INTERVAL 1 MICROSECOND AS DATE), INTERVAL 1 DAY)) AS DATE) AS day
  FROM judged_groups WHERE problem IS NULL AND span_start IS NOT NULL),
span_units AS (
  SELECT * EXCLUDE (units), units AS row_units,
    day = CAST(span_end - INTERVAL 1 MICROSECOND AS DATE) AS is_last,
    units * date_diff('second', greatest(span_start, CAST(day AS TIMESTAMP)), least(span_end, CAST(day + 1 AS TIMESTAMP)))
      // date_diff('second', span_start, span_end) AS units
  FROM spans),
span_days AS (
  SELECT *, CASE WHEN is_last
      THEN row_units - (sum(units) OVER (PARTITION BY group_id) - units)
      ELSE units END * row_count AS day_units
  FROM span_units),
daily_money AS (
  SELECT billing_period, day, provider, account, account_name, resource_id, cost, true AS inside_day
  FROM judged_groups WHERE problem IS NULL AND span_start IS NULL
  UNION ALL
  SELECT billing_period, day, provider, account, account_name, resource_id,
    CAST(CAST(day_units // 1000000000000000 AS DECIMAL(23,0)) AS DECIMAL(38,15))
      + CAST(CAST(day_units % 1000000000000000 AS DECIMAL(15,0)) * 0.000000000000001 AS DECIMAL(38,15)) AS cost,
    false AS inside_day
  FROM span_days)`;

/** The cloud by its short name: aws, azure, gcp, oci, or the provider's own name in lower case (contract §3). */
const CLOUD = `CASE
    WHEN regexp_matches(lower(provider), '\\b(aws|amazon)\\b') THEN 'aws'
    WHEN regexp_matches(lower(provider), '\\b(microsoft|azure)\\b') THEN 'azure'
    WHEN regexp_matches(lower(provider), '\\b(google|gcp)\\b') THEN 'gcp'
    WHEN regexp_matches(lower(provider), '\\b(oracle|oci)\\b') THEN 'oci'
    ELSE lower(trim(provider)) END`;

/** Stores the daily money by everything that can be picked later. */
export const INSERT_CLOUD_SPEND = `
INSERT INTO cloud_spend BY NAME
WITH ${DAILY_MONEY}
SELECT $org AS org_id, $source AS source_id, $load::UUID AS load_id, billing_period, day, ${CLOUD} AS cloud, account,
  resource_id, sum(cost) AS cost
FROM daily_money GROUP BY ALL`;

/** Stores the same money by account alone. */
export const INSERT_ACCOUNT_SPEND = `
INSERT INTO account_spend BY NAME
WITH ${DAILY_MONEY}
SELECT $org AS org_id, $source AS source_id, $load::UUID AS load_id, billing_period, day, ${CLOUD} AS cloud, account,
  any_value(account_name) AS account_name, sum(cost) AS cost
FROM daily_money GROUP BY ALL`;

/**
 * Publishes the load. How far the source has delivered is read off the rows that lie inside one day: a charge
 * spread over its month reaches days that are still to come.
 */
export const PUBLISH = `
INSERT INTO loads BY NAME
WITH ${DAILY_MONEY},
rows_read AS (
  SELECT billing_period, any_value(fell_back) AS fell_back, sum(row_count)::BIGINT AS row_count
  FROM judged_groups WHERE problem IS NULL GROUP BY ALL),
delivered AS (
  SELECT billing_period, min(day) AS first_day, sum(cost) AS cost_total,
    least(COALESCE(max(day) FILTER (inside_day), max(day)), CAST($now::TIMESTAMP AS DATE)) AS delivered_through
  FROM daily_money GROUP BY ALL)
SELECT $org AS org_id, $source AS source_id, $load::UUID AS load_id, $run AS run_id, $now::TIMESTAMP AS published_at,
  billing_period, CASE WHEN fell_back THEN 'BilledCost' ELSE $column END AS cost_column, row_count AS rows_read,
  COALESCE(cost_total, 0) AS cost_total, first_day, delivered_through
FROM rows_read LEFT JOIN delivered USING (billing_period)`;
