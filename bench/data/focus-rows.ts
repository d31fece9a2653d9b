/** Services as [name, category, resource kind, unit]. As on a real bill, the first eight have most of the lines. */
const SERVICES = [
  ['Amazon Elastic Compute Cloud', 'Compute', 'instance', 'Hours'],
  ['Amazon Simple Storage Service', 'Storage', 'bucket', 'GB-Months'],
  ['Elastic Load Balancing', 'Networking', 'loadbalancer', 'LCU-Hours'],
  ['Amazon Relational Database Service', 'Databases', 'db', 'Hours'],
  ['AmazonCloudWatch', 'Management and Governance', 'metric', 'Metrics'],
  ['AWS Lambda', 'Compute', 'function', 'Requests'],
  ['Amazon Elastic Block Store', 'Storage', 'volume', 'GB-Months'],
  ['Amazon Virtual Private Cloud', 'Networking', 'natgateway', 'Hours'],
  ...Array.from({ length: 32 }, (_, at) => [
    `AWS Service ${at + 9}`,
    ['Compute', 'Analytics', 'Security', 'Integration'][at % 4] ?? 'Other',
    'resource',
    'Requests',
  ]),
] as const;

const list = (texts: readonly (string | undefined)[]): string =>
  `[${texts.map((text) => `'${text ?? ''}'`).join(', ')}]`;

const REGIONS = ['us-east-1', 'us-west-2', 'us-east-2', 'eu-west-1', 'eu-central-1', 'ap-southeast-2'];
const TEAMS = ['checkout', 'search', 'payments', 'platform', 'data', 'growth', 'mobile', 'web'];

/** SQL for a repeatable choice from 0 to below `below`, by some expressions and a salt. */
const pick = (below: number, salt: string, ...by: string[]): string =>
  `CAST(hash(${by.join(', ')}, '${salt}') % ${below} AS INTEGER)`;

/**
 * Returns the statement for the hourly lines of an export of two billing months, in the form of the FinOps Foundation's FOCUS 1.0
 * sample: 200 sub accounts, 40 services, 50,000 resources. Four lines in five belong to a resource with a charge for every hour
 * of a day, and one to a few busy resources (buckets, functions). Lines of the same hour are adjacent, and days are mixed.
 * 0.5 % cover their whole month (purchases, taxes), and 1 % are negative credits. DuckDB's hash repeats all choices.
 */
