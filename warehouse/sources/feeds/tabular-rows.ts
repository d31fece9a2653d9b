import { dayCell, decimalCell, textCell } from './cells.ts';
import { refuseInexact, type ExportColumn, type ExportFile } from './export-files.ts';
import { nullable, quoted, writtenOut } from '../focus/focus-columns.ts';
import {
  expectedAmount,
  expectedTime,
  isTooLongText,
  LONGEST_TEXT,
  readableAmount,
  readableDay,
  readableText,
} from './readable-limits.ts';
import type { Relation } from './scan-files.ts';

/** A column of a table that people or tools export for us (sources §2–4). */
export interface TabularColumn {
  /** Its spellings, compared without case; the first is the one in messages. */
  names: readonly [string, ...string[]];
  holds: 'text' | 'day' | 'decimal';
  /** Whether every row must have a value, or the file only the column, or not even that. */
  required: 'value' | 'column' | 'no';
}

/** The columns of a table by the names they have in SQL; one of them is `day`. */
export type TabularColumns = Readonly<Record<string, TabularColumn>> & { day: TabularColumn };

/** The mandatory columns that a file lacks. Throws `invalid` for a column that is read and not exact. */
export const missingTabularColumns = (file: ExportFile, columns: TabularColumns): string[] => {
  const wanted = Object.values(columns).map((column) => ({ column, cell: found(file.columns, column) }));
  refuseInexact(
    file,
    wanted.flatMap(({ cell }) => cell ?? []),
  );
  return wanted
    .filter(({ column, cell }) => column.required !== 'no' && cell === undefined)
    .map(({ column: { names } }) => names.join(' or '));
};

const found = (columns: readonly ExportColumn[], { names }: TabularColumn): ExportColumn | undefined =>
  names
    .map((name) => columns.find((column) => column.name.trim().toLowerCase() === name.toLowerCase()))
    .find((column) => column !== undefined);

const CELLS = { text: textCell, day: dayCell, decimal: decimalCell } as const;
const SQL_TYPES = { text: 'VARCHAR', day: 'DATE', decimal: 'DECIMAL(38,15)' } as const;
/** What a message expects of a cell, in SQL. */
const EXPECTED = {
  text: () => `'a text'`,
  day: (raw: string) => expectedTime('a day as YYYY-MM-DD or an instant', raw),
  decimal: expectedAmount,
} as const;

/** What came, for the report of a row that cannot be read. */
export const got = (raw: string): string => `COALESCE('"' || left(${rawText(raw)}, 80) || '"', 'nothing')`;

/** What came as text, also where it has none. */
const rawText = (raw: string): string =>
  `CASE WHEN ${raw} IS NOT NULL THEN COALESCE(${writtenOut(raw)}, 'out of range') END`;

const typedRows = (relation: Relation, columns: TabularColumns): string => {
  const fields = Object.entries(columns).map(([field, column]) => {
    const cell = found(relation.columns, column);
    return cell === undefined
      ? `CAST(NULL AS ${SQL_TYPES[column.holds]}) AS ${field}, CAST(NULL AS VARCHAR) AS raw_${field}`
      : `${CELLS[column.holds](cell)} AS ${field}, ${cell.type === 'VARCHAR' ? quoted(cell.name) : rawText(quoted(cell.name))} AS raw_${field}`;
  });
  return `SELECT ${quoted(relation.fileColumn)} AS file, ${fields.join(',\n    ')} FROM ${relation.from}`;
};

const problemOf = ([field, { names, holds, required }]: [string, TabularColumn]): string[] => {
  const tooLong = `WHEN ${isTooLongText(field)} THEN '${names[0]}: expected ${LONGEST_TEXT}, got ' || ${got(field)}`;
  if (required !== 'value' && holds === 'text') return [tooLong];
  const wrong =
    required === 'value'
      ? `${field} IS NULL`
      : `${field} IS NULL AND ${nullable(`trim(raw_${field})`)} IS NOT NULL`;
  const missing = `WHEN ${wrong} THEN '${names[0]}: expected ' || ${EXPECTED[holds](`raw_${field}`)} || ', got ' || ${got(`raw_${field}`)}`;
  return holds === 'text' ? [missing, tooLong] : [missing];
};

/**
 * The named queries that read a table row by row. In `judged_rows` every column is typed. Its `problem` says why the row
 * cannot be read, or is null. Its `is_wanted` says whether the row is of the months from `$start` to `$end` (days; null
 * leaves the side open). A row without a day is wanted, because it must be told. `$last_day` is the last day that a row may name.
 * `checks` are further rules, as WHEN … THEN.
 */
export const judgedRows = (
  relations: readonly Relation[],
  columns: TabularColumns,
  checks: readonly string[] = [],
): string => `
typed_rows AS (${relations.map((relation) => typedRows(relation, columns)).join('\n  UNION ALL ')}),
readable_rows AS (SELECT * REPLACE (${readable(columns)}) FROM typed_rows),
judged_rows AS (
  SELECT *, (day < $start::DATE OR day > last_day($end::DATE)) IS NOT TRUE AS is_wanted,
    CASE WHEN is_wanted THEN CASE ${[...Object.entries(columns).flatMap(problemOf), ...checks].join('\n    ')} END END AS problem
  FROM readable_rows)`;

/** What a row may say of a cell: days and amounts beyond are null, texts are cut. */
const READABLE = {
  text: readableText,
  day: (day: string) => readableDay(day, '$last_day::DATE'),
  decimal: readableAmount,
} as const;

const readable = (columns: TabularColumns): string =>
  Object.entries(columns)
    .map(([field, { holds }]) => `${READABLE[holds](field)} AS ${field}`)
    .join(',\n    ');
