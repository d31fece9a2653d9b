import type { Day, Month } from '../domain/calendar.ts';
import type { DecimalText } from '../domain/decimals.ts';
import { invalid } from '../domain/errors.ts';
import type { ExportFile } from './export-files.ts';
import { billingPeriodDay, focusRollUpStatement, nullable, type CostColumn } from './focus-roll-up.ts';
import { idAfter } from './ids.ts';
import type { RejectedSample } from './ingest-runs.ts';
import type { Session } from './session.ts';

/** What to load, and as of when. */
export interface FocusLoad {
  orgId: string;
  sourceId: string;
  runId: string;
  files: readonly ExportFile[];
  costColumn: CostColumn;
  /** The organisation's currency: any other in the export fails the load (design §4). */
  currency: string;
  /** Billing periods outside these months are left alone. */
  startMonth: Month | null;
  endMonth: Month | null;
  now: Date;
}

/** What a load did. */
export interface LoadResult {
  /** The months whose days the load holds, oldest first. */
  months: Month[];
  rowsRead: number;
  rowsRejected: number;
  rejectedSamples: RejectedSample[];
  costTotal: DecimalText;
  notes: string[];
}

/** More rows than this that cannot be read fail the load (design §4). */
const MOST_REJECTED_PERCENT = 1;
const MOST_SAMPLES = 20;

/**
 * Loads a FOCUS export: one pass over the files, then one load per billing period, published together by one
 * statement. Until that statement nobody sees a row, so a crash or a refusal changes nothing; done twice, the
 * second load replaces the first by the same numbers. Throws `invalid` for another currency, or for too many
 * rows that cannot be read.
 */
export const loadFocusExport = async (
  session: Session,
  load: FocusLoad,
  isCurrent: () => boolean,
): Promise<LoadResult> => {
  const loadId = await newLoadId(session, load);
  await dropTemporaryTables(session);
  try {
    await session.run(focusRollUpStatement('focus_roll_up', load.files, load.costColumn));
    const fallback = load.costColumn === 'EffectiveCost' ? await periodsWithoutEffectiveCost(session) : [];
    if (fallback.length > 0) {
      const billed = focusRollUpStatement('billed_roll_up', load.files, 'BilledCost', 'of $periods');
      await session.run(billed, { periods: fallback });
    } else await session.run('CREATE TEMP TABLE billed_roll_up AS FROM focus_roll_up LIMIT 0');
    await session.run(JUDGED_GROUPS, {
      start: load.startMonth === null ? null : `${load.startMonth}-01`,
      end: load.endMonth === null ? null : `${load.endMonth}-01`,
      periods: fallback,
    });
    await refuseOtherCurrencies(session, load.currency);
    const { rejected, samples } = await rejectedRows(session);
    const [read] = await session.query<{ row_count: string | null }>(
      'SELECT sum(row_count) AS row_count FROM judged_groups',
    );
    const rowsRead = Number(read?.row_count ?? 0) + rejected.brokenLines;
    const rowsRejected = rejected.unreadable + rejected.brokenLines;
    if (rowsRejected * 100 > rowsRead * MOST_REJECTED_PERCENT) {
      throw invalid(
        `${rowsRejected} of ${rowsRead} rows cannot be read, more than ${MOST_REJECTED_PERCENT} %: nothing was loaded. ` +
          samples
            .slice(0, 3)
            .map(({ problem, rows }) => `${problem} (${rows} rows)`)
            .join('; '),
      );
    }
    const periods = await loadedPeriods(session);
    const target = { org: load.orgId, source: load.sourceId, load: loadId };
    await session.run(INSERT_CLOUD_SPEND, target);
    await session.run(INSERT_ACCOUNT_SPEND, target);
    if (!isCurrent()) throw new Error('this attempt was given up; nothing was published');
    await session.run(PUBLISH, {
      ...target,
      run: load.runId,
      now: load.now.toISOString(),
      column: load.costColumn,
    });
    return {
      months: await loadedMonths(session, target),
      rowsRead,
      rowsRejected,
      rejectedSamples: samples,
      costTotal: (await costTotal(session)) ?? '0',
      notes: periods.filter(({ fell_back }) => fell_back).map(fallbackNote),
    };
  } finally {
    await dropTemporaryTables(session);
  }
};

