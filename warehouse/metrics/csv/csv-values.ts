import { CONTROL_CHARACTER, NO_CONTROL_CHARACTERS } from '../../../domain/shared/text/control-characters.ts';
import {
  columnsOf,
  defaultColumns,
  headerColumns,
  isBlank,
  looksLikeHeader,
  type CsvColumns,
} from '../../../domain/metrics/csv-record.ts';
import { DecimalSigns } from '../../../domain/metrics/decimal-sign.ts';
import { periodToDay, periodToWire } from '../../../domain/metrics/metric.ts';
import {
  newestPeriod,
  sentTwice,
  storableValue,
  valueProblem,
  type ValueRules,
} from '../../../domain/metrics/value-rules.ts';
import { monthOf, type Day } from '../../../domain/shared/calendar.ts';
import type { Separator } from '../../../domain/shared/text/csv-separator.ts';
import { conflict, invalid } from '../../../domain/shared/errors.ts';
import { forMessage } from '../../../domain/shared/text/for-message.ts';
import { normalText } from '../../../domain/shared/text/normal-text.ts';
import type { NumberedValue } from '../value-file.ts';
import type { ValueStream } from '../write-values.ts';
import { csvLines, type CsvBlock } from './csv-lines.ts';

export const MOST_CSV_VALUES = 200_000;

/** Most wrong lines that one error names. */
const MOST_PROBLEMS = 10;

export interface FileRules extends ValueRules {
  /** The day before which all its values must lie, because an import owns the later ones; null without an import. */
  before?: Day | null;
}

/** Returns the values of a CSV file to write. What it throws names lines, counted from 1. */
export const csvStream = (validator: RecordValidator, bytes: AsyncIterable<Buffer>): ValueStream => ({
  parts: csvValues(validator, bytes),
  comesTwice: ({ line, before, period, label }) => {
    const sent = { period: periodToWire(period, validator.rules.frequency), label };
    return invalid(`line ${line}: ${sentTwice(sent, 'file', `line ${before}`)}`);
  },
});

/** Yields the values of a CSV file. Throws `invalid` with the lines of the first wrong ones, and for a file without any. */
const csvValues = async function* (
  validator: RecordValidator,
  bytes: AsyncIterable<Buffer>,
): AsyncGenerator<NumberedValue[]> {
  const { rules } = validator;
  const isHeader = (fields: readonly string[]): boolean => headerColumns(fields, rules) !== null;
  try {
    for await (const block of csvLines(bytes, { isHeader, shown: textFor(rules) }))
      yield validator.valuesOf(block);
  } catch (error) {
    // The lines before the one at which the file cannot be read any further.
    validator.refuseProblems();
    throw error;
  }
  validator.refuseProblems();
  validator.refuseDoubt();
  if (validator.values === 0)
    throw invalid(`body: expected lines of ${columnsOf(rules).join(',')}, got none`);
};

/** Returns how errors show a line. Those of revenue do not repeat it. */
const textFor = ({ kind }: ValueRules): ((text: string) => string) =>
  kind === 'revenue' ? () => 'something else' : forMessage;

/** Checks the records of one file in order, by the rules of its metric. */
export class RecordValidator {
  readonly rules: FileRules;
  readonly #newest: string;
  readonly #problems: string[] = [];
  #signs: DecimalSigns | null = null;
  #columns: CsvColumns | null = null;
  #line = 0;
  values = 0;
  rounded = 0;

  constructor(rules: FileRules, now: Date) {
    this.rules = rules;
    this.#newest = newestPeriod(rules.frequency, now);
  }

  /**
   * Returns the values of the file's next records; none after a wrong record. Throws at the tenth wrong record, at the first
   * one too many, and if the first record is neither a header row nor a value.
   */
  valuesOf({ records, separator }: CsvBlock): NumberedValue[] {
    const found: NumberedValue[] = [];
    for (const fields of records) {
      this.#line += 1;
      if (isBlank(fields)) continue;
      if (this.#columns === null) {
        this.#columns = headerColumns(fields, this.rules);
        if (this.#columns !== null) continue;
        this.#refuseHeader(fields);
        this.#columns = defaultColumns(this.rules);
      }
      const value = this.#valueOf(fields, this.#columns, separator);
      if (value !== null) found.push(value);
    }
    return this.#problems.length === 0 ? found : [];
  }

  /** Throws if any record was wrong. */
  refuseProblems(): void {
    if (this.#problems.length > 0) throw invalid(this.#problems.join('; '));
  }

  /** Throws if the whole file leaves a number with two meanings. */
  refuseDoubt(): void {
    const doubt = this.#signs?.doubt ?? null;
    if (doubt !== null) throw invalid(`line ${doubt.line}: value: ${doubt.problem}`);
  }

  #refuseHeader(fields: readonly string[]): void {
    if (!looksLikeHeader(fields)) return;
    const { rules } = this;
    const wrong = fields.find((field) => CONTROL_CHARACTER.test(field));
    const expected = `expected a header with the columns ${columnsOf(rules).join(',')} in any order, or a value`;
    this.#note(
      wrong === undefined
        ? `${expected}, got ${textFor(rules)(fields.join(','))}`
        : `${NO_CONTROL_CHARACTERS}, got ${textFor(rules)(wrong)}`,
    );
    this.refuseProblems();
  }

  #valueOf(fields: readonly string[], columns: CsvColumns, separator: Separator): NumberedValue | null {
    const names = columnsOf(this.rules);
    if (fields.length < names.length || !isBlank(fields.slice(names.length)))
      return this.#note(
        `expected ${names.length} columns, ${names.join(',')}, got ${fields.length}: ${textFor(this.rules)(fields.join(separator))}${this.#hint(fields, separator)}`,
      );
    const period = fields[columns.period] ?? '';
    const label = columns.label === null ? undefined : normalText(fields[columns.label] ?? '');
    this.#signs ??= new DecimalSigns(separator);
    const read = this.#signs.read(fields[columns.value] ?? '', this.#line);
    if ('problem' in read) {
      const got = textFor(this.rules)(fields[columns.value] ?? '');
      return this.#note(`value: ${read.problem}, got ${got}`);
    }
    const problem = valueProblem(this.rules, this.#newest, { period, label, value: read.text });
    if (problem !== null) return this.#note(`${problem.field}: ${problem.problem}`);
    const { before = null } = this.rules;
    if (before !== null && periodToDay(period) >= before) {
      this.refuseProblems();
      throw conflict(
        `line ${this.#line}: period: expected one before ${monthOf(before)}, from when on the values are imported, got ${period}`,
      );
    }
    this.values += 1;
    if (this.values > MOST_CSV_VALUES)
      throw invalid(`body: expected at most ${MOST_CSV_VALUES} lines of values, got ${this.values} or more`);
    const { value, isRounded } = storableValue(read.text);
    if (isRounded) this.rounded += 1;
    return { period: periodToDay(period), label: label ?? '', value, line: this.#line };
  }

  /** What to do about a line with another separator. */
  #hint(fields: readonly string[], separator: Separator): string {
    return separator === ',' && fields.some((field) => /[;\t]/.test(field))
      ? '; a file with semicolons or tabs needs a header'
      : '';
  }

  #note(problem: string): null {
    this.#problems.push(`line ${this.#line}: ${problem}`);
    if (this.#problems.length === MOST_PROBLEMS) this.refuseProblems();
    return null;
  }
}
