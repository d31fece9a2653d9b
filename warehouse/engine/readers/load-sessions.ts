import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { bytesOf } from '../../../domain/shared/byte-size.ts';
import { invalid } from '../../../domain/shared/errors.ts';
import { Reader } from './reader.ts';
import type { Session, Statements } from '../session.ts';
import { sqlText } from '../sql/sql-text.ts';
import type { WarehouseSettings } from '../warehouse.ts';

/** What a load works with. */
export interface LoadSessions {
  /** Reads what others have written, in a process of its own. */
  reader: Reader;
  /** Stores what was read, in the warehouse. */
  session: Session;
  /** A folder of this load alone. */
  folder: string;
}

/** Each reader may use this part of the warehouse's memory limit, beside it. */
const READER_SHARE = 1 / 2;

/** A thread with less memory than that makes statements fail that one thread less could run. */
const MEMORY_OF_THREAD = 125e6;

/**
 * Lends `work` a reader beside its session of the warehouse. A reader has a process, memory and threads of
 * its own: whatever a file does to it, the warehouse and the other loads go on.
 */
export const withReader = async <Result>(
  { spillDirectory, memoryLimit, threads }: WarehouseSettings,
  session: Session,
  work: (sessions: LoadSessions) => Promise<Result>,
): Promise<Result> => {
  const folder = join(spillDirectory, `reader-${randomUUID()}`);
  const memory = bytesOf(memoryLimit) * READER_SHARE;
  const reader = await Reader.open({
    spillDirectory: folder,
    memoryLimit: `${Math.floor(memory / 1000)}KB`,
    threads: Math.max(1, Math.min(threads ?? availableParallelism(), Math.floor(memory / MEMORY_OF_THREAD))),
  });
  try {
    return await work({ reader, session, folder });
  } catch (error) {
    throw inPlainWords(error);
  } finally {
    await reader.close();
    await rm(folder, { recursive: true, force: true });
  }
};

/** What DuckDB says of a file, for whoever must mend it. */
const inPlainWords = (error: unknown): unknown => {
  const message = error instanceof Error ? error.message : '';
  if (!message.includes('CSV Parser state machine')) return error;
  const [, file = 'a file'] = /^ *file = ([^?\n]*)/m.exec(message) ?? [];
  return invalid(
    `${file} cannot be read as CSV, most often because its lines end in several ways (LF, CRLF, CR); nothing was loaded`,
  );
};

/** Hands the rows that the reader selects over to the warehouse's session, as the temporary table `table`. */
export const handOver = (
  { reader, session, folder }: LoadSessions,
  table: string,
  select: string,
): Promise<void> => copy(reader, session, folder, table, select);

/** The other way: hands rows of the warehouse to the reader, as the temporary table `table`. */
export const lend = (
  { reader, session, folder }: LoadSessions,
  table: string,
  select: string,
): Promise<void> => copy(session, reader, folder, table, select);

const copy = async (
  from: Statements,
  to: Statements,
  folder: string,
  table: string,
  select: string,
): Promise<void> => {
  const file = join(folder, `${table}.parquet`);
  await from.run(`COPY (${select}) TO ${sqlText(file)} (FORMAT parquet)`);
  await to.run(`CREATE TEMP TABLE ${table} AS FROM read_parquet(${sqlText(file)})`);
  await rm(file);
};

/** Shows the rows that the reader selects, part by part, to the warehouse's session, as the temporary view `view`. */
export const show = async (
  { reader, session, folder }: LoadSessions,
  view: string,
  selects: readonly string[],
): Promise<void> => {
  const files = [];
  for (const [index, select] of selects.entries()) {
    const file = sqlText(join(folder, `${view}-${index}.parquet`));
    await reader.run(`COPY (${select}) TO ${file} (FORMAT parquet)`);
    files.push(file);
  }
  await session.run(`CREATE TEMP VIEW ${view} AS FROM read_parquet([${files.join(', ')}])`);
};
