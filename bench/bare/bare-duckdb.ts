import { DuckDBInstance } from '@duckdb/node-api';
import { answerParent } from './bare-process.ts';
import { bytesPeak } from '../client/process-memory.ts';

/** A statement to run. Its time includes planning and reading all rows. */
export interface BareStatement {
  sql: string;
}

export interface BareResult {
  seconds: number;
  rows: Record<string, unknown>[];
  peakMemory: number;
}

const [memoryLimit = '1GB', spillDirectory = 'spill'] = process.argv.slice(2);
const instance = await DuckDBInstance.create(':memory:', {
  memory_limit: memoryLimit,
  temp_directory: spillDirectory,
});
const connection = await instance.connect();
await connection.run(`SET TimeZone = 'UTC'`);

answerParent(async ({ sql }: BareStatement) => {
  const started = performance.now();
  const reader = await connection.runAndReadAll(sql);
  const seconds = (performance.now() - started) / 1000;
  return {
    seconds,
    rows: reader.getRowObjectsJson(),
    peakMemory: await bytesPeak(process.pid),
  } satisfies BareResult;
});
