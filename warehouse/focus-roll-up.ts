import type { ExportColumn, ExportFile } from './export-files.ts';
import { compressionOf, CSV_OPTIONS } from './export-files.ts';
import { sqlText } from './sql-text.ts';

/** What the loader reads of a FOCUS row, each from the first of its columns that has a value (sources §1). */
const COLUMNS = {
  EffectiveCost: ['EffectiveCost'],
  BilledCost: ['BilledCost'],
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

/** Which column is the cost: amortised, or as invoiced. */
export type CostColumn = 'EffectiveCost' | 'BilledCost';

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A text without the three spellings of null; CSV's are null already when they are read. */
export const nullable = (text: string): string =>
  `CASE WHEN ${text} NOT IN ('NULL', 'null', '') THEN ${text} END`;

/** A column as text. */
const asText = ({ name, type }: ExportColumn, format: ExportFile['format']): string => {
  if (type !== 'VARCHAR') return `CAST(${quoted(name)} AS VARCHAR)`;
  return format === 'csv' ? quoted(name) : nullable(quoted(name));
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

/** A text or decimal as money; the narrow cast is twenty times faster and fits all but the largest lines. */
const decimal = (amount: string): string =>
  `COALESCE(CAST(TRY_CAST(${amount} AS DECIMAL(18,15)) AS DECIMAL(38,15)), TRY_CAST(${amount} AS DECIMAL(38,15)))`;

/**
 * An amount as an exact decimal. A binary number means the shortest decimal that stands for it: with up to
 * ten decimals and fifteen digits a cast finds it, the others go the slow way over text.
 */
const asMoney = (column: ExportColumn, format: ExportFile['format']): string => {
  if (column.type === 'VARCHAR') return decimal(asText(column, format));
  const amount = quoted(column.name);
  if (column.type !== 'DOUBLE' && column.type !== 'FLOAT') return decimal(amount);
  const short = `TRY_CAST(${amount} AS DECIMAL(18,10))`;
  return `CASE WHEN abs(${amount}) < 100000 AND CAST(${short} AS ${column.type}) = ${amount} THEN CAST(${short} AS DECIMAL(38,15))
    ELSE ${decimal(`CAST(${amount} AS VARCHAR)`)} END`;
};

/** The columns without which a row means nothing; each names the alternatives that would do. */
export const missingColumns = (file: ExportFile, costColumn: CostColumn): string[] => {
  const mandatory: Field[] = [
    costColumn,
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

/**
 * A field's text as a group key. Where only one column can hold it, it stays as it stands, and null in its three
 * spellings is told from the groups: far fewer than the rows.
 */
const keyOf = (file: ExportFile, field: Field): string => {
  const columns = present(file, field);
  const [only] = columns;
  if (only === undefined) return 'CAST(NULL AS VARCHAR)';
  if (columns.length === 1)
    return only.type === 'VARCHAR' ? quoted(only.name) : `CAST(${quoted(only.name)} AS VARCHAR)`;
  return `COALESCE(${columns.map((column) => asText(column, file.format)).join(', ')})`;
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
    const shape = JSON.stringify([file.format, file.columns, compressionOf(file.path)]);
    shapes.set(shape, [...(shapes.get(shape) ?? []), file]);
  }
  return [...shapes.values()];
};

/** Lines that are no CSV are counted at the first reading of a file, and passed over at a second. */
const BROKEN_LINES = {
  counted: `store_rejects = true, rejects_table = 'broken_lines', rejects_scan = 'broken_line_scans'`,
  skipped: 'ignore_errors = true',
} as const;

const scan = (
  files: readonly ExportFile[],
  file: ExportFile,
  brokenLines: keyof typeof BROKEN_LINES,
): string => {
  const paths = `[${files.map(({ path }) => sqlText(path)).join(', ')}]`;
  if (file.format === 'parquet')
    return `read_parquet(${paths}, filename = 'export_file', hive_partitioning = false)`;
  const columns = file.columns.map(({ name }) => `${sqlText(name)}: 'VARCHAR'`).join(', ');
  return `read_csv(${paths}, ${CSV_OPTIONS}, header = true, compression = ${compressionOf(file.path)}, columns = {${columns}}, filename = 'export_file',
    ${BROKEN_LINES[brokenLines]})`;
};

/** A column as it stands, for the report of a row that cannot be read; cast to text only there. */
const rawOf = (file: ExportFile, field: Field): string => {
  const [column] = present(file, field);
  return column === undefined ? 'CAST(NULL AS VARCHAR)' : quoted(column.name);
};

/** A billing period as a group key: its day where the file has it as a time, else its text, cast when grouped. */
const billingPeriodOf = (file: ExportFile): string => {
  const [column] = present(file, 'billing_period');
  return column !== undefined && /^(TIMESTAMP|DATE)/.test(column.type)
    ? `CAST(${asTime(column, file.format)} AS DATE)`
    : keyOf(file, 'billing_period');
};

const isNonzero = (file: ExportFile, field: Field): string => {
  const [column] = present(file, field);
  if (column === undefined) return 'false';
  return `TRY_CAST(${column.type === 'VARCHAR' ? asText(column, file.format) : quoted(column.name)} AS DOUBLE) <> 0`;
};

/** One row per line of the export, typed; what cannot be typed is null and stands raw beside it. */
const typedRows = (
  files: readonly ExportFile[],
  file: ExportFile,
  costColumn: CostColumn,
  brokenLines: keyof typeof BROKEN_LINES,
): string => `
  SELECT export_file AS file,
    ${timeOf(file, 'period_start')} AS period_start, ${rawOf(file, 'period_start')} AS raw_period_start,
    ${timeOf(file, 'period_end')} AS period_end, ${rawOf(file, 'period_end')} AS raw_period_end,
    ${moneyOf(file, costColumn)} AS cost, ${rawOf(file, costColumn)} AS raw_cost,
    ${costColumn === 'EffectiveCost' ? isNonzero(file, 'BilledCost') : 'false'} AS billed_nonzero,
    ${billingPeriodOf(file)} AS billing_period, ${keyOf(file, 'currency')} AS currency,
    ${keyOf(file, 'provider')} AS provider, ${keyOf(file, 'account')} AS account,
    ${keyOf(file, 'account_name')} AS account_name,
    CASE WHEN ${keyOf(file, 'category')} IN ('Compute', 'Networking', 'Storage')
      THEN ${keyOf(file, 'resource')} END AS resource_id
  FROM ${scan(files, file, brokenLines)}`;

const got = (raw: string): string => `COALESCE('"' || left(CAST(${raw} AS VARCHAR), 80) || '"', 'nothing')`;

/** Twenty years: a charge period beyond is a mistake, and its days would fill the warehouse. */
const LONGEST_PERIOD_DAYS = 7305;

/**
 * The one pass over an export: a roll-up to day, billing period, account and resource, one `GROUP BY` over all
 * files whatever their size; memory follows the number of groups. Kept as they stand, to be judged when the
 * whole is known: rows longer than a UTC day (for the spread), and rows that cannot be read, by problem; and for
 * the fallback of a whole period, whether EffectiveCost and BilledCost are anything but zero (sources §1).
 *
 * Creates the temporary table `table`. `periods` restricts it to billing periods, as their texts stand.
 */
export const focusRollUpStatement = (
  table: string,
  files: readonly ExportFile[],
  costColumn: CostColumn,
  periods: 'all' | 'of $periods' = 'all',
): string => {
  const scans = sameShape(files).flatMap((shape) =>
    shape[0] === undefined
      ? []
      : [typedRows(shape, shape[0], costColumn, periods === 'all' ? 'counted' : 'skipped')],
  );
  return `
CREATE TEMP TABLE ${table} AS
WITH typed_rows AS (${scans.join('\n  UNION ALL')}),
judged_rows AS (
  SELECT *, period_end > CAST(CAST(period_start AS DATE) + 1 AS TIMESTAMP) AS spans_days,
    CASE
      WHEN period_start IS NULL THEN 'ChargePeriodStart: expected a UTC time, got ' || ${got('raw_period_start')}
      WHEN period_end IS NULL THEN 'ChargePeriodEnd: expected a UTC time, got ' || ${got('raw_period_end')}
      WHEN period_end < period_start
        THEN 'ChargePeriodEnd: expected a time not before ChargePeriodStart, got ' || ${got('raw_period_end')}
      WHEN CAST(period_end AS DATE) - CAST(period_start AS DATE) > ${LONGEST_PERIOD_DAYS}
        THEN 'ChargePeriodEnd: expected a charge period below 20 years, got ' || ${got('raw_period_end')}
      WHEN cost IS NULL THEN '${costColumn}: expected a decimal number, got ' || ${got('raw_cost')}
    END AS problem
  FROM typed_rows${periods === 'all' ? '' : ' WHERE list_contains($periods, CAST(billing_period AS VARCHAR))'})
SELECT
  problem, currency, billing_period, provider, account, resource_id,
  CAST(period_start AS DATE) AS day,
  CASE WHEN spans_days THEN period_start END AS span_start,
  CASE WHEN spans_days THEN period_end END AS span_end,
  CASE WHEN spans_days THEN cost END AS span_cost,
  any_value(account_name) AS account_name,
  any_value(CASE WHEN problem IS NOT NULL THEN file END) AS file,
  sum(cost) AS cost, count(*) AS row_count,
  bool_or(CASE WHEN cost IS NULL THEN ${nullable('CAST(raw_cost AS VARCHAR)')} IS NOT NULL ELSE cost <> 0 END) AS cost_present, bool_or(billed_nonzero) AS billed_nonzero
FROM judged_rows
GROUP BY ALL`;
};

/** A billing period's text as its first day. */
export const billingPeriodDay = (column: string): string =>
  `CAST(${timeFromText(`CAST(${column} AS VARCHAR)`)} AS DATE)`;