/** An id that sorts after every load of the source so far: the newest reading is the current one. */
const newLoadId = async (session: Session, { orgId, sourceId }: FocusLoad): Promise<string> => {
  const [newest] = await session.query<{ load_id: string | null }>(
    'SELECT max(load_id) AS load_id FROM loads WHERE org_id = $org AND source_id = $source',
    { org: orgId, source: sourceId },
  );
  return idAfter(newest?.load_id ?? null);
};

const dropTemporaryTables = async (session: Session): Promise<void> => {
  for (const table of [
    'focus_roll_up',
    'billed_roll_up',
    'judged_groups',
    'broken_lines',
    'broken_line_scans',
  ]) {
    await session.run(`DROP TABLE IF EXISTS temp.main.${table}`);
  }
};

/**
 * The billing periods, as their texts stand, whose EffectiveCost is missing or zero in every row while their
 * BilledCost is not: they are read again by BilledCost. Never row by row, for a commitment purchase is rightly 0
 * (sources §1).
 */
const periodsWithoutEffectiveCost = async (session: Session): Promise<string[]> => {
  const rows = await session.query<{ billing_period: string }>(
    `SELECT DISTINCT CAST(billing_period AS VARCHAR) AS billing_period
     FROM focus_roll_up WHERE billing_period IS NOT NULL
     WINDOW same_period AS (PARTITION BY ${billingPeriodDay('billing_period')})
     QUALIFY NOT COALESCE(bool_or(cost_nonzero) OVER same_period, false)
       AND bool_or(billed_nonzero) OVER same_period`,
  );
  return rows.map(({ billing_period }) => billing_period);
};

/** The groups of the wanted billing periods; those of `$periods` as their BilledCost has it. */
const JUDGED_GROUPS = `
CREATE TEMP TABLE judged_groups AS
WITH all_groups AS (
  SELECT *, false AS fell_back FROM focus_roll_up
  WHERE NOT COALESCE(list_contains($periods, CAST(billing_period AS VARCHAR)), false)
  UNION ALL
  SELECT *, true AS fell_back FROM billed_roll_up),
dated_groups AS (
  SELECT * REPLACE (
    ${billingPeriodDay('billing_period')} AS billing_period, ${nullable('currency')} AS currency,
    ${nullable('provider')} AS provider, ${nullable('account')} AS account,
    ${nullable('account_name')} AS account_name, lower(${nullable('resource_id')}) AS resource_id),
    CAST(billing_period AS VARCHAR) AS raw_billing_period
  FROM all_groups),
judged AS (
  SELECT * EXCLUDE (raw_billing_period) REPLACE (
    CASE
      WHEN problem IS NOT NULL THEN problem
      WHEN billing_period IS NULL THEN 'BillingPeriodStart: expected a UTC time, got '
        || COALESCE('"' || left(raw_billing_period, 80) || '"', 'nothing')
      WHEN currency IS NULL THEN 'BillingCurrency: expected a currency, got nothing'
      WHEN provider IS NULL THEN 'ProviderName: expected a provider, got nothing'
      WHEN account IS NULL THEN 'SubAccountId: expected an account, got nothing'
    END AS problem)
  FROM dated_groups)
SELECT *, row_number() OVER () AS group_id FROM judged
WHERE billing_period IS NULL
  OR (date_trunc('month', billing_period) >= COALESCE($start::DATE, DATE '0001-01-01')
      AND date_trunc('month', billing_period) <= COALESCE($end::DATE, DATE '9999-12-31'))`;

const refuseOtherCurrencies = async (session: Session, currency: string): Promise<void> => {
  const others = await session.query<{ currency: string; row_count: string }>(
    `SELECT currency, sum(row_count) AS row_count FROM judged_groups
     WHERE problem IS NULL AND upper(trim(currency)) <> $currency GROUP BY ALL ORDER BY ALL`,
    { currency },
  );
  if (others.length === 0) return;
  const found = others.map((other) => `${other.currency} in ${other.row_count} rows`).join(', ');
  throw invalid(
    `BillingCurrency: expected ${currency}, the organisation's currency, got ${found}; money is never converted, nothing was loaded`,
  );
};

