import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { invalid } from '../domain/errors.ts';
import { Session } from './session.ts';
import { sqlText } from './sql-text.ts';
import { openInstance, type WarehouseSettings } from './warehouse.ts';

/** What a load works with. */
export interface LoadSessions {
  /** Reads what others have written, in a DuckDB of its own. */
  reader: Session;
  /** Stores what was read, in the warehouse. */
  session: Session;
  /** A folder of this load alone. */
  folder: string;
}

/** Each reader may use this part of the warehouse's memory limit, beside it. */
const READER_SHARE = 1 / 4;

/**
 * Lends `work` a reader beside its session of the warehouse. A reader has memory and threads of its own, and ends with its
 * load: whatever a file does to it, the warehouse and the other loads go on.
 */
export const withReader = async <Result>(
  { spillDirectory, memoryLimit, threads }: WarehouseSettings,
  session: Session,
  work: (sessions: LoadSessions) => Promise<Result>,
): Promise<Result> => {
  const folder = join(spillDirectory, `reader-${randomUUID()}`);
  const instance = await openInstance({
    spillDirectory: folder,
    memoryLimit: shareOf(memoryLimit, READER_SHARE),
    threads,
  });
  const breakdowns: unknown[] = [];
  const reader = new Session(await instance.connect(), (error) => breakdowns.push(error));
  try {
    await reader.run(`SET TimeZone = 'UTC'`);
    return await work({ reader, session, folder });
  } catch (error) {
    throw inPlainWords(error, breakdowns);
  } finally {
    reader.close();
    instance.closeSync();
    await rm(folder, { recursive: true, force: true });
  }
};

/** What DuckDB says of a file, for whoever must mend it. */
const inPlainWords = (error: unknown, [breakdown]: readonly unknown[]): unknown => {
  if (breakdown !== undefined) {
    const [reason] = String(breakdown).split('\n');
    return invalid(
      `DuckDB broke down over the files, which a line with invalid UTF-8 and too many fields can do (${reason}); nothing was loaded`,
    );
  }
  const message = error instanceof Error ? error.message : '';
  if (!message.includes('CSV Parser state machine')) return error;
  const [, file = 'a file'] = /^ *file = ([^?\n]*)/m.exec(message) ?? [];
  return invalid(
    `${file} cannot be read as CSV, most often because its lines end in several ways (LF, CRLF, CR); nothing was loaded`,
  );
};

const shareOf = (memoryLimit: string, share: number): string =>
  memoryLimit.replace(/^[\d.]+/, (size) => (Number(size) * share).toString());

/**
 * Hands the rows that the reader selects over to the warehouse's session, as the temporary `name`: a table that can be
 * changed, or a view of the load's folder, which takes no memory.
 */
export const handOver = async (
  { reader, session, folder }: LoadSessions,
  kind: 'TABLE' | 'VIEW',
  name: string,
  select: string,
): Promise<void> => copy(reader, session, join(folder, `${name}.parquet`), kind, name, select);

/** The other way: hands rows of the warehouse to the reader, as the temporary table `name`. */
export const lend = (
  { reader, session, folder }: LoadSessions,
  name: string,
  select: string,
): Promise<void> => copy(session, reader, join(folder, `${name}.parquet`), 'TABLE', name, select);

const copy = async (
  from: Session,
  to: Session,
  file: string,
  kind: 'TABLE' | 'VIEW',
  name: string,
  select: string,
): Promise<void> => {
  await from.run(`COPY (${select}) TO ${sqlText(file)} (FORMAT parquet)`);
  await to.run(`CREATE OR REPLACE TEMP ${kind} ${name} AS FROM read_parquet(${sqlText(file)})`);
  if (kind === 'TABLE') await rm(file);
};
