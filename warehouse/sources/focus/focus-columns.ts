// The fields of a FOCUS row as SQL, each from the first of its columns that has a value.
import type { Day } from '../../../domain/shared/calendar.ts';
import { asWritten, decimalCell, isTime, nullable, quoted, timeCell, withoutMark } from '../feeds/cells.ts';
import { missingOf, type ExportColumn, type ExportFile } from '../feeds/export-files.ts';
import { normalTextSql } from '../../engine/sql/normal-text.ts';
import { readableText } from '../feeds/readable-limits.ts';
import type { Shape } from '../feeds/scan-files.ts';
import { sqlText } from '../../engine/sql/sql-text.ts';

/** The fields that a load reads from a FOCUS row. The first of their columns with a value counts. */
export const COLUMNS = {
  EffectiveCost: ['EffectiveCost'],
  BilledCost: ['BilledCost'],
  currency: ['BillingCurrency'],
  period_start: ['ChargePeriodStart'],
  period_end: ['ChargePeriodEnd'],
  billing_period: ['BillingPeriodStart'],
  billing_period_end: ['BillingPeriodEnd'],
  // The publisher comes last: on a marketplace charge the publisher is the vendor, and the issuer is the cloud.
  provider: ['ServiceProviderName', 'ProviderName', 'InvoiceIssuerName', 'PublisherName'],
  account: ['SubAccountId', 'BillingAccountId'],
  account_name: ['SubAccountName'],
  category: ['ServiceCategory'],
  charge_category: ['ChargeCategory'],
  commitment: ['CommitmentDiscountId'],
  credits: ['x_Credits'],
  resource: ['ResourceId'],
  resource_name: ['ResourceName'],
  zone: ['AvailabilityZone', 'RegionId'],
  service: ['ServiceName'],
  resource_group: ['x_ResourceGroupName'],
  tags: ['Tags'],
} as const;

type Field = keyof typeof COLUMNS;

const FIELDS = Object.keys(COLUMNS) as readonly Field[];

/** The column of the cost: amortised, or as invoiced. */
export type CostColumn = 'EffectiveCost' | 'BilledCost';

/** The fields that every file must have, beside the cost. */
const MANDATORY: readonly Field[] = [
  'currency',
  'period_start',
  'period_end',
  'billing_period',
  'provider',
  'account',
];

/** Returns the mandatory columns that a file lacks. Throws `invalid` for a column that is read and not exact. */
export const missingColumns = (file: ExportFile, costColumn: CostColumn): string[] =>
  missingOf(
    file,
    FIELDS.filter((field) => field !== 'EffectiveCost' || costColumn === field).map((field) => ({
      names: COLUMNS[field],
      found: present(file, field),
      isMandatory: field === costColumn || MANDATORY.includes(field),
    })),
  );

/** Returns the SQL of a provider's cloud: aws, azure, gcp, oci, or the provider's own name in lower case. */
export const cloudOf = (provider: string): string => `CASE
    WHEN regexp_matches(lower(${provider}), '\\b(aws|amazon)\\b') THEN 'aws'
    WHEN regexp_matches(lower(${provider}), '\\b(microsoft|azure)\\b') THEN 'azure'
    WHEN regexp_matches(lower(${provider}), '\\b(google|gcp)\\b') THEN 'gcp'
    WHEN regexp_matches(lower(${provider}), '\\b(oracle|oci)\\b') THEN 'oci'
    ELSE lower(${normalTextSql(provider)}) END`;

/** Returns a text, null if Azure writes it for a missing id. Checks the length first, so that few rows need their cloud. */
export const assigned = (text: string, cloud: string): string =>
  `CASE WHEN length(${text}) IN (2, 10) AND lower(${text}) IN ('-2', 'unassigned') AND ${cloud} = 'azure' THEN NULL ELSE ${text} END`;

/** Returns an id in its normal form. Only blanks are a name, because an export with them always had that account. */
export const idOf = (column: string): string =>
  assigned(nullable(`COALESCE(NULLIF(${normalTextSql(column)}, ''), ${withoutMark(column)})`), 'cloud');

/** Returns a column as text. The CSV reader has already replaced the spellings of null. */
const asText = (column: ExportColumn, format: Shape['format']): string =>
  column.type === 'VARCHAR' && format !== 'csv' ? nullable(quoted(column.name)) : asWritten(column);

