import { asWritten, isTime, nullable, quoted, timeFromText } from '../feeds/cells.ts';
import { sqlText, sqlTexts } from '../../engine/sql/sql-text.ts';
import type { MappedColumn, NativeValue } from './bill-format.ts';
import type { NativeColumn, NativeRow } from './native-row.ts';

// The values that formats are made of (bill-format.ts).

const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', else ');

/** Returns the value of a column as it is, or the text of the first of several columns that has one. */
export const cell = (...names: readonly [string, ...string[]]): NativeValue => ({
  words: code(names),
  needs: [names],
  reads: names,
  in: (row) => {
    const found = row.found(names);
    const [only, ...others] = found;
    if (only === undefined) return null;
    const { type, called } = only;
    return others.length === 0
      ? { sql: quoted(only.name), type, called }
      : { sql: firstText(row, found), type: 'VARCHAR', called };
  },
});

/** Returns the SQL of the first text of several columns. */
export const firstText = (row: NativeRow, columns: readonly NativeColumn[]): string =>
  `COALESCE(${[...columns.map((column) => textIn(row, column)), 'CAST(NULL AS VARCHAR)'].join(', ')})`;

/** Returns a column as text, null for the spellings of null. The CSV reader has already replaced those of its own columns. */
export const textIn = (row: NativeRow, column: NativeColumn): string =>
  row.format === 'csv' && !row.derived.has(column.name) ? asWritten(column) : nullable(asWritten(column));

/** Returns the same text in every row. */
export const always = (text: string): NativeValue => ({
  words: text,
  needs: [],
  reads: [],
  in: () => ({ sql: sqlText(text), type: 'VARCHAR', called: text }),
});

/** Returns another text for each text of a column, and `otherwise` for texts that are not listed. */
export const translated = (
  names: readonly [string, ...string[]],
  texts: Readonly<Record<string, readonly string[]>>,
  otherwise: string,
): NativeValue => ({
  words: `${code(names)}: ${Object.entries(texts)
    .map(([to, from]) => `${to} for ${from.join(', ')}`)
    .join('; ')}; else ${otherwise}`,
  needs: [],
  reads: names,
  in: (row) => {
    const column = row.first(names);
    if (column === null) return null;
    const text = column.type === 'VARCHAR' ? quoted(column.name) : textIn(row, column);
    const cases = Object.entries(texts).map(
      ([to, from]) => `WHEN ${text} IN ${sqlTexts(from)} THEN ${sqlText(to)}`,
    );
    return {
      sql: `CASE ${cases.join(' ')} ELSE ${sqlText(otherwise)} END`,
      type: 'VARCHAR',
      called: column.called,
    };
  },
});

/** Returns the SQL of a text as a time: an instant, or a day in one of the forms. */
export type TimeOf = (text: string) => string;

/** Returns the instant of a column, whose texts `read` reads; `then` is added to it. */
export const time = (
  names: readonly [string, ...string[]],
  read: TimeOf,
  { words = code(names), then = (instant: string) => instant } = {},
): NativeValue => ({
  words,
  needs: [names],
  reads: names,
  in: (row): MappedColumn | null => {
    const column = row.first(names);
    if (column === null) return null;
    const raw = quoted(column.name);
    const instant = isTime(column) ? `TRY_CAST(${raw} AS TIMESTAMP)` : read(textIn(row, column));
    return { sql: then(`CAST(${instant} AS TIMESTAMP)`), type: 'TIMESTAMP', called: column.called, raw };
  },
});

/** Returns a column with billing periods, as the day in it, which `read` reads, or as its own text if that is no day. */
export const period = (
  names: readonly [string, ...string[]],
  read: TimeOf,
  { words = code(names), then = (day: string) => day } = {},
): NativeValue => ({
  words,
  needs: [names],
  reads: names,
  in: (row) => {
    const column = row.first(names);
    if (column === null) return null;
    const { called, type } = column;
    const text = textIn(row, column);
    const day = isTime(column) ? `TRY_CAST(${quoted(column.name)} AS TIMESTAMP)` : read(text);
    return isTime(column) && then(day) === day
      ? { sql: quoted(column.name), type, called }
      : {
          sql: `COALESCE(CAST(CAST(${then(`CAST(${day} AS TIMESTAMP)`)} AS DATE) AS VARCHAR), ${text})`,
          type: 'VARCHAR',
          called,
        };
  },
});

/** Reads days as `01/31/2026`, `31.01.2026` or ISO 8601, and instants. */
export const dayInAnyForm: TimeOf = (text) => `CASE
    WHEN contains(${text}, '/') THEN TRY_STRPTIME(${text}, ['%m/%d/%Y', '%m/%d/%Y %H:%M:%S', '%m/%d/%Y %I:%M:%S %p'])
    WHEN regexp_matches(${text}, '^\\d{1,2}\\.\\d') THEN TRY_STRPTIME(${text}, ['%d.%m.%Y', '%d.%m.%Y %H:%M:%S'])
    ELSE ${timeFromText(text)} END`;

/** Returns the first of two values of which a file has the columns. */
export const firstGiven = (first: NativeValue, second: NativeValue): NativeValue => ({
  words: `${first.words}, else ${second.words}`,
  needs: [[...first.needs, ...second.needs].flat()],
  reads: [...first.reads, ...second.reads],
  in: (row) => first.in(row) ?? second.in(row),
});
