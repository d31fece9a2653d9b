import type { Day } from '../../domain/shared/calendar.ts';
import { VALUE_DECIMALS, valueUnits } from '../../domain/shared/decimals.ts';
import type { Session } from '../engine/session.ts';
import type { NewValue } from './value-changes.ts';
import { sqlText } from '../engine/sql/sql-text.ts';

/** A value of an upload, and its line, counted from 1. */
export type NumberedValue = NewValue & { line: number };

/** Most numbers are plain digits and need no conversion. */
const PLAIN = /^(\d{1,15})(?:\.(\d{1,10}))?$/;

/**
 * Returns a value as a line of a CSV file. DuckDB reads the file each time it needs the values, so that no upload is held in
 * memory. The digits before and after the decimal point are two columns, because DuckDB reads large decimals slowly.
 */
export function valueFileLine({ period, label, value, line }: NumberedValue): string {
  const [whole, decimals] = partsOf(value.toString());
  return `${period},"${label.replaceAll('"', '""')}",${whole},${decimals},${line}\n`;
}

function partsOf(value: string): readonly [whole: string, decimals: string] {
  const [, whole, decimals = ''] = PLAIN.exec(value) ?? [];
  if (whole !== undefined) return [whole, decimals === '' ? '0' : decimals.padEnd(VALUE_DECIMALS, '0')];
  const digits = valueUnits(value)
    .toString()
    .padStart(VALUE_DECIMALS + 1, '0');
  return [digits.slice(0, -VALUE_DECIMALS), digits.slice(-VALUE_DECIMALS)];
}

/** DuckDB keeps several buffers, by default of 32 MB each. */
const BUFFER_BYTES = 2 ** 20;
/** Longer than the longest label, even if it is all quotes. */
const LONGEST_LINE_BYTES = 2 ** 14;

/** Returns the relation (period, label, value, line) of a file of values. */
export const valuesOfFile = (path: string): string => `(
SELECT period, label,
  whole::DECIMAL(38,${VALUE_DECIMALS}) + decimals::DECIMAL(${VALUE_DECIMALS},0) * 1e-10::DECIMAL(${VALUE_DECIMALS},${VALUE_DECIMALS}) AS value, line
FROM read_csv(${sqlText(path)}, auto_detect = false, header = false, delim = ',', quote = '"', escape = '"', new_line = '\\n',
  columns = {period: 'DATE', label: 'VARCHAR', whole: 'BIGINT', decimals: 'BIGINT', line: 'INTEGER'},
  allow_quoted_nulls = false, buffer_size = ${BUFFER_BYTES}, max_line_size = ${LONGEST_LINE_BYTES}))`;

/** A value whose period and label an earlier line has already. */
export interface Duplicate {
  line: string | number;
  before: string;
  period: Day;
  label: string;
}

/** Returns the first duplicate in a relation of values, or null. */
export async function firstDuplicate(session: Session, relation: string): Promise<Duplicate | null> {
  const [counts] = await session.query<{ are_distinct: boolean }>(
    // Different hashes mean different values, and need less memory than the labels.
    `SELECT count(*) = count(DISTINCT hash(period, label)) AS are_distinct FROM ${relation}`,
  );
  if (counts?.are_distinct === true) return null;
  const [found] = await session.query<Duplicate>(
    `SELECT line, lag(line) OVER (PARTITION BY period, label ORDER BY line) AS before, period, label
     FROM ${relation} QUALIFY before IS NOT NULL ORDER BY line LIMIT 1`,
  );
  return found ?? null;
}
