import { writtenOut } from './cells.ts';
import { sqlText } from '../../engine/sql/sql-text.ts';
import { isTooLongText, LONGEST_TEXT } from './readable-limits.ts';

// Reasons why a row is unreadable, as SQL: `column: expected …, got …`.

/** Returns a value as text, or `out of range` if DuckDB has no text for it. */
export const rawText = (raw: string): string =>
  `CASE WHEN ${raw} IS NOT NULL THEN COALESCE(${writtenOut(raw)}, 'out of range') END`;

/**
 * Returns the problem of a value.
 *
 * @param column its name in messages.
 * @param expected the expectation, as SQL.
 * @param raw the value in the file, as SQL.
 */
export const problem = (column: string, expected: string, raw: string): string =>
  problemOf(sqlText(column), expected, raw);

/** Returns the problem of a value whose column's name is SQL. */
export const problemOf = (column: string, expected: string, raw: string): string =>
  `${column} || ': expected ' || ${expected} || ', got ' || COALESCE('"' || left(${rawText(raw)}, 80) || '"', 'nothing')`;

/** Returns the WHEN … THEN for a name or an id that is too long. */
export const whenTooLong = (column: string, text: string): string =>
  `WHEN ${isTooLongText(text)} THEN ${problem(column, `'${LONGEST_TEXT}'`, text)}`;
