// What a FOCUS row says, from the first of the columns that have a value.
import { asWritten, decimalCell, isTime, nullable, quoted, timeCell } from '../feeds/cells.ts';
import { missingOf, type ExportColumn, type ExportFile } from '../feeds/export-files.ts';
import { readableText } from '../feeds/readable-limits.ts';
import type { Shape } from '../feeds/scan-files.ts';

/** The fields that a load reads of a FOCUS row, each with its columns in the order in which they count (sources §1). */
export const COLUMNS = {
  EffectiveCost: ['EffectiveCost'],
  BilledCost: ['BilledCost'],
  currency: ['BillingCurrency'],
  period_start: ['ChargePeriodStart'],
  period_end: ['ChargePeriodEnd'],
  billing_period: ['BillingPeriodStart'],
  billing_period_end: ['BillingPeriodEnd'],
  // The publisher comes last: of a marketplace charge the publisher is the vendor, and the issuer is the cloud.
  provider: ['ServiceProviderName', 'ProviderName', 'InvoiceIssuerName', 'PublisherName'],
  account: ['SubAccountId', 'BillingAccountId'],
  account_name: ['SubAccountName'],
  category: ['ServiceCategory'],
  charge_category: ['ChargeCategory'],
  resource: ['ResourceId'],
  service: ['ServiceName'],
  resource_group: ['x_ResourceGroupName'],
  tags: ['Tags'],
} as const;

type Field = keyof typeof COLUMNS;

const FIELDS = Object.keys(COLUMNS) as readonly Field[];

/** Which column is the cost: amortised, or as invoiced. */
export type CostColumn = 'EffectiveCost' | 'BilledCost';

/** The fields, beside the cost, without which a row means nothing. */
const MANDATORY: readonly Field[] = [
  'currency',
  'period_start',
  'period_end',
  'billing_period',
  'provider',
  'account',
];

/** The mandatory columns that a file lacks. Throws `invalid` for a column that is read and not exact. */
export const missingColumns = (file: ExportFile, costColumn: CostColumn): string[] =>
  missingOf(
    file,
    FIELDS.filter((field) => field !== 'EffectiveCost' || costColumn === field).map((field) => ({
      names: COLUMNS[field],
      found: present(file, field),
      isMandatory: field === costColumn || MANDATORY.includes(field),
    })),
  );

/** The cloud of a provider by its short name: aws, azure, gcp, oci, or the provider's own name in lower case (contract §3). */
export const cloudOf = (provider: string): string => `CASE
    WHEN regexp_matches(lower(${provider}), '\\b(aws|amazon)\\b') THEN 'aws'
    WHEN regexp_matches(lower(${provider}), '\\b(microsoft|azure)\\b') THEN 'azure'
    WHEN regexp_matches(lower(${provider}), '\\b(google|gcp)\\b') THEN 'gcp'
    WHEN regexp_matches(lower(${provider}), '\\b(oracle|oci)\\b') THEN 'oci'
    ELSE lower(trim(${provider})) END`;

/** A text; null if it is what Azure writes for a missing id. The cloud is worked out for few rows only. */
export const assigned = (text: string, cloud: string): string =>
  `CASE WHEN length(${text}) IN (2, 10) AND lower(${text}) IN ('-2', 'unassigned') AND ${cloud} = 'azure' THEN NULL ELSE ${text} END`;

/** A column as text. The CSV reader has already replaced the spellings of null. */
const asText = (column: ExportColumn, format: Shape['format']): string =>
  column.type === 'VARCHAR' && format !== 'csv' ? nullable(quoted(column.name)) : asWritten(column);

/** The file's columns that can hold a field, in the order in which they count. */
export const present = (file: Pick<Shape, 'columns'>, field: Field): ExportColumn[] =>
  COLUMNS[field].flatMap((wanted) =>
    file.columns.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase()),
  );

/**
 * A field's text as a group key. If only one column can hold it, the text stays as it stands: the spellings of null are
 * replaced in the groups, which are far fewer than the rows.
 */
export const keyOf = (file: Shape, field: Field): string => {
  const [only, ...others] = present(file, field);
  return only !== undefined && others.length === 0 ? asWritten(only) : textOf(file, field);
};

/** A field as a UTC instant; null if it is none. */
export const timeOf = (file: Shape, field: Field): string => {
  const [column] = present(file, field);
  return column === undefined ? 'CAST(NULL AS TIMESTAMP)' : timeCell(column);
};

/** A field as an exact decimal; null if it is none. A cast skips blanks by itself, faster than trim. */
export const moneyOf = (file: Shape, field: Field): string => {
  const [column] = present(file, field);
  return column === undefined ? 'CAST(NULL AS DECIMAL(38,15))' : decimalCell(column, asWritten(column));
};

/** A field as text, from the first of its columns that has a value. */
export const textOf = (file: Shape, field: Field): string => {
  const texts = present(file, field).map((column) => asText(column, file.format));
  return texts.length === 0 ? NO_TEXT : `COALESCE(${texts.join(', ')})`;
};

/** A field of an id as text, from the first of its columns that has a value which Azure has assigned. */
export const assignedOf = (file: Shape, field: Field): string => {
  const cloud = cloudOf(textOf(file, 'provider'));
  const texts = present(file, field).map((column) => assigned(asText(column, file.format), cloud));
  return `COALESCE(${[...texts, NO_TEXT].join(', ')})`;
};

const NO_TEXT = 'CAST(NULL AS VARCHAR)';

/** A column as it stands, for the report of a row that cannot be read; cast to text only there. */
export const rawOf = (file: Shape, field: Field): string => {
  const [column] = present(file, field);
  return column === undefined ? NO_TEXT : quoted(column.name);
};

/** A row's account as a group key. If only one column can hold it, the groups replace the spellings of null. */
export const accountOf = (file: Shape): string =>
  present(file, 'account').length === 1 ? keyOf(file, 'account') : assignedOf(file, 'account');

/** A bound of a billing period as a group key: its day if the file has it as a time, else its text, cast when grouped. */
export const billingPeriodOf = (file: Shape, field: 'billing_period' | 'billing_period_end'): string => {
  const [column] = present(file, field);
  return column !== undefined && isTime(column)
    ? `CAST(${timeCell(column)} AS DATE)`
    : readableText(keyOf(file, field));
};

/** Whether a field is an amount other than zero. */
export const isNonzero = (file: Shape, field: Field): string => {
  const [column] = present(file, field);
  return column === undefined ? 'false' : `TRY_CAST(${quoted(column.name)} AS DOUBLE) <> 0`;
};
