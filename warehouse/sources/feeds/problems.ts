import { writtenOut } from './cells.ts';
import { isTooLongText, LONGEST_TEXT } from './readable-limits.ts';

// Why a row cannot be read, as SQL: `column: expected …, got …`.

/** A value as text, also if DuckDB has no text for it. */
export const rawText = (raw: string): string =>
  `CASE WHEN ${raw} IS NOT NULL THEN COALESCE(${writtenOut(raw)}, 'out of range') END`;

/**
 * The problem of a value.
 *
 * @param column the name that messages give it.
 * @param expected what they expect of it, as SQL.
 * @param raw what came, as SQL.
 */
export const problem = (column: string, expected: string, raw: string): string =>
  `'${column}: expected ' || ${expected} || ', got ' || COALESCE('"' || left(${rawText(raw)}, 80) || '"', 'nothing')`;

/** The WHEN … THEN for a name or an id that is too long. */
export const whenTooLong = (column: string, text: string): string =>
  `WHEN ${isTooLongText(text)} THEN ${problem(column, `'${LONGEST_TEXT}'`, text)}`;
