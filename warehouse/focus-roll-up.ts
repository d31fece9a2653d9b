import type { ExportColumn, ExportFile } from './export-files.ts';
import { CSV_OPTIONS } from './export-files.ts';
import { sqlText } from './sql-text.ts';

/** What the loader reads of a FOCUS row, each from the first of its columns that has a value (sources §1). */
const COLUMNS = {
  effective: ['EffectiveCost'],
  billed: ['BilledCost'],
  currency: ['BillingCurrency'],
  period_start: ['ChargePeriodStart'],
  period_end: ['ChargePeriodEnd'],
  billing_period: ['BillingPeriodStart'],
  provider: ['ServiceProviderName', 'ProviderName', 'PublisherName', 'InvoiceIssuerName'],
  account: ['SubAccountId', 'BillingAccountId'],
  account_name: ['SubAccountName'],
  category: ['ServiceCategory'],
  resource: ['ResourceId'],
} as const;

type Field = keyof typeof COLUMNS;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A column as text: in Parquet the three spellings of null count too, as they do in CSV. */
const asText = ({ name, type }: ExportColumn, format: ExportFile['format']): string => {
  if (type !== 'VARCHAR') return `CAST(${quoted(name)} AS VARCHAR)`;
  return format === 'csv'
    ? quoted(name)
    : `CASE WHEN ${quoted(name)} NOT IN ('NULL', 'null', '') THEN ${quoted(name)} END`;
};

/**
 * A text as a UTC instant. The plain cast is fast but drops an offset, so it serves only the forms that have
 * none; the others, and times without seconds, take the slow road.
 */
const timeFromText = (text: string): string => `COALESCE(
    CASE WHEN suffix(${text}, 'Z') OR length(${text}) IN (10, 19) THEN TRY_CAST(${text} AS TIMESTAMP) END,
    timezone('UTC', TRY_CAST(
      regexp_replace(${text}, '^(.{10}[T ]\\d\\d:\\d\\d)(Z|[+-].*)?$', '\\1:00\\2') AS TIMESTAMPTZ)))`;

const asTime = (column: ExportColumn, format: ExportFile['format']): string => {
  if (column.type === 'TIMESTAMP WITH TIME ZONE') return `timezone('UTC', ${quoted(column.name)})`;
  if (/^(TIMESTAMP|DATE)/.test(column.type)) return `CAST(${quoted(column.name)} AS TIMESTAMP)`;
  return timeFromText(asText(column, format));
};

/** An amount as an exact decimal; the narrow cast is twenty times faster and fits all but the largest lines. */
const asMoney = (column: ExportColumn, format: ExportFile['format']): string => {
  const amount = column.type === 'VARCHAR' ? asText(column, format) : quoted(column.name);
  return `COALESCE(CAST(TRY_CAST(${amount} AS DECIMAL(18,15)) AS DECIMAL(38,15)), TRY_CAST(${amount} AS DECIMAL(38,15)))`;
};

/** The columns without which a row means nothing; each names the alternatives that would do. */
export const missingColumns = (file: ExportFile, costColumn: 'EffectiveCost' | 'BilledCost'): string[] => {
  const cost = costColumn === 'EffectiveCost' ? 'effective' : 'billed';
  const mandatory: Field[] = [
    cost,
    'currency',
    'period_start',
    'period_end',
    'billing_period',
    'provider',
    'account',
  ];
  return mandatory
    .filter((field) => present(file, field).length === 0)
    .map((field) => COLUMNS[field].join(' or '));
};

const present = (file: ExportFile, field: Field): ExportColumn[] =>
  COLUMNS[field].flatMap((wanted) =>
    file.columns.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase()),
  );

const textOf = (file: ExportFile, field: Field): string => {
  const texts = present(file, field).map((column) => asText(column, file.format));
  return texts.length === 0 ? 'CAST(NULL AS VARCHAR)' : `COALESCE(${texts.join(', ')})`;
};

const timeOf = (file: ExportFile, field: Field): string => {
  const [column] = present(file, field);
  return column === undefined ? 'CAST(NULL AS TIMESTAMP)' : asTime(column, file.format);
};

const moneyOf = (file: ExportFile, field: Field): string => {
  const [column] = present(file, field);
  return column === undefined ? 'CAST(NULL AS DECIMAL(38,15))' : asMoney(column, file.format);
};

/** Files with the same columns in the same order are read together. */
const sameShape = (files: readonly ExportFile[]): ExportFile[][] => {
  const shapes = new Map<string, ExportFile[]>();
  for (const file of files) {
    const shape = JSON.stringify([file.format, file.columns]);
    shapes.set(shape, [...(shapes.get(shape) ?? []), file]);
  }
  return [...shapes.values()];
};