export const focusRows = (rows: number): string => `
WITH lines AS (
  SELECT i, i >= ${Math.ceil(rows / 2)} AS second_month, ${pick(5, 'scattered', 'i')} = 0 AS scattered,
    ${pick(1000, 'kind', 'i')} AS kind,
    -- 1,000 resources side by side, hour by hour.
    (i // 24000) * 1000 + i % 1000 AS resource_day, CAST(i % 24000 // 1000 AS INTEGER) AS chunk_hour
  FROM range(${rows}) AS lines(i)),
placed AS (
  SELECT *,
    CASE WHEN second_month THEN TIMESTAMP '2026-02-01' ELSE TIMESTAMP '2026-01-01' END AS month_start,
    CASE WHEN second_month THEN TIMESTAMP '2026-03-01' ELSE TIMESTAMP '2026-02-01' END AS month_end,
    CASE WHEN scattered THEN 45000 + ${pick(5000, 'resource', 'i')} ELSE ${pick(45000, 'resource', 'resource_day')} END AS resource,
    CASE WHEN scattered THEN ${pick(10_000, 'day', 'i')} ELSE ${pick(10_000, 'day', 'resource_day')} END AS day_choice,
    CASE WHEN scattered THEN ${pick(24, 'hour', 'i')} ELSE chunk_hour END AS hour,
    -- Most lines cost cents, a few cost dollars.
    CAST(pow(${pick(1_000_000, 'cost', 'i')} / 1000000.0, 6) * 5 AS DECIMAL(18,10)) AS amount
  FROM lines),
timed AS (
  SELECT *,
    month_start + to_days(CAST(day_choice % date_diff('day', month_start, month_end) AS INTEGER)) + to_hours(hour) AS hour_start,
    kind < 5 AS whole_month, kind BETWEEN 5 AND 14 AS credit, kind BETWEEN 15 AND 114 AS committed,
    ${pick(200, 'account', 'resource')} AS account,
    1 + CAST(floor(40 * pow(${pick(1000, 'service', 'resource')} / 1000.0, 2.2)) AS INTEGER) AS service,
    1 + ${pick(REGIONS.length, 'region', 'resource')} AS region, ${pick(900, 'sku', 'resource')} AS sku
  FROM placed),
priced AS (
  SELECT *, CASE WHEN whole_month THEN amount * 200 WHEN credit THEN -amount ELSE amount END AS cost,
    ${list(SERVICES.map(([name]) => name))}[service] AS service_name,
    ${list(SERVICES.map(([, category]) => category))}[service] AS service_category,
    ${list(SERVICES.map(([, , kind]) => kind))}[service] AS resource_kind,
    ${list(SERVICES.map(([, , , unit]) => unit))}[service] AS unit,
    ${list(REGIONS)}[region] AS region_id
  FROM timed)
SELECT
  CASE WHEN resource % 3 = 0 THEN region_id || 'a' END AS AvailabilityZone,
  CAST(CASE WHEN committed THEN 0 ELSE cost END AS DOUBLE) AS BilledCost,
  '1234567890123' AS BillingAccountId, 'SunBird' AS BillingAccountName, 'USD' AS BillingCurrency,
  month_end AS BillingPeriodEnd, month_start AS BillingPeriodStart,
  CASE WHEN kind < 2 THEN 'Tax' WHEN whole_month THEN 'Purchase' WHEN credit THEN 'Credit' ELSE 'Usage' END AS ChargeCategory,
  CAST(NULL AS VARCHAR) AS ChargeClass,
  '$' || CAST(sku / 1000.0 AS DECIMAL(9,3)) || ' per ' || unit || ' (or partial) - ' || service_name || ' usage in ' || region_id AS ChargeDescription,
  CASE WHEN whole_month THEN 'Recurring' ELSE 'Usage-Based' END AS ChargeFrequency,
  CASE WHEN whole_month THEN month_end ELSE hour_start + INTERVAL 1 HOUR END AS ChargePeriodEnd,
  CASE WHEN whole_month THEN month_start ELSE hour_start END AS ChargePeriodStart,
  CASE WHEN committed THEN 'Spend' END AS CommitmentDiscountCategory,
  CASE WHEN committed THEN 'arn:aws:savingsplans::' || account || ':savingsplan/' || md5(CAST(account AS VARCHAR)) END AS CommitmentDiscountId,
  CAST(NULL AS VARCHAR) AS CommitmentDiscountName,
  CASE WHEN committed THEN 'Used' END AS CommitmentDiscountStatus,
  CASE WHEN committed THEN 'Savings Plan' END AS CommitmentDiscountType,
  CAST(amount * 7 AS DOUBLE) AS ConsumedQuantity, unit AS ConsumedUnit,
  CAST(cost * 1.1 AS DOUBLE) AS ContractedCost, CAST(sku / 900.0 AS DOUBLE) AS ContractedUnitPrice,
  CAST(cost AS DOUBLE) AS EffectiveCost, 'Amazon Web Services, Inc.' AS InvoiceIssuerName,
  CAST(cost * 1.2 AS DOUBLE) AS ListCost, CAST(sku / 1000.0 AS DOUBLE) AS ListUnitPrice,
  CASE WHEN committed THEN 'Committed' ELSE 'Standard' END AS PricingCategory,
  CAST(amount * 7 AS DOUBLE) AS PricingQuantity, unit AS PricingUnit,
  'AWS' AS ProviderName, 'Amazon Web Services, Inc.' AS PublisherName,
  region_id AS RegionId, 'Region ' || region_id AS RegionName,
  CASE WHEN NOT whole_month AND resource % 12 > 0 THEN
    'arn:aws:' || resource_kind || ':' || region_id || ':' || account || ':' || resource_kind || '/i-' || left(md5(CAST(resource AS VARCHAR)), 17)
  END AS ResourceId,
  CASE WHEN resource % 20 = 0 THEN 'resource-' || resource END AS ResourceName,
  resource_kind AS ResourceType, service_category AS ServiceCategory, service_name AS ServiceName,
  upper(left(md5('sku' || sku), 16)) AS SkuId, upper(left(md5('sku' || sku), 16)) || '.JRTCKXETXF.6YS6EN2CT7' AS SkuPriceId,
  CAST(18938484000 + account AS VARCHAR) AS SubAccountId, 'Atlas ' || account AS SubAccountName,
  CASE WHEN resource % 5 > 0 THEN
    '{"application": "app-' || resource % 300 || '", "environment": "' || ['prod', 'dev', 'stage'][1 + resource % 3] ||
    '", "business_unit": "unit-' || account % 20 || '", "team": "' || ${list(TEAMS)}[1 + resource % ${TEAMS.length}] || '"}'
  END AS Tags
FROM priced`;

const COSTS = ['BilledCost', 'ContractedCost', 'EffectiveCost', 'ListCost'];

/** Returns the statement for the same lines as CSV. Costs have ten decimals, as on bills, instead of binary floating point. */
export const csvRows = (parquet: string): string =>
  `SELECT * REPLACE (${COSTS.map((name) => `CAST(${name} AS DECIMAL(18,10)) AS ${name}`).join(', ')})
  FROM read_parquet('${parquet}')`;
