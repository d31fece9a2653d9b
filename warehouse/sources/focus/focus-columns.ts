// The columns of a FOCUS export as typed expressions in SQL, whatever the file's format and types.
import type { ExportColumn, ExportFile } from '../feeds/export-files.ts';
import { readableText } from '../feeds/readable-limits.ts';

/** What the loader reads of a FOCUS row, each from the first of its columns that has a value (sources §1). */
export const COLUMNS = {
  EffectiveCost: ['EffectiveCost'],
  BilledCost: ['BilledCost'],
  currency: ['BillingCurrency'],
  period_start: ['ChargePeriodStart'],
  period_end: ['ChargePeriodEnd'],
  billing_period: ['BillingPeriodStart'],
  billing_period_end: ['BillingPeriodEnd'],
  // The publisher comes last: of a marketplace charge it is the vendor, where the issuer is the cloud.
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

/** One of the things that are read of a row. */
export type Field = keyof typeof COLUMNS;

/** All of them. */
export const FIELDS = Object.keys(COLUMNS) as readonly Field[];

/** A column's name in SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A text without the three spellings of null; CSV's are null already when they are read. */
export const nullable = (text: string): string =>
  `CASE WHEN ${text} NOT IN ('NULL', 'null', '') THEN ${text} END`;

/** The cloud of a provider by its short name: aws, azure, gcp, oci, or the provider's own name in lower case (contract §3). */
export const cloudOf = (provider: string): string => `CASE
    WHEN regexp_matches(lower(${provider}), '\\b(aws|amazon)\\b') THEN 'aws'
    WHEN regexp_matches(lower(${provider}), '\\b(microsoft|azure)\\b') THEN 'azure'
    WHEN regexp_matches(lower(${provider}), '\\b(google|gcp)\\b') THEN 'gcp'
    WHEN regexp_matches(lower(${provider}), '\\b(oracle|oci)\\b') THEN 'oci'
    ELSE lower(trim(${provider})) END`;

/** A text, but null where it is what Azure writes for an id that is not there. Only of few rows the cloud is looked at. */
export const assigned = (text: string, cloud: string): string =>
  `CASE WHEN length(${text}) IN (2, 10) AND lower(${text}) IN ('-2', 'unassigned') AND ${cloud} = 'azure' THEN NULL ELSE ${text} END`;

/** A value of any type as text; null where it has none, like a time beyond those that DuckDB can write. */
export const writtenOut = (value: string): string => `TRY(CAST(${value} AS VARCHAR))`;

/** A column as text. */
const asText = ({ name, type }: ExportColumn, format: ExportFile['format']): string => {
  if (type !== 'VARCHAR') return writtenOut(quoted(name));
  return format === 'csv' ? quoted(name) : nullable(quoted(name));
};

/**
 * A text as a UTC instant. The plain cast is fast but drops an offset, so it serves only the forms that have
 * none; the others, and times without seconds, take the slow road. Words such as "epoch" are times too, for a cast, so
 * that a text must begin with a digit.
 */
const timeFromText = (text: string): string => `COALESCE(
    CASE WHEN ${text} < ':' AND (suffix(${text}, 'Z') OR length(${text}) IN (10, 19)) THEN TRY_CAST(${text} AS TIMESTAMP) END,
    CASE WHEN ${text} < ':' THEN timezone('UTC', TRY_CAST(
      regexp_replace(${text}, '^(.{10}[T ]\\d\\d:\\d\\d)(Z|[+-].*)?$', '\\1:00\\2') AS TIMESTAMPTZ)) END)`;

const asTime = (column: ExportColumn, format: ExportFile['format']): string => {
  const time = quoted(column.name);
  // A time beyond those that DuckDB can convert is as unreadable as an endless one, and is no missing one.
  const orEndless = (converted: string): string =>
    `CASE WHEN ${time} IS NOT NULL THEN COALESCE(${converted}, TIMESTAMP 'infinity') END`;
  // Many times faster than timezone('UTC', …), which fails for some times that a file can hold.
  if (column.type === 'TIMESTAMP WITH TIME ZONE') return orEndless(`make_timestamp(epoch_us(${time}))`);
  if (/^(TIMESTAMP|DATE)/.test(column.type)) return orEndless(`TRY_CAST(${time} AS TIMESTAMP)`);
  return timeFromText(asText(column, format));
};

/**
 * A decimal as money, or a text of one; the narrow cast is twenty times faster and fits all but the largest lines. A cast
 * also takes `1_000`, which is no number in any export.
 */
export const decimalFromText = (amount: string): string =>
  `CASE WHEN NOT contains(${amount}, '_') THEN ${decimalFromNumber(amount)} END`;

/** Whether a column holds whole numbers or decimals. Others go by their text: a cast takes `true` for 1. */
export const isExactNumber = ({ type }: ExportColumn): boolean =>
  /^(DECIMAL\(\d+,\d+\)|U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER)$/.test(type);

/** A number as money; see {@link decimalFromText}. */
export const decimalFromNumber = (amount: string): string =>
  `COALESCE(CAST(TRY_CAST(${amount} AS DECIMAL(18,15)) AS DECIMAL(38,15)), TRY_CAST(${amount} AS DECIMAL(38,15)))`;

/**
 * An amount as an exact decimal. A binary number means the shortest decimal that stands for it: of a double with up to
 * ten decimals and fifteen digits a cast finds it, the others go the slow way over text.
 */
const asMoney = (column: ExportColumn, format: ExportFile['format']): string => {
  const amount = quoted(column.name);
  if (isExactNumber(column)) return decimalFromNumber(amount);
  if (column.type !== 'DOUBLE') return decimalFromText(asText(column, format));
  const short = `TRY_CAST(${amount} AS DECIMAL(18,10))`;
  return `CASE WHEN abs(${amount}) < 100000 AND CAST(${short} AS DOUBLE) = ${amount} THEN CAST(${short} AS DECIMAL(38,15))
    ELSE ${decimalFromNumber(`CAST(${amount} AS VARCHAR)`)} END`;
};

/** The file's columns that can hold a field, in the order in which they count. */
export const present = (file: ExportFile, field: Field): ExportColumn[] =>
  COLUMNS[field].flatMap((wanted) =>
    file.columns.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase()),
  );

