import { dayCell, decimalCell, nullable, quoted, textCell } from './cells.ts';
import { missingOf, type ExportColumn, type ExportFile } from './export-files.ts';
import { problem, rawText, whenTooLong } from './problems.ts';
import {
  expectedAmount,
  expectedTime,
  readableAmount,
  readableDay,
  readableText,
} from './readable-limits.ts';
import { lineOf, type Relation } from './scan-files.ts';
import { isWanted } from './wanted-months.ts';

/** A column of a table that people or tools export for us (docs/data-formats.md). */
export interface TabularColumn {
  /** Its spellings, compared without case. Messages use the first one. */
  names: readonly [string, ...string[]];
  holds: 'text' | 'day' | 'decimal';
  /** Every row needs a value, the file needs only the column, or neither. */
  required: 'value' | 'column' | 'no';
}

/** The columns of a table by their names in SQL; one of them is `day`. */
export type TabularColumns = Readonly<Record<string, TabularColumn>> & { day: TabularColumn };

/** Returns the mandatory columns that a file lacks. Throws `invalid` for a column that is read and not exact. */
export const missingTabularColumns = (file: ExportFile, columns: TabularColumns): string[] =>
  missingOf(
    file,
    Object.values(columns).map((column) => ({
      names: column.names,
      found: found(file.columns, column),
      isMandatory: column.required !== 'no',
    })),
  );

/** Returns the file's column for a field, of the first spelling that the file has. */
const found = (columns: readonly ExportColumn[], { names }: TabularColumn): ExportColumn[] =>
  names
    .flatMap((wanted) => columns.filter(({ name }) => name.trim().toLowerCase() === wanted.toLowerCase()))
    .slice(0, 1);

const CELLS = { text: textCell, day: dayCell, decimal: decimalCell } as const;
const SQL_TYPES = { text: 'VARCHAR', day: 'DATE', decimal: 'DECIMAL(38,15)' } as const;
/** The SQL of what a message expects of a cell. */
const EXPECTED = {
  text: () => `'a text'`,
  day: (raw: string) => expectedTime('a day as YYYY-MM-DD or an instant', raw),
  decimal: expectedAmount,
} as const;

function typedRows(relation: Relation, columns: TabularColumns): string {
  const fields = Object.entries(columns).map(([field, column]) => {
    const [cell] = found(relation.columns, column);
    return cell === undefined
      ? `CAST(NULL AS ${SQL_TYPES[column.holds]}) AS ${field}, CAST(NULL AS VARCHAR) AS raw_${field}`
      : `${CELLS[column.holds](cell)} AS ${field}, ${cell.type === 'VARCHAR' ? quoted(cell.name) : rawText(quoted(cell.name))} AS raw_${field}`;
  });
  return `SELECT ${quoted(relation.fileColumn)} AS file, ${fields.join(',\n    ')}, ${lineOf(relation)} AS line FROM ${relation.from}`;
}

function problemOf([field, { names, holds, required }]: [string, TabularColumn]): string[] {
  const tooLong = whenTooLong(names[0], field);
  if (required !== 'value' && holds === 'text') return [tooLong];
  const wrong =
    required === 'value'
      ? `${field} IS NULL`
      : `${field} IS NULL AND ${nullable(`trim(raw_${field})`)} IS NOT NULL`;
  const missing = `WHEN ${wrong} THEN ${problem(names[0], EXPECTED[holds](`raw_${field}`), `raw_${field}`)}`;
  return holds === 'text' ? [missing, tooLong] : [missing];
}

/**
 * Returns the CTEs that read a table row by row. In `checked_rows` every column is typed. `problem` is the reason why a row is
 * unreadable, or null. `line` is a hash of the whole row. `is_wanted` is true for rows of the requested months. The statement needs the parameters of
 * `readingBounds`. `checks` are further rules, as WHEN … THEN.
 */
export const checkedRows = (
  relations: readonly Relation[],
  columns: TabularColumns,
  checks: readonly string[] = [],
): string => `
typed_rows AS (${relations.map((relation) => typedRows(relation, columns)).join('\n  UNION ALL ')}),
readable_rows AS (SELECT * REPLACE (${readable(columns)}) FROM typed_rows),
checked_rows AS (
  SELECT *, ${isWanted('day')} AS is_wanted,
    CASE WHEN is_wanted THEN CASE ${[...Object.entries(columns).flatMap(problemOf), ...checks].join('\n    ')} END END AS problem
  FROM readable_rows)`;

/** Applies the limits to cells: days and amounts beyond them become null, texts are cut. */
const READABLE = {
  text: readableText,
  day: (day: string) => readableDay(day, '$last_day::DATE'),
  decimal: readableAmount,
} as const;

const readable = (columns: TabularColumns): string =>
  Object.entries(columns)
    .map(([field, { holds }]) => `${READABLE[holds](field)} AS ${field}`)
    .join(',\n    ');