/** Returns the file's columns that can hold a field, in order of preference. */
export const present = (file: Pick<Shape, 'columns'>, field: Field): ExportColumn[] =>
  COLUMNS[field].flatMap((wanted) =>
    file.columns.filter(({ name }) => name.trim().toLowerCase() === wanted.toLowerCase()),
  );

/**
 * Returns a field's text as a group key. If only one column can hold it, the text keeps its spellings of null. They are replaced
 * later in the groups, which are far fewer than the rows.
 */
export function keyOf(file: Shape, field: Field): string {
  const [only, ...others] = present(file, field);
  return only !== undefined && others.length === 0 ? asWritten(only) : textOf(file, field);
}

/** Returns a field as a UTC instant, null if it is not a time. */
export function timeOf(file: Shape, field: Field): string {
  const [column] = present(file, field);
  return column === undefined ? 'CAST(NULL AS TIMESTAMP)' : timeCell(column);
}

/** Returns a field as an exact decimal, null if it is not a number. A cast skips blanks by itself, faster than trim. */
export function moneyOf(file: Shape, field: Field): string {
  const [column] = present(file, field);
  return column === undefined ? 'CAST(NULL AS DECIMAL(38,15))' : decimalCell(column, asWritten(column));
}

/** Returns a field as text, from the first of its columns that has a value. */
export function textOf(file: Shape, field: Field): string {
  const texts = present(file, field).map((column) => asText(column, file.format));
  return texts.length === 0 ? NO_TEXT : `COALESCE(${texts.join(', ')})`;
}

/** Returns an id field as text, from the first of its columns with a value other than Azure's for a missing id. */
export function assignedOf(file: Shape, field: Field): string {
  const cloud = cloudOf(textOf(file, 'provider'));
  const texts = present(file, field).map((column) => assigned(asText(column, file.format), cloud));
  return `COALESCE(${[...texts, NO_TEXT].join(', ')})`;
}

const NO_TEXT = 'CAST(NULL AS VARCHAR)';

/** Returns a column without a cast, for the report of an unreadable row. Only the report casts it to text. */
export function rawOf(file: Shape, field: Field): string {
  const [column] = present(file, field);
  return column === undefined ? NO_TEXT : quoted(column.written?.as ?? column.name);
}

/** Returns the SQL of what a file calls the column of a field. */
export function calledOf(file: Shape, field: Field): string {
  const [column] = present(file, field);
  return column?.written?.called.sql ?? sqlText(COLUMNS[field][0]);
}

/** Returns what the column of a field is called in messages. */
export type Called = (field: Field) => string;

/** Returns a function that says what the columns of fields are called in messages: as in the first file that has them. */
export const calledIn =
  (files: readonly Shape[]): Called =>
  (field) =>
    files.flatMap((file) => present(file, field)).find(({ written }) => written !== undefined)?.written
      ?.called.name ?? (field === 'provider' ? 'ProviderName' : COLUMNS[field][0]);

/** Returns a row's account as a group key. If only one column can hold it, the groups replace the spellings of null. */
export const accountOf = (file: Shape): string =>
  present(file, 'account').length === 1 ? keyOf(file, 'account') : assignedOf(file, 'account');

/**
 * Returns a bound of a billing period as a group key: the time of a time column, else the text, which is cast after grouping. A
 * time that has no text is infinite.
 */
export function billingPeriodOf(file: Shape, field: 'billing_period' | 'billing_period_end'): string {
  const [column] = present(file, field);
  if (column === undefined || !isTime(column)) return readableText(keyOf(file, field));
  const time = timeCell(column);
  return `CASE WHEN ${time} BETWEEN '0001-01-01' AND '9999-12-31' THEN ${time} WHEN ${time} IS NOT NULL THEN TIMESTAMP 'infinity' END`;
}

/** Returns whether a field is not before a day. Only time columns are compared, so that a scan can skip parts of the file. */
export function isSince(file: Shape, field: Field, day: Day): string {
  const [column] = present(file, field);
  return column !== undefined && isTime(column)
    ? `${quoted(column.name)} >= CAST('${day}${column.type === 'TIMESTAMP WITH TIME ZONE' ? ' 00:00:00+00' : ''}' AS ${column.type})`
    : 'true';
}

/**
 * Returns whether a field is an amount other than zero. A cloud's own format never falls back, because
 * its EffectiveCost is made of the same costs. So its amounts are not looked at.
 */
export function isNonzero(file: Shape, field: Field): string {
  const [column] = present(file, field);
  return column === undefined || column.written !== undefined
    ? 'false'
    : `TRY_CAST(${quoted(column.name)} AS DOUBLE) <> 0`;
}
