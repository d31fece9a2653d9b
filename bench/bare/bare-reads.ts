import { DuckDBInstance, LIST, listValue, VARCHAR, type DuckDBConnection } from '@duckdb/node-api';
import Fastify from 'fastify';
import { COST_SUMMARY } from '../../warehouse/spend/costs.ts';
import { MONTH_FACTS } from '../../warehouse/months/month-facts.ts';
import { answerParent } from './bare-process.ts';

/** The values that the bare routes bind to the product's own statements. */
export interface BareReads {
  org: string;
  metrics: readonly string[];
  previousStart: string;
  start: string;
  end: string;
  firstMonth: string;
  lastMonth: string;
}

// The least work that can answer a read: it runs the product's statement and returns its rows as JSON.
const [databaseFile = 'copy.duckdb', connections = '2'] = process.argv.slice(2);
const instance = await DuckDBInstance.create(databaseFile, { memory_limit: '1GB' });
const idle: DuckDBConnection[] = [];
const waiting: ((connection: DuckDBConnection) => void)[] = [];
for (let open = 0; open < Number(connections); open += 1) {
  const connection = await instance.connect();
  await connection.run(`SET TimeZone = 'UTC'`);
  idle.push(connection);
}

const onConnection = async <Result>(
  work: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> => {
  const connection =
    idle.pop() ??
    (await new Promise<DuckDBConnection>((lend) => {
      waiting.push(lend);
    }));
  try {
    return await work(connection);
  } finally {
    const next = waiting.shift();
    if (next === undefined) idle.push(connection);
    else next(connection);
  }
};

let wanted: BareReads | null = null;
const reads = (): BareReads => {
  if (wanted === null) throw new Error('the parent has not sent what to read');
  return wanted;
};

const app = Fastify();
app.get('/costs', () => {
  const { org, previousStart, start, end } = reads();
  return onConnection(async (connection) =>
    (await connection.runAndReadAll(COST_SUMMARY, { org, previousStart, start, end })).getRowObjectsJson(),
  );
});
app.get('/metric', () => {
  const { org, metrics, firstMonth, lastMonth } = reads();
  return onConnection(async (connection) =>
    (
      await connection.runAndReadAll(
        MONTH_FACTS,
        { org, metrics: listValue([...metrics]), first: firstMonth, last: lastMonth },
        { metrics: LIST(VARCHAR) },
      )
    ).getRowObjectsJson(),
  );
});
const url = await app.listen({ host: '127.0.0.1', port: 0 });

answerParent(async (request: BareReads) => {
  wanted = request;
  return url;
});
