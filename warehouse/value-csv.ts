import { INTEGER } from '@duckdb/node-api';
import type { Day } from '../domain/calendar.ts';
import { CONTROL_CHARACTER, NO_CONTROL_CHARACTERS } from '../domain/control-characters.ts';
import { columnsOf, isBlank, isHeader } from '../domain/csv-record.ts';
import { invalid } from '../domain/errors.ts';
import { periodToDay, periodToWire, type Frequency } from '../domain/metric.ts';
import { newestPeriod, valueProblem, type ValueRules } from '../domain/sent-value.ts';
import { shown } from '../domain/shown.ts';
import { csvLines } from './csv-lines.ts';
import { STAGED_TYPES, stagedColumns, type NewValue, type WriteResult } from './metric-values.ts';
import type { Session } from './session.ts';
import { changeValues, STAGED, type Change } from './value-changes.ts';
import type { Warehouse } from './warehouse.ts';

/** Most values in one file. */
export const MOST_CSV_VALUES = 200_000;

/** Values appended at a time: several of DuckDB's vectors. */
const BATCH_VALUES = 4096;

/**
 * Writes the values of a CSV file, all or none, as `writeValues` does (spec §2, CSV format). `signal` stops it, and then
 * nothing is stored. Throws `invalid`, which names the line of the file, counted from 1.
 */
export const writeCsv = async (
  warehouse: Warehouse,
  orgId: string,
  metric: ValueRules & { id: string },
  file: string,
  change: Change,
  signal: AbortSignal,
): Promise<WriteResult> => {
  const stage = (session: Session): Promise<void> => stageFile(session, metric, file, change.now, signal);
  const { removed: _, ...written } = await changeValues(warehouse, orgId, metric.id, stage, change, signal);
  return written;
};

const stageFile = async (
  session: Session,
  rules: ValueRules,
  file: string,
  now: Date,
  signal: AbortSignal,
): Promise<void> => {
  await session.run(
    `CREATE OR REPLACE TEMP TABLE staged_values (period DATE, label VARCHAR, value DECIMAL(38,10), line INTEGER)`,
  );
  const judge = new RecordJudge(rules, newestPeriod(rules.frequency, now));
  let batch: FoundValue[] = [];
  const append = async (): Promise<void> => {
    const columns = [...stagedColumns(batch), batch.map(({ line }) => line)];
    await session.append('staged_values', [...STAGED_TYPES, INTEGER], columns);
    batch = [];
  };
  for await (const records of csvLines(file, signal)) {
    batch.push(...judge.valuesOf(records));
    if (batch.length >= BATCH_VALUES) await append();
  }
  await append();
  if (judge.values === 0) throw invalid(`body: expected lines of ${columnsOf(rules).join(',')}, got none`);
  await refuseDuplicates(session, rules.frequency);
};

/** A value of a file, and its line, counted from 1. */
type FoundValue = NewValue & { line: number };

/** Judges the records of one file in their order, by the rules of its metric. */
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

  /** The values of the file's next records. Throws at the first record that is wrong, or is one too many. */
  valuesOf(records: readonly string[][]): FoundValue[] {
    const found: FoundValue[] = [];
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
    if (wrong !== undefined) this.#refuse(`${NO_CONTROL_CHARACTERS}, got ${shown(wrong)}`);
    return true;
  }

  #valueOf(fields: readonly string[]): FoundValue {
    const columns = this.#columns;
    if (fields.length !== columns.length)
      this.#refuse(
        `expected ${columns.length} columns, ${columns.join(',')}, got ${fields.length}: ${shown(fields.join(','))}`,
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

const refuseDuplicates = async (session: Session, frequency: Frequency): Promise<void> => {
  const [counts] = await session.query<{ are_distinct: boolean }>(
    // Other hashes are of other values, and need less memory than the labels.
    `SELECT count(*) = count(DISTINCT hash(period, label)) AS are_distinct FROM ${STAGED}`,
  );
  if (counts?.are_distinct === true) return;
  const [duplicate] = await session.query<{ line: string; before: string; period: Day; label: string }>(
    `SELECT line, lag(line) OVER (PARTITION BY period, label ORDER BY line) AS before, period, label
     FROM ${STAGED} QUALIFY before IS NOT NULL ORDER BY line LIMIT 1`,
  );
  if (duplicate === undefined) return;
  const { line, before, period, label } = duplicate;
  const of = label === '' ? '' : ` with label ${shown(label)}`;
  throw invalid(
    `line ${line}: period: expected each period once in a file, got ${shown(periodToWire(period, frequency))}${of}, as line ${before} has it already`,
  );
};
