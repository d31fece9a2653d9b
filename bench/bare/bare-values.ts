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
import Fastify from 'fastify';
import { answerParent } from './bare-process.ts';

// The least work that can store values: routes that parse the body and append its rows to a table of a file.
const [databaseFile = 'bare.duckdb'] = process.argv.slice(2);
const CHUNK_ROWS = 2048;
const MILLISECONDS_PER_DAY = 86_400_000;
const SCALE = 10n ** 10n;

interface Sent {
  period: string;
  value: number;
}

/** A column of the table, with its content for a value of the body. */
interface Column {
  name: string;
  type: DuckDBType;
  of: (value: Sent) => DuckDBValue;
}

const constant = (name: string, value: DuckDBValue, type: DuckDBType = VARCHAR): Column => ({
  name,
  type,
  of: () => value,
});

/** The columns of the sent values. */
const SENT: Column[] = [
  constant('org_id', 'org_019f0000000070008000000000000000'),
  constant('metric_id', 'met_019f0000000070008000000000000000'),
  {
    name: 'period',
    type: DATE,
    of: ({ period }) => new DuckDBDateValue(Date.parse(period) / MILLISECONDS_PER_DAY),
  },
  constant('label', ''),
  {
    name: 'value',
    type: DECIMAL(38, 10),
    of: ({ value }) => new DuckDBDecimalValue(BigInt(value) * SCALE, 38, 10),
  },
];

/** The columns that are sent, and those that the product adds: who changed a value, when, and how. */
const STORED: Column[] = [
  ...SENT,
  constant('change_id', DuckDBUUIDValue.fromUint128(1n), UUID),
  constant('source', 'api'),
  constant('changed_by_type', 'key'),
  constant('changed_by_id', 'key_019f0000000070008000000000000000'),
  constant('changed_by_name', 'First admin key'),
  constant('changed_at', new DuckDBTimestampValue(0n), TIMESTAMP),
];

const instance = await DuckDBInstance.create(databaseFile, { memory_limit: '1GB' });
const connection = await instance.connect();
const app = Fastify({ bodyLimit: 8 * 1024 * 1024 });

for (const [table, columns] of [
  ['sent', SENT],
  ['stored', STORED],
] as const) {
  const types = columns.map(({ type }) => type);
  await connection.run(
    `CREATE TABLE ${table} (${columns.map(({ name, type }) => `${name} ${type.toString()}`).join(', ')})`,
  );
  app.post<{ Body: { values: Sent[] } }>(`/${table}`, async ({ body }) => {
    const appender = await connection.createAppender(table);
    for (let from = 0; from < body.values.length; from += CHUNK_ROWS) {
      const values = body.values.slice(from, from + CHUNK_ROWS);
      const chunk = DuckDBDataChunk.create(types);
      chunk.setColumns(columns.map(({ of }) => values.map(of)));
      appender.appendDataChunk(chunk);
    }
    appender.closeSync();
    return { success: true, data: { created: body.values.length } };
  });
}
const url = await app.listen({ host: '127.0.0.1', port: 0 });

answerParent(async () => url);
