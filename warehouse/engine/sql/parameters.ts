import { sqlText } from './sql-text.ts';

/** A value for a `$name` in a statement. Days, instants, ids and decimals are passed as text and cast in SQL. */
export type Parameter = string | number | bigint | boolean | null | readonly (string | null)[];
export type Parameters = Readonly<Record<string, Parameter>>;

/** Longer values are bound, because DuckDB would have to parse them. */
const LONGEST_TEXT = 2_000;
const LONGEST_LIST = 50;

/** Matches texts, quoted names and comments, which can have a `$` of their own, and parameters with their name. */
const PARTS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\$(\w+)/g;

/**
 * Returns a statement with its values as literals of the types that the driver would bind, or null if they must be bound. DuckDB
 * plans such a statement once. It plans a statement with bound values twice: without the values, and again with them.
 */
export function withValues(sql: string, parameters: Parameters): string | null {
  if (!Object.values(parameters).every(isShort)) return null;
  return sql.replace(PARTS, (part: string, name: string | undefined) => {
    const value = name === undefined ? undefined : parameters[name];
    return value === undefined ? part : literal(value);
  });
}

/** A text with a NUL would end the statement. */
const isShort = (value: Parameter): boolean =>
  isList(value)
    ? value.length <= LONGEST_LIST && value.every(isShort)
    : typeof value !== 'string' || (value.length <= LONGEST_TEXT && !value.includes('\0'));

function literal(value: Parameter): string {
  if (isList(value)) return `CAST([${value.map(literal).join()}] AS VARCHAR[])`;
  switch (typeof value) {
    case 'string':
      return `CAST(${sqlText(value)} AS VARCHAR)`;
    case 'number':
      return Number.isInteger(value) ? wholeNumber(value) : `CAST('${value}' AS DOUBLE)`;
    case 'bigint':
      return `CAST('${value}' AS HUGEINT)`;
    default:
      return String(value);
  }
}

/** A number is all its digits: JavaScript shortens large ones. */
const wholeNumber = (value: number): string =>
  `CAST('${BigInt(value)}' AS ${value >= -(2 ** 31) && value < 2 ** 31 ? 'INTEGER' : 'BIGINT'})`;

export const isList = (value: Parameter): value is readonly (string | null)[] => Array.isArray(value);
