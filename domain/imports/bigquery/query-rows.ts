import { isDay, type Day } from '../../shared/calendar.ts';
import { decimalOf, type DecimalText } from '../../shared/decimals.ts';
import { invalid } from '../../shared/errors.ts';
import { forMessage } from '../../shared/text/for-message.ts';
import { normalText } from '../../shared/text/normal-text.ts';
import type { ImportedValue } from '../imported-value.ts';

/** The cells of a result's row, as BigQuery writes them: texts or null. */
export interface QueryCells {
  day: unknown;
  /** Only on metrics with a label key. */
  label?: unknown;
  value: unknown;
}

/** The days that a run reads, both inclusive. */
export interface RunDays {
  start: Day;
  end: Day;
}

/** INT64, NUMERIC and BIGNUMERIC have this form, and most FLOAT64. */
const PLAIN = /^-?\d+(?:\.\d+)?$/;
const WITH_EXPONENT = /^-?\d+(?:\.\d+)?[eE][+-]?\d{1,3}$/;
/** FLOAT64 has a negative zero. */
const NEGATIVE_ZERO = /^-0(?:\.0+)?$/;

/**
 * Returns the value in a row of a query's result (docs/concepts.md#daily-imports). Decimals keep all digits.
 *
 * @param number the row's number, from 1, to name a row without a day.
 * @throws `invalid` with the day for a null, a day outside the run's days, NaN and infinity.
 */
export function importedValueOf(cells: QueryCells, number: number, { start, end }: RunDays): ImportedValue {
  const { day, label, value } = cells;
  if (typeof day !== 'string' || !isDay(day))
    throw invalid(`query: row ${number}: day: expected a DATE of the years 1 to 9999, got ${shown(day)}`);
  if (day < start || day > end) {
    throw invalid(
      `query: row ${number}: day: expected a day from ${start} to ${end}, got ${day}: filter by @start and @end, which are both inclusive`,
    );
  }
  if (label !== undefined && typeof label !== 'string')
    throw invalid(`query: ${day}: label: expected a text, got ${shown(label)}`);
  // Emulators of BigQuery write numbers instead of texts.
  const text = typeof value === 'number' ? value.toString() : value;
  const decimal = typeof text === 'string' ? plainDecimal(text) : null;
  if (decimal === null) {
    const where = label === undefined ? day : `${day}, label ${forMessage(label)}`;
    throw invalid(
      `query: ${where}: value: expected a number, got ${shown(value)}: return a number, or leave the row out`,
    );
  }
  return label === undefined ? { day, value: decimal } : { day, label: normalText(label), value: decimal };
}

const shown = (cell: unknown): string => (cell === null || cell === undefined ? 'null' : forMessage(cell));

function plainDecimal(text: string): DecimalText | null {
  if (PLAIN.test(text)) return NEGATIVE_ZERO.test(text) ? '0' : text;
  return WITH_EXPONENT.test(text) ? decimalOf(text).toFixed() : null;
}
