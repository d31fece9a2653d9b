import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sqlText } from './sql/sql-text.ts';
import type { Parameters } from './session.ts';
import type { Warehouse } from './warehouse.ts';

/**
 * Yields the bytes of a Parquet file with the rows of one statement. DuckDB first writes the whole file, because a Parquet file
 * ends with the places of its parts. `signal` interrupts the statement, which then fails. The file loses its name before its
 * first byte is read. If the process is killed before that, the file goes with its directory.
 */
export const streamParquet = async function* (
  warehouse: Warehouse,
  select: string,
  parameters: Parameters,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const path = join(warehouse.settings.spillDirectory, `export-${randomUUID()}`);
  try {
    await warehouse.session(async (session) => {
      signal.throwIfAborted();
      const interrupt = (): void => {
        session.interrupt();
      };
      signal.addEventListener('abort', interrupt);
      try {
        await session.run(
          `COPY (${select}) TO ${sqlText(path)} (FORMAT parquet, USE_TMP_FILE false)`,
          parameters,
        );
      } finally {
        signal.removeEventListener('abort', interrupt);
      }
    });
    const file = await open(path);
    await rm(path);
    yield* file.createReadStream() as AsyncIterable<Uint8Array>;
  } finally {
    await rm(path, { force: true });
  }
};
