import { randomUUID } from 'node:crypto';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { monthOf, type Day } from '../../domain/shared/calendar.ts';
import { CONTROL_CHARACTER, NO_CONTROL_CHARACTERS } from '../../domain/shared/control-characters.ts';
import { columnsOf, isBlank, isHeader } from '../../domain/metrics/csv-record.ts';
import { conflict, invalid, type ServiceError } from '../../domain/shared/errors.ts';
import { periodToDay, periodToWire, type Frequency } from '../../domain/metrics/metric.ts';
import { newestPeriod, sentTwice, valueProblem, type ValueRules } from '../../domain/metrics/value-rules.ts';
import { forMessage } from '../../domain/shared/for-message.ts';
import { csvLines } from './csv-lines.ts';
import type { WriteResult } from './metric-values.ts';
import type { Session } from '../engine/session.ts';
import { changeRevenue, type RevenueOf } from './revenue-changes.ts';
import { changeValues, type Change, type Staged } from './value-changes.ts';
import {
  firstDuplicate,
  valueFileLine,
  valuesOfFile,
  type Duplicate,
  type NumberedValue,
} from './value-file.ts';
import type { Warehouse } from '../engine/warehouse.ts';

/** Most values in one file. */
export const MOST_CSV_VALUES = 200_000;

/** Most wrong lines that one error names. */
const MOST_PROBLEMS = 10;

/** The rules for the values of a file. */
interface FileRules extends ValueRules {
  /** The day before which all its values must lie, because an import owns the later ones; null without an import. */
  before?: Day | null;
}

/** Bytes of values compared at a time. */
const BYTES_AT_ONCE = 8 * 2 ** 20;

/**
 * Writes the values of a CSV file, all or none, like `writeValues` (spec §2, CSV format). The values wait in a file of our own,
 * never in memory. If the process is killed, the file goes with its directory. `signal` stops the upload, and then nothing is
 * stored. Throws `invalid` with the first wrong lines of the file, counted from 1.
 */
export const writeCsv = async (
  warehouse: Warehouse,
  orgId: string,
  metric: FileRules & { id: string },
  bytes: AsyncIterable<Buffer>,
  change: Change,
  signal: AbortSignal,
): Promise<WriteResult> => {
  const file = join(warehouse.settings.spillDirectory, `upload-${randomUUID()}`);
  try {
    await writeFile(file, linesOf(csvValues(metric, bytes, change.now)), { flag: 'wx', mode: 0o600, signal });
    const { size } = await stat(file);
    const staged = { relation: valuesOfFile(file), parts: Math.ceil(size / BYTES_AT_ONCE) };
    const stage = async (session: Session): Promise<Staged> => {
      const twice = await firstDuplicate(session, staged.relation);
      if (twice !== null) throw duplicate(twice, metric.frequency);
      return staged;
    };
    const { removed: _, ...written } = await changeValues(warehouse, orgId, metric.id, stage, change, signal);
    return written;
  } finally {
    await rm(file, { force: true });
  }
};

/**
 * Writes the revenue of a CSV file, all or none, as {@link writeCsv} does for counts. The values wait in memory, because no file
 * may hold revenue. They have no labels, so that a file has at most one value for each day.
 */
export const writeRevenueCsv = async (
  warehouse: Warehouse,
  of: RevenueOf,
  rules: FileRules,
  bytes: AsyncIterable<Buffer>,
  change: Change,
  signal: AbortSignal,
): Promise<WriteResult> => {
  const values = new Map<Day, NumberedValue>();
  for await (const block of csvValues(rules, bytes, change.now))
    for (const value of block) {
      const before = values.get(value.period);
      if (before !== undefined)
        throw duplicate({ ...value, before: before.line.toString() }, rules.frequency);
      values.set(value.period, value);
    }
  const revenue = new Map([...values].map(([period, { value }]) => [period, value]));
  const { removed: _, ...written } = await changeRevenue(warehouse, of, revenue, change, signal);
  return written;
};

const linesOf = async function* (blocks: AsyncIterable<readonly NumberedValue[]>): AsyncGenerator<string> {
  for await (const values of blocks) yield values.map(valueFileLine).join('');
};

