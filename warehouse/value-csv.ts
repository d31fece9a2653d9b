import { createReadStream } from 'node:fs';
import { isUtf8 } from 'node:buffer';
import type { Day } from '../domain/calendar.ts';
import { csvFields, isHeader } from '../domain/csv-record.ts';
import { invalid } from '../domain/errors.ts';
import { periodToDay, periodToWire, type Frequency } from '../domain/metric.ts';
import { newestPeriod, valueProblem, type ValueRules } from '../domain/sent-value.ts';
import { shown } from '../domain/shown.ts';
import { ANY_LINES, columnsOf, SIMPLE_LINES, stageStatement } from './csv-staging.ts';
import type { WriteResult } from './metric-values.ts';
import type { Session } from './session.ts';
import { changeValues, STAGED, type Change } from './value-changes.ts';
import type { Warehouse } from './warehouse.ts';

/** Most values in one file. */
export const MOST_CSV_VALUES = 200_000;

/**
 * Writes the values of a CSV file, all or none, as `writeValues` does (spec §2, CSV format). DuckDB reads, judges and
 * stages the whole file; only for the message about a refused line is any of it looked at here. Throws `invalid`, which
 * names the line of the file, counted from 1.
 */
export const writeCsv = async (
  warehouse: Warehouse,
  orgId: string,
  metric: ValueRules & { id: string },
  file: string,
  change: Change,
): Promise<WriteResult> => {
  const stage = (session: Session): Promise<void> => stageFile(session, metric, file, change.now);
  const { removed: _, ...written } = await changeValues(warehouse, orgId, metric.id, stage, change);
  return written;
};

const stageFile = async (session: Session, rules: ValueRules, file: string, now: Date): Promise<void> => {
  const newest = newestPeriod(rules.frequency, now);
  const stageFrom = (lines: string, path: string): Promise<number> =>
    session.run(stageStatement(lines, rules), { file: path, newest: periodToDay(newest) });
  // A line with half a quoted field has an odd number of quotes, and nothing after it is what it seems.
  const isSimple = await stageFrom(SIMPLE_LINES, file.replace(/[*?[]/g, '[$&]')).then(
    async () => !(await hasBrokenQuotes(session)),
    () => false,
  );
  if (!isSimple) {
    await refuseOtherEncodings(file);
    await stageFrom(ANY_LINES, file.replace(/[*?[]/g, '[$&]'));
  }
  const [counts] = await session.query<{ values: string; refused: string; first_line: string | null }>(
    `SELECT count(period) AS values, count(refused) AS refused,
       min(rowid) FILTER (period IS NOT NULL OR refused IS NOT NULL) + 1 AS first_line
     FROM ${STAGED}`,
  );
  const refused = await session.query<{ line: string; text: string }>(
    `SELECT rowid + 1 AS line, refused AS text FROM ${STAGED} WHERE refused IS NOT NULL ORDER BY rowid LIMIT 2`,
  );
  const wrong = refused.filter(({ line, text }) => !(line === counts?.first_line && isHeaderOf(text)));
  const values = Number(counts?.values) + Number(counts?.refused) - (refused.length - wrong.length);
  if (values > MOST_CSV_VALUES)
    throw invalid(`body: expected at most ${MOST_CSV_VALUES} lines of values, got ${values}`);
  if (values === 0) throw invalid(`body: expected lines of ${columnsOf(rules).join(',')}, got none`);
  if (wrong[0] !== undefined)
    throw invalid(`line ${wrong[0].line}: ${refusal(rules, newest, wrong[0].text)}`);
  await refuseDuplicates(session, rules.frequency);
};

const isHeaderOf = (text: string): boolean => {
  const fields = csvFields(text);
  return fields !== null && isHeader(fields);
};

/** Why a record that DuckDB has refused cannot be stored. */
const refusal = (rules: ValueRules, newest: string, text: string): string => {
  const columns = columnsOf(rules);
  const fields = csvFields(text);
  if (fields === null) return `expected quotes around whole fields, got ${shown(text)}`;
  if (fields.length !== columns.length)
    return `expected ${columns.length} columns, ${columns.join(',')}, got ${fields.length}: ${shown(text)}`;
  const [period = '', label, value = ''] =
    rules.label_key === null ? [fields[0], undefined, fields[1]] : fields;
  const found = valueProblem(rules, newest, { period, label, value });
  if (found === null) throw new Error(`a CSV record was refused without a reason: ${shown(text)}`);
  return `${found.field}: ${found.problem}`;
};

const hasBrokenQuotes = async (session: Session): Promise<boolean> => {
  const [row] = await session.query<{ broken: boolean | null }>(
    `SELECT bool_or((length(refused) - length(replace(refused, '"', ''))) % 2 = 1) AS broken
     FROM ${STAGED} WHERE refused IS NOT NULL`,
  );
  return row?.broken === true;
};

const refuseDuplicates = async (session: Session, frequency: Frequency): Promise<void> => {
  const [counts] = await session.query<{ are_distinct: boolean }>(
    `SELECT count(*) = count(DISTINCT (period, label)) AS are_distinct FROM ${STAGED} WHERE period IS NOT NULL`,
  );
  if (counts?.are_distinct === true) return;
  const [duplicate] = await session.query<{ line: string; before: string; period: Day; label: string }>(
    `SELECT rowid + 1 AS line, lag(rowid) OVER (PARTITION BY period, label ORDER BY rowid) + 1 AS before, period, label
     FROM ${STAGED} WHERE period IS NOT NULL QUALIFY before IS NOT NULL ORDER BY line LIMIT 1`,
  );
  if (duplicate === undefined) throw new Error('a CSV file has duplicates that cannot be found');
  const { line, before, period, label } = duplicate;
  const of = label === '' ? '' : ` with label ${shown(label)}`;
  throw invalid(
    `line ${line}: period: expected each period once in a file, got ${shown(periodToWire(period, frequency))}${of}, as line ${before} has it already`,
  );
};

/** Bytes read at a time where a file is looked through for its first line that is no UTF-8. */
const BLOCK_BYTES = 4 * 1024 * 1024;
const LINE_FEED = 10;

const refuseOtherEncodings = async (file: string): Promise<void> => {
  let line = 1;
  let rest = Buffer.alloc(0);
  const judge = (text: Buffer): void => {
    if (!isUtf8(text)) throw invalid(`line ${line}: expected UTF-8, got bytes that are none`);
  };
  for await (const block of createReadStream(file, { highWaterMark: BLOCK_BYTES })) {
    const text = Buffer.concat([rest, block as Buffer]);
    let from = 0;
    for (let end = text.indexOf(LINE_FEED); end !== -1; end = text.indexOf(LINE_FEED, from)) {
      judge(text.subarray(from, end));
      from = end + 1;
      line += 1;
    }
    rest = text.subarray(from);
  }
  judge(rest);
};
