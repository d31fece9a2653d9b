import type { BigQueryColumn } from '../../../../domain/shared/bigquery-query.ts';

// Expressions of GoogleSQL, the SQL of BigQuery, on the table `bill`.

/** Returns a name in GoogleSQL. The name has no backtick and no backslash. */
export const named = (name: string): string => `\`${name}\``;

/** Returns a column of the table. */
export const columnOf = ({ name }: BigQueryColumn): string => `bill.${named(name)}`;

const TEXTS = ['STRING'];
const FLOATS = ['FLOAT', 'FLOAT64'];
const INSTANTS = ['TIMESTAMP'];
const LOCAL_TIMES = ['DATETIME', 'DATE'];

const isOf = ({ type }: BigQueryColumn, types: readonly string[]): boolean =>
  types.includes(type.toUpperCase());

/** Returns whether a column holds texts. */
export const isText = (column: BigQueryColumn): boolean => isOf(column, TEXTS);

/** Returns a cell as text. */
export const textOf = (column: BigQueryColumn): string =>
  isText(column) ? columnOf(column) : `CAST(${columnOf(column)} AS STRING)`;

/** Returns a text, null for the three spellings of null. */
export const nullable = (text: string): string => `IF(${text} IN ('NULL', 'null', ''), NULL, ${text})`;

/** Returns a cell as a UTC instant. */
export function timeOf(column: BigQueryColumn): string {
  const cell = columnOf(column);
  if (isOf(column, INSTANTS)) return cell;
  return isOf(column, LOCAL_TIMES) ? `TIMESTAMP(${cell})` : `SAFE_CAST(${textOf(column)} AS TIMESTAMP)`;
}

/** Returns an instant as microseconds since 1970, which have no time zone and no limits of years. */
export const micros = (instant: string): string => `UNIX_MICROS(${instant})`;

/**
 * Returns a number as an exact decimal of 15 places. A FLOAT64 is cast from its text, so that 0.1 stays 0.1: the text has up to 15
 * significant digits if they identify the number. A direct cast would show the binary fraction.
 */
export const decimalOf = (value: string, column: BigQueryColumn): string =>
  `ROUND(SAFE_CAST(${isOf(column, FLOATS) ? `CAST(${value} AS STRING)` : value} AS BIGNUMERIC), 15)`;

/** Returns the first column that has a name, in any case. */
export const columnNamed = (columns: readonly BigQueryColumn[], wanted: string): BigQueryColumn | undefined =>
  columns.find(({ name }) => name.trim().toLowerCase() === wanted.toLowerCase() && !/[`\\]/.test(name));