const scan = (files: readonly ExportFile[], file: ExportFile): string => {
  const paths = `[${files.map(({ path }) => sqlText(path)).join(', ')}]`;
  if (file.format === 'parquet') return `read_parquet(${paths}, filename = true)`;
  const columns = file.columns.map(({ name }) => `${sqlText(name)}: 'VARCHAR'`).join(', ');
  return `read_csv(${paths}, ${CSV_OPTIONS}, header = true, columns = {${columns}}, filename = true,
    store_rejects = true, rejects_table = 'broken_lines', rejects_scan = 'broken_line_scans')`;
};

/** One row per line of the export, typed; what cannot be typed is null and its text kept for the report. */
const typedRows = (files: readonly ExportFile[], file: ExportFile): string => `
  SELECT filename AS file,
    ${timeOf(file, 'period_start')} AS period_start, ${textOf(file, 'period_start')} AS period_start_text,
    ${timeOf(file, 'period_end')} AS period_end, ${textOf(file, 'period_end')} AS period_end_text,
    ${moneyOf(file, 'effective')} AS effective, ${textOf(file, 'effective')} AS effective_text,
    ${moneyOf(file, 'billed')} AS billed, ${textOf(file, 'billed')} AS billed_text,
    ${textOf(file, 'billing_period')} AS billing_period, ${textOf(file, 'currency')} AS currency,
    ${textOf(file, 'provider')} AS provider, ${textOf(file, 'account')} AS account,
    ${textOf(file, 'account_name')} AS account_name,
    CASE WHEN ${textOf(file, 'category')} IN ('Compute', 'Networking', 'Storage')
      THEN ${textOf(file, 'resource')} END AS resource_id
  FROM ${scan(files, file)}`;

const got = (text: string): string => `COALESCE('"' || left(${text}, 80) || '"', 'nothing')`;

/**
 * The one pass over an export: a roll-up to day, billing period, account and resource, for one `GROUP BY` over
 * all files whatever their size; memory follows the number of groups. Kept as they stand, to be judged when the
 * whole is known: both cost columns (for the fallback), rows longer than a UTC day (for the spread), and rows
 * that cannot be read, by problem (sources §1).
 *
 * Creates the temporary table `focus_roll_up`.
 */
export const focusRollUpStatement = (
  files: readonly ExportFile[],
  costColumn: 'EffectiveCost' | 'BilledCost',
): string => {
  const cost = costColumn === 'EffectiveCost' ? 'effective' : 'billed';
  const scans = sameShape(files).flatMap((shape) =>
    shape[0] === undefined ? [] : [typedRows(shape, shape[0])],
  );
  return `
CREATE TEMP TABLE focus_roll_up AS
WITH typed_rows AS (${scans.join('\n  UNION ALL')}),
judged_rows AS (
  SELECT *,
    CASE
      WHEN period_start IS NULL THEN 'ChargePeriodStart: expected a UTC time, got ' || ${got('period_start_text')}
      WHEN period_end IS NULL THEN 'ChargePeriodEnd: expected a UTC time, got ' || ${got('period_end_text')}
      WHEN period_end < period_start THEN 'ChargePeriodEnd: expected a time not before ChargePeriodStart, got ' || ${got('period_end_text')}
      WHEN period_end > period_start + INTERVAL 20 YEAR THEN 'ChargePeriodEnd: expected a charge period below 20 years, got ' || ${got('period_end_text')}
      WHEN ${cost} IS NULL AND ${cost}_text IS NOT NULL THEN '${costColumn}: expected a decimal number, got ' || ${got(`${cost}_text`)}
      WHEN billing_period IS NULL THEN 'BillingPeriodStart: expected a UTC time, got nothing'
      WHEN currency IS NULL THEN 'BillingCurrency: expected a currency, got nothing'
      WHEN provider IS NULL THEN 'ProviderName: expected a provider, got nothing'
      WHEN account IS NULL THEN 'SubAccountId: expected an account, got nothing'
    END AS problem,
    period_end > CAST(CAST(period_start AS DATE) + 1 AS TIMESTAMP) AS spans_days
  FROM typed_rows)
SELECT
  problem, currency, billing_period, provider, account, resource_id,
  CAST(period_start AS DATE) AS day,
  CASE WHEN spans_days THEN period_start END AS span_start,
  CASE WHEN spans_days THEN period_end END AS span_end,
  CASE WHEN spans_days THEN effective END AS span_effective,
  CASE WHEN spans_days THEN billed END AS span_billed,
  any_value(account_name) AS account_name,
  any_value(CASE WHEN problem IS NOT NULL THEN file END) AS file,
  sum(effective) AS effective, sum(billed) AS billed,
  count(*) AS row_count,
  count(effective) AS effective_rows, count(billed) AS billed_rows,
  count_if(effective <> 0) AS effective_nonzero, count_if(billed <> 0) AS billed_nonzero
FROM judged_rows
GROUP BY ALL`;
};

/** A billing period's text as its first day. */
export const billingPeriodDay = (text: string): string => `CAST(${timeFromText(text)} AS DATE)`;
