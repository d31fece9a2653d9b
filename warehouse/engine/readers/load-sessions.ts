import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { bytesOf } from '../../../domain/shared/byte-size.ts';
import { invalid } from '../../../domain/shared/errors.ts';
import { Reader } from './reader.ts';
import type { Session, Statements } from '../session.ts';
import { sqlText } from '../sql/sql-text.ts';
import type { Warehouse, WarehouseSettings } from '../warehouse.ts';

export interface LoadSessions {
  /** Reads files that the service did not write, in a separate process. */
  reader: Reader;
  /** Stores the rows in the warehouse. Only this load uses it. */
  session: Session;
  /** A folder that only this load uses. */
  folder: string;
}

/** The part of the warehouse's settings that a reader needs. */
export type ReaderSettings = Pick<WarehouseSettings, 'spillDirectory' | 'memoryLimit' | 'threads'>;

/** The memory of each reader, as a part of the warehouse's memory limit and in addition to it. */
const READER_SHARE = 1 / 2;

/** Bytes for each thread. With less, statements fail that would succeed with fewer threads. */
const MEMORY_OF_THREAD = 125e6;

/** Runs `work` with a reader beside a session of the warehouse; see {@link withOwnReader}. Both end with it. */
export const withLoadSessions = <Result>(
  warehouse: Warehouse,
  work: (sessions: LoadSessions) => Promise<Result>,
): Promise<Result> =>
  warehouse.ownSession((session) => withOwnReader(warehouse.settings, (own) => work({ ...own, session })));

/**
 * Runs `work` with a reader. A reader has its own process, memory and threads, so that a broken file cannot stop the warehouse
 * or other loads.
 */
export async function withOwnReader<Result>(
  { spillDirectory, memoryLimit, threads }: ReaderSettings,
  work: (own: Omit<LoadSessions, 'session'>) => Promise<Result>,
): Promise<Result> {
  const folder = join(spillDirectory, `reader-${randomUUID()}`);
  const memory = bytesOf(memoryLimit) * READER_SHARE;
  const reader = await Reader.open({
    spillDirectory: folder,
    memoryLimit: `${Math.floor(memory / 1000)}KB`,
    threads: Math.max(1, Math.min(threads ?? availableParallelism(), Math.floor(memory / MEMORY_OF_THREAD))),
  });
  try {
    return await work({ reader, folder });
  } catch (error) {
    throw inPlainWords(error);
  } finally {
    await reader.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Replaces DuckDB's message about a broken CSV file by one for the file's owner. Returns other errors as they are. */
function inPlainWords(error: unknown): unknown {
  const message = error instanceof Error ? error.message : '';
  if (!message.includes('CSV Parser state machine')) return error;
  const [, file = 'a file'] = /^ *file = ([^?\n]*)/m.exec(message) ?? [];
  return invalid(
    `${file} cannot be read as CSV, usually because it mixes line endings (LF, CRLF, CR); nothing was loaded`,
  );
}

/** Copies the rows that the reader selects to the warehouse's session, as the temporary table `table`. */
export const copyToWarehouse = (
  { reader, session, folder }: LoadSessions,
  table: string,
  select: string,
): Promise<void> => copy(reader, session, folder, table, select);

/** Copies rows of the warehouse to the reader, as the temporary table `table`. */
export const copyToReader = (
  { reader, session, folder }: LoadSessions,
  table: string,
  select: string,
): Promise<void> => copy(session, reader, folder, table, select);

async function copy(
  from: Statements,
  to: Statements,
  folder: string,
  table: string,
  select: string,
): Promise<void> {
  const file = join(folder, `${table}.parquet`);
  await from.run(`COPY (${select}) TO ${sqlText(file)} (FORMAT parquet)`);
  await to.run(`CREATE TEMP TABLE ${table} AS FROM read_parquet(${sqlText(file)})`);
  await rm(file);
}

/** Writes the rows of each select of the reader to a file, and gives the warehouse's session a temporary view of all files. */
export async function viewInWarehouse(
  { reader, session, folder }: LoadSessions,
  view: string,
  selects: readonly string[],
): Promise<void> {
  const files = [];
  for (const [index, select] of selects.entries()) {
    const file = sqlText(join(folder, `${view}-${index}.parquet`));
    await reader.run(`COPY (${select}) TO ${file} (FORMAT parquet)`);
    files.push(file);
  }
  await session.run(`CREATE TEMP VIEW ${view} AS FROM read_parquet([${files.join(', ')}])`);
}
