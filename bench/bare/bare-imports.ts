import {
  DATE,
  DECIMAL,
  DuckDBDataChunk,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBInstance,
  DuckDBTimestampValue,
  DuckDBUUIDValue,
  TIMESTAMP,
  UUID,
  VARCHAR,
  type DuckDBType,
  type DuckDBValue,
} from '@duckdb/node-api';
import { dayNumber } from '../../domain/shared/calendar.ts';
import { valueUnits } from '../../domain/shared/decimals.ts';
import { ROWS, rowOf } from '../data/imported-rows.ts';
import { answerParent } from './bare-process.ts';

// The least work that can store the rows of a query: an appender of DuckDB's own vectors into a table of a file.
const [databaseFile = 'bare.duckdb'] = process.argv.slice(2);
const CHUNK_ROWS = 2048;

type Row = ReturnType<typeof rowOf>;

const column = (name: string, type: DuckDBType, of: (row: Row) => DuckDBValue) => ({ name, type, of });

const SENT = [
  column('day', DATE, ([day]) => new DuckDBDateValue(dayNumber(day))),
  column('label', VARCHAR, ([, label]) => label),
  column('value', DECIMAL(38, 10), ([, , value]) => new DuckDBDecimalValue(valueUnits(value), 38, 10)),
];
/** The columns that are sent, and those that the product adds: whose value it is, who changed it, when, and how. */
const STORED = [
  ...SENT,
  column('org_id', VARCHAR, () => 'org_019f0000000070008000000000000000'),
  column('metric_id', VARCHAR, () => 'met_019f0000000070008000000000000000'),
  column('change_id', UUID, () => DuckDBUUIDValue.fromUint128(1n)),
  column('source', VARCHAR, () => 'warehouse'),
  column('changed_by_type', VARCHAR, () => 'import'),
  column('changed_by_id', VARCHAR, () => 'run_019f0000000070008000000000000000'),
  column('changed_by_name', VARCHAR, () => 'BigQuery'),
  column('changed_at', TIMESTAMP, () => new DuckDBTimestampValue(0n)),
];

const instance = await DuckDBInstance.create(databaseFile, { memory_limit: '1GB' });
const connection = await instance.connect();

/** Appends all rows to a fresh table, and returns how long it took, in seconds. */
answerParent(async ({ columns: name }: { columns: 'sent' | 'stored' }) => {
  const columns = { sent: SENT, stored: STORED }[name];
  const types = columns.map(({ type }) => type);
  const definition = columns.map((one) => `${one.name} ${one.type.toString()}`).join(', ');
  const rows = Array.from({ length: ROWS }, (_, index) => rowOf(index, 0));
  await connection.run(`CREATE OR REPLACE TABLE ${name} (${definition})`);
  const started = performance.now();
  const appender = await connection.createAppender(name);
  for (let from = 0; from < ROWS; from += CHUNK_ROWS) {
    const chunk = DuckDBDataChunk.create(types);
    const part = rows.slice(from, from + CHUNK_ROWS);
    chunk.setColumns(columns.map(({ of }) => part.map(of)));
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
  return { seconds: (performance.now() - started) / 1000 };
});