/**
 * A field's text as a group key. Where only one column can hold it, it stays as it stands, and null in its three
 * spellings is told from the groups: far fewer than the rows.
 */
export const keyOf = (file: ExportFile, field: Field): string => {
  const columns = present(file, field);
  const [only] = columns;
  if (only === undefined) return 'CAST(NULL AS VARCHAR)';
  if (columns.length === 1)
    return only.type === 'VARCHAR' ? quoted(only.name) : writtenOut(quoted(only.name));
  return `COALESCE(${columns.map((column) => asText(column, file.format)).join(', ')})`;
};

/** A field as a UTC instant; null where it is none. */
export const timeOf = (file: ExportFile, field: Field): string => {
  const [column] = present(file, field);
  return column === undefined ? 'CAST(NULL AS TIMESTAMP)' : asTime(column, file.format);
};

/** A field as an exact decimal; null where it is none. */
export const moneyOf = (file: ExportFile, field: Field): string => {
  const [column] = present(file, field);
  return column === undefined ? 'CAST(NULL AS DECIMAL(38,15))' : asMoney(column, file.format);
};

/** A field as text, from the first of its columns that has a value. */
export const textOf = (file: ExportFile, field: Field): string => {
  const columns = present(file, field);
  if (columns.length === 0) return 'CAST(NULL AS VARCHAR)';
  return `COALESCE(${columns.map((column) => asText(column, file.format)).join(', ')})`;
};

/** A field of an id as text, from the first of its columns that has a value which Azure has assigned. */
export const assignedOf = (file: ExportFile, field: Field): string => {
  const cloud = cloudOf(textOf(file, 'provider'));
  const texts = present(file, field).map((column) => assigned(asText(column, file.format), cloud));
  return `COALESCE(${[...texts, 'CAST(NULL AS VARCHAR)'].join(', ')})`;
};

/** A column as it stands, for the report of a row that cannot be read; cast to text only there. */
export const rawOf = (file: ExportFile, field: Field): string => {
  const [column] = present(file, field);
  return column === undefined ? 'CAST(NULL AS VARCHAR)' : quoted(column.name);
};

/** A row's account as a group key. Where only one column can hold it, null is told from the groups. */
export const accountOf = (file: ExportFile): string =>
  present(file, 'account').length === 1 ? keyOf(file, 'account') : assignedOf(file, 'account');

/** A bound of a billing period as a group key: its day where the file has it as a time, else its text, cast when grouped. */
export const billingPeriodOf = (file: ExportFile, field: 'billing_period' | 'billing_period_end'): string => {
  const [column] = present(file, field);
  return column !== undefined && /^(TIMESTAMP|DATE)/.test(column.type)
    ? `CAST(${asTime(column, file.format)} AS DATE)`
    : readableText(keyOf(file, field));
};

/** Whether a field is an amount other than zero. */
export const isNonzero = (file: ExportFile, field: Field): string => {
  const [column] = present(file, field);
  if (column === undefined) return 'false';
  return `TRY_CAST(${column.type === 'VARCHAR' ? asText(column, file.format) : quoted(column.name)} AS DOUBLE) <> 0`;
};

/** A bound of a billing period as the day of its text. */
export const billingPeriodDay = (column: string): string =>
  `CAST(${timeFromText(`CAST(${column} AS VARCHAR)`)} AS DATE)`;