/** Yields the values of a CSV file. Throws `invalid` with the lines of the first wrong ones, and for a file without any. */
const csvValues = async function* (
  rules: FileRules,
  bytes: AsyncIterable<Buffer>,
  now: Date,
): AsyncGenerator<NumberedValue[]> {
  const judge = new RecordJudge(rules, newestPeriod(rules.frequency, now));
  try {
    for await (const records of csvLines(bytes, textFor(rules))) yield judge.valuesOf(records);
  } catch (error) {
    // The lines before the one at which the file cannot be read any further.
    judge.refuseProblems();
    throw error;
  }
  judge.refuseProblems();
  if (judge.values === 0) throw invalid(`body: expected lines of ${columnsOf(rules).join(',')}, got none`);
};

/** Returns how errors show a line. Those of revenue do not repeat it. */
const textFor = ({ kind }: ValueRules): ((text: string) => string) =>
  kind === 'revenue' ? () => 'something else' : forMessage;

/** Checks the records of one file in order, by the rules of its metric. */
class RecordJudge {
  readonly #rules: FileRules;
  readonly #columns: readonly string[];
  readonly #newest: string;
  readonly #problems: string[] = [];
  #line = 0;
  #isFirst = true;
  values = 0;

  constructor(rules: FileRules, newest: string) {
    this.#rules = rules;
    this.#columns = columnsOf(rules);
    this.#newest = newest;
  }

  /**
   * Returns the values of the file's next records; none after a wrong record. Throws at the tenth wrong record, and at the first
   * one too many.
   */
  valuesOf(records: readonly string[][]): NumberedValue[] {
    const found: NumberedValue[] = [];
    for (const fields of records) {
      this.#line += 1;
      if (isBlank(fields) || this.#isHeader(fields)) continue;
      const value = this.#valueOf(fields);
      if (value !== null) found.push(value);
    }
    return this.#problems.length === 0 ? found : [];
  }

  /** Throws if any record was wrong. */
  refuseProblems(): void {
    if (this.#problems.length > 0) throw invalid(this.#problems.join('; '));
  }

  #isHeader(fields: readonly string[]): boolean {
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (!isFirst || !isHeader(fields)) return false;
    const wrong = fields.find((field) => CONTROL_CHARACTER.test(field));
    if (wrong !== undefined) this.#note(`${NO_CONTROL_CHARACTERS}, got ${forMessage(wrong)}`);
    return true;
  }

  #valueOf(fields: readonly string[]): NumberedValue | null {
    const columns = this.#columns;
    if (fields.length !== columns.length)
      return this.#note(
        `expected ${columns.length} columns, ${columns.join(',')}, got ${fields.length}: ${textFor(this.#rules)(fields.join(','))}`,
      );
    const [period = '', label, value = ''] =
      this.#rules.label_key === null ? [fields[0], undefined, fields[1]] : fields;
    const problem = valueProblem(this.#rules, this.#newest, { period, label, value });
    if (problem !== null) return this.#note(`${problem.field}: ${problem.problem}`);
    const { before = null } = this.#rules;
    if (before !== null && periodToDay(period) >= before) {
      this.refuseProblems();
      throw conflict(
        `line ${this.#line}: period: expected one before ${monthOf(before)}, from when on the values are imported, got ${period}`,
      );
    }
    this.values += 1;
    if (this.values > MOST_CSV_VALUES)
      throw invalid(`body: expected at most ${MOST_CSV_VALUES} lines of values, got ${this.values} or more`);
    return { period: periodToDay(period), label: label ?? '', value, line: this.#line };
  }

  #note(problem: string): null {
    this.#problems.push(`line ${this.#line}: ${problem}`);
    if (this.#problems.length === MOST_PROBLEMS) this.refuseProblems();
    return null;
  }
}

const duplicate = ({ line, before, period, label }: Duplicate, frequency: Frequency): ServiceError => {
  const sent = { period: periodToWire(period, frequency), label };
  return invalid(`line ${line}: ${sentTwice(sent, 'file', `line ${before}`)}`);
};
