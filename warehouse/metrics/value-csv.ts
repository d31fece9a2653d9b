import { randomUUID } from 'node:crypto';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Day } from '../../domain/shared/calendar.ts';
import { CONTROL_CHARACTER, NO_CONTROL_CHARACTERS } from '../../domain/shared/control-characters.ts';
import { columnsOf, isBlank, isHeader } from '../../domain/metrics/csv-record.ts';
import { invalid } from '../../domain/shared/errors.ts';
import { periodToDay, periodToWire, type Frequency } from '../../domain/metrics/metric.ts';
import { newestPeriod, sentTwice, valueProblem, type ValueRules } from '../../domain/metrics/value-rules.ts';
import { forMessage } from '../../domain/shared/for-message.ts';
import { csvLines } from './csv-lines.ts';
import type { WriteResult } from './metric-values.ts';
import type { Session } from '../engine/session.ts';
import { changeValues, type Change, type Staged } from './value-changes.ts';
import { valueFileLine, valuesOfFile, type NumberedValue } from './value-file.ts';
import type { Warehouse } from '../engine/warehouse.ts';

/** Most values in one file. */
export const MOST_CSV_VALUES = 200_000;

/** Bytes of values compared at a time. */
const BYTES_AT_ONCE = 8 * 2 ** 20;

/**
 * Writes the values of a CSV file, all or none, like `writeValues` (spec §2, CSV format). The values wait in a file of our own,
 * never in memory. If the process is killed, the file goes with its directory. `signal` stops the upload, and then nothing is
 * stored. Throws `invalid` with the line of the file, counted from 1.
 */
export const writeCsv = async (
  warehouse: Warehouse,
  orgId: string,
  metric: ValueRules & { id: string },
  bytes: AsyncIterable<Buffer>,
  change: Change,
  signal: AbortSignal,
): Promise<WriteResult> => {
  const file = join(warehouse.settings.spillDirectory, `upload-${randomUUID()}`);
  try {
    const judge = new RecordJudge(metric, newestPeriod(metric.frequency, change.now));
    await writeFile(file, linesOf(judge, csvLines(bytes)), { flag: 'wx', mode: 0o600, signal });
    if (judge.values === 0) throw invalid(`body: expected lines of ${columnsOf(metric).join(',')}, got none`);
    const { size } = await stat(file);
    const staged = { relation: valuesOfFile(file), parts: Math.ceil(size / BYTES_AT_ONCE) };
    const stage = async (session: Session): Promise<Staged> => {
      await refuseDuplicates(session, staged.relation, metric.frequency);
      return staged;
    };
    const { removed: _, ...written } = await changeValues(warehouse, orgId, metric.id, stage, change, signal);
    return written;
  } finally {
    await rm(file, { force: true });
  }
};

const linesOf = async function* (
  judge: RecordJudge,
  blocks: AsyncIterable<readonly string[][]>,
): AsyncGenerator<string> {
  for await (const records of blocks) yield judge.valuesOf(records).map(valueFileLine).join('');
};

/** Checks the records of one file in order, by the rules of its metric. */
class RecordJudge {
  readonly #rules: ValueRules;
  readonly #columns: readonly string[];
  readonly #newest: string;
  #line = 0;
  #isFirst = true;
  values = 0;

  constructor(rules: ValueRules, newest: string) {
    this.#rules = rules;
    this.#columns = columnsOf(rules);
    this.#newest = newest;
  }

  /** Returns the values of the file's next records. Throws at the first wrong record, and at the first one too many. */
  valuesOf(records: readonly string[][]): NumberedValue[] {
    const found: NumberedValue[] = [];
    for (const fields of records) {
      this.#line += 1;
      if (isBlank(fields) || this.#isHeader(fields)) continue;
      found.push(this.#valueOf(fields));
    }
    return found;
  }

  #isHeader(fields: readonly string[]): boolean {
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (!isFirst || !isHeader(fields)) return false;
    const wrong = fields.find((field) => CONTROL_CHARACTER.test(field));
    if (wrong !== undefined) this.#refuse(`${NO_CONTROL_CHARACTERS}, got ${forMessage(wrong)}`);
    return true;
  }

  #valueOf(fields: readonly string[]): NumberedValue {
    const columns = this.#columns;
    if (fields.length !== columns.length)
      this.#refuse(
        `expected ${columns.length} columns, ${columns.join(',')}, got ${fields.length}: ${forMessage(fields.join(','))}`,
      );
    const [period = '', label, value = ''] =
      this.#rules.label_key === null ? [fields[0], undefined, fields[1]] : fields;
    const problem = valueProblem(this.#rules, this.#newest, { period, label, value });
    if (problem !== null) this.#refuse(`${problem.field}: ${problem.problem}`);
    this.values += 1;
    if (this.values > MOST_CSV_VALUES)
      throw invalid(`body: expected at most ${MOST_CSV_VALUES} lines of values, got ${this.values} or more`);
    return { period: periodToDay(period), label: label ?? '', value, line: this.#line };
  }

  #refuse(problem: string): never {
    throw invalid(`line ${this.#line}: ${problem}`);
  }
}

const refuseDuplicates = async (session: Session, staged: string, frequency: Frequency): Promise<void> => {
  const [counts] = await session.query<{ are_distinct: boolean }>(
    // Different hashes mean different values, and need less memory than the labels.
    `SELECT count(*) = count(DISTINCT hash(period, label)) AS are_distinct FROM ${staged}`,
  );
  if (counts?.are_distinct === true) return;
  const [duplicate] = await session.query<{ line: string; before: string; period: Day; label: string }>(
    `SELECT line, lag(line) OVER (PARTITION BY period, label ORDER BY line) AS before, period, label
     FROM ${staged} QUALIFY before IS NOT NULL ORDER BY line LIMIT 1`,
  );
  if (duplicate === undefined) return;
  const { line, before, period, label } = duplicate;
  const sent = { period: periodToWire(period, frequency), label };
  throw invalid(`line ${line}: ${sentTwice(sent, 'file', `line ${before}`)}`);
};
