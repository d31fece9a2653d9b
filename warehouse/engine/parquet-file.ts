import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sqlText } from './sql/sql-text.ts';
import type { Session } from './session.ts';
import type { Parameters } from './sql/parameters.ts';
import type { Warehouse } from './warehouse.ts';

/** Writes the rows of one statement to a Parquet file. */
const copyToParquet = (
  session: Session,
  select: string,
  parameters: Parameters,
  path: string,
): Promise<unknown> =>
  session.run(`COPY (${select}) TO ${sqlText(path)} (FORMAT parquet, USE_TMP_FILE false)`, parameters);

/**
 * Runs a statement once for each of `runs`, all on the same state of the warehouse. Writes their rows to one Parquet file, one run
 * after the other. Until then, each of several runs has a file of its own beside it.
 */
export async function copyRunsToParquet(
  session: Session,
  select: string,
  runs: readonly Parameters[],
  path: string,
): Promise<void> {
  const [only = {}, ...others] = runs;
  if (others.length === 0) {
    await copyToParquet(session, select, only, path);
    return;
  }
  const parts = runs.map((parameters, run) => ({ parameters, path: `${path}-${run}` }));
  try {
    await session.onOneState(async () => {
      for (const part of parts) await copyToParquet(session, select, part.parameters, part.path);
    });
    const files = parts.map((part) => sqlText(part.path)).join(', ');
    await copyToParquet(session, `FROM read_parquet([${files}])`, {}, path);
  } finally {
    await Promise.all(parts.map((part) => rm(part.path, { force: true })));
  }
}

/** Runs `work` with the path of a file for this process alone, and removes the file. If the process is killed, it goes with its folder. */
export async function withScratchFile<Result>(
  { settings }: Pick<Warehouse, 'settings'>,
  work: (path: string) => Promise<Result>,
): Promise<Result> {
  const path = join(settings.spillDirectory, `export-${randomUUID()}`);
  try {
    return await work(path);
  } finally {
    await rm(path, { force: true });
  }
}

/**
 * Yields the bytes of a file that `write` writes to a path. A Parquet file ends with the places of its parts, so DuckDB first
 * writes all of it. The file loses its name before its first byte is read.
 */
export const streamWritten = async function* (
  warehouse: Pick<Warehouse, 'settings'>,
  write: (path: string) => Promise<unknown>,
): AsyncGenerator<Uint8Array> {
  const file = await withScratchFile(warehouse, async (path) => {
    await write(path);
    return open(path);
  });
  yield* file.createReadStream() as AsyncIterable<Uint8Array>;
};

/** Yields the bytes of a Parquet file with the rows of one statement. `signal` interrupts the statement. */
export const streamParquet = (
  warehouse: Warehouse,
  select: string,
  parameters: Parameters,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> =>
  streamWritten(warehouse, (path) =>
    warehouse.session((session) => copyToParquet(session, select, parameters, path), signal),
  );