const rejectedRows = async (
  session: Session,
): Promise<{ rejected: { unreadable: number; brokenLines: number }; samples: RejectedSample[] }> => {
  const samples = await session.query<{ problem: string; file: string | null; row_count: string }>(
    `SELECT problem, any_value(file) AS file, sum(row_count)::BIGINT AS row_count
     FROM judged_groups WHERE problem IS NOT NULL
     GROUP BY problem ORDER BY row_count DESC, problem`,
  );
  const [tables] = await session.query<{ broken: boolean }>(
    `SELECT count(*) > 0 AS broken FROM duckdb_tables() WHERE temporary AND table_name = 'broken_lines'`,
  );
  const all = samples.map(({ problem, file, row_count }) => ({ problem, file, rows: Number(row_count) }));
  const rejected = { unreadable: all.reduce((sum, { rows }) => sum + rows, 0), brokenLines: 0 };
  if (tables?.broken !== true) return { rejected, samples: all.slice(0, MOST_SAMPLES) };
  const broken = await session.query<{ problem: string; file: string; row_count: string }>(
    `SELECT 'line ' || min(line) || ': ' || lower(error_type) || ': ' || left(arg_min(error_message, line), 200) AS problem,
       file_path AS file, count(DISTINCT line) AS row_count
     FROM temp.main.broken_lines JOIN temp.main.broken_line_scans USING (scan_id, file_id)
     GROUP BY file_path, error_type ORDER BY row_count DESC, file_path LIMIT ${MOST_SAMPLES}`,
  );
  const [lines] = await session.query<{ row_count: string }>(
    'SELECT count(*) AS row_count FROM (SELECT DISTINCT scan_id, file_id, line FROM temp.main.broken_lines)',
  );
  rejected.brokenLines = Number(lines?.row_count ?? 0);
  const brokenSamples = broken.map(({ problem, file, row_count }) => ({
    problem,
    file,
    rows: Number(row_count),
  }));
  return { rejected, samples: [...brokenSamples, ...all].slice(0, MOST_SAMPLES) };
};

const loadedMonths = async (
  session: Session,
  target: { org: string; source: string; load: string },
): Promise<Month[]> => {
  const rows = await session.query<{ month: Month }>(
    `SELECT DISTINCT strftime(day, '%Y-%m') AS month FROM account_spend
     WHERE org_id = $org AND source_id = $source AND load_id = $load::UUID ORDER BY month`,
    target,
  );
  return rows.map(({ month }) => month);
};

interface Period {
  billing_period: Day;
  fell_back: boolean;
}

const loadedPeriods = (session: Session): Promise<Period[]> =>
  session.query<Period>(
    `SELECT billing_period, any_value(fell_back) AS fell_back FROM judged_groups
     WHERE problem IS NULL GROUP BY ALL ORDER BY ALL`,
  );

const fallbackNote = ({ billing_period }: Period): string =>
  `billing period ${billing_period}: EffectiveCost is missing or zero in every row, BilledCost was used instead`;

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

const INSERT_CLOUD_SPEND = `
INSERT INTO cloud_spend BY NAME
WITH ${DAILY_MONEY}
SELECT $org AS org_id, $source AS source_id, $load::UUID AS load_id, billing_period, day, ${CLOUD} AS cloud, account,
  resource_id, sum(cost) AS cost
FROM daily_money GROUP BY ALL`;

const INSERT_ACCOUNT_SPEND = `
INSERT INTO account_spend BY NAME
WITH ${DAILY_MONEY}
SELECT $org AS org_id, $source AS source_id, $load::UUID AS load_id, billing_period, day, ${CLOUD} AS cloud, account,
  any_value(account_name) AS account_name, sum(cost) AS cost
FROM daily_money GROUP BY ALL`;

/**
 * Publishes the load. How far the source has delivered is read off the rows that lie inside one day: a charge
 * spread over its month reaches days that are still to come.
 */
const PUBLISH = `
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

const costTotal = async (session: Session): Promise<DecimalText | null> => {
  const [row] = await session.query<{ cost: DecimalText | null }>(
    `SELECT CAST(sum(CASE WHEN span_start IS NULL THEN cost ELSE span_cost * row_count END) AS DECIMAL(38,15)) AS cost
     FROM judged_groups WHERE problem IS NULL`,
  );
  return row?.cost ?? null;
};
