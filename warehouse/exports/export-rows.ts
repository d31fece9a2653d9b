import { VARCHAR } from '@duckdb/node-api';
import { typedColumns, type Columns, type TextRow } from '../engine/sql/columns.ts';
import { instant } from '../engine/sql/instant.ts';
import { dropTemporaryTables } from '../engine/sql/temporary-tables.ts';
import { copyRunsToParquet, streamWritten, withScratchFile } from '../engine/parquet-file.ts';
import type { Queries, Session } from '../engine/session.ts';
import type { Parameters } from '../engine/sql/parameters.ts';
import type { Warehouse } from '../engine/warehouse.ts';

type ReadRows = (queries: Queries, signal: AbortSignal) => Batches;
type Batches = AsyncIterable<readonly TextRow[]> | Iterable<readonly TextRow[]>;

/**
 * The rows of an export: those of one statement, run once for each of `runs`, or rows that the rules in `domain/` make from few.
 */
export type ExportRows = { columns: Columns } & (
  { select: string; runs: readonly Parameters[] } | { readRows: ReadRows }
);

/** Reads all rows on demand, in bounded memory, with instants as the API writes them. */
export function textRows(
  warehouse: Warehouse,
  rows: ExportRows,
  signal: AbortSignal,
): { columns: Columns; batches: AsyncIterable<readonly TextRow[]> } {
  const instants = Object.entries(rows.columns).flatMap(([name, type]) =>
    type === 'TIMESTAMPTZ' ? [name] : [],
  );
  const batches =
    'select' in rows
      ? warehouse.stream<TextRow>(rows.select, rows.runs, signal)
      : rows.readRows(warehouse, signal);
  const shown = (text: string | null): string | null =>
    text === null || text.endsWith('Z') ? text : instant(text);
  return {
    columns: rows.columns,
    batches: (async function* () {
      for await (const batch of batches)
        yield batch.map((row) => ({
          ...row,
          ...Object.fromEntries(instants.map((name) => [name, shown(row[name] ?? null)])),
        }));
    })(),
  };
}

/** Yields the bytes of a Parquet file with all rows. They must not hold revenue, because DuckDB first writes them to the disk. */
export const parquetBytes = (
  warehouse: Warehouse,
  rows: ExportRows,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> =>
  streamWritten(warehouse, async (path) => {
    await writeParquet(warehouse, rows, path, signal);
  });

/**
 * Calls `work` with the path of a Parquet file that holds all rows without the columns `without`, or with null if there are no
 * rows. Removes the file afterwards. The same rows make the same bytes.
 */
export const withParquetFile = <Result>(
  warehouse: Warehouse,
  rows: ExportRows,
  without: readonly string[],
  signal: AbortSignal,
  work: (path: string | null) => Promise<Result>,
): Promise<Result> =>
  withScratchFile(warehouse, async (path) => {
    await writeParquet(warehouse, rows, path, signal, without);
    const [written] = await warehouse.query<{ num_rows: string }>(
      'SELECT num_rows FROM parquet_file_metadata($path)',
      { path },
    );
    return work(written === undefined || written.num_rows === '0' ? null : path);
  });

const writeParquet = async (
  warehouse: Warehouse,
  rows: ExportRows,
  path: string,
  signal: AbortSignal,
  without: readonly string[] = [],
): Promise<void> =>
  warehouse.session(async (session) => {
    const columns = Object.fromEntries(
      Object.entries(rows.columns).filter(([name]) => !without.includes(name)),
    );
    if ('select' in rows) {
      await copyRunsToParquet(session, typedColumns(columns, `(${rows.select})`), rows.runs, path);
      return;
    }
    try {
      await stage(session, Object.keys(rows.columns), rows.readRows(session, signal));
      // A number of more than 38 digits with its places, such as a large unit cost, fits no decimal. It becomes null.
      await copyRunsToParquet(session, typedColumns(columns, `temp.main.${STAGED}`, 'TRY_CAST'), [{}], path);
    } finally {
      await dropTemporaryTables(session, [STAGED]);
    }
  }, signal);

const STAGED = 'exported_rows';

async function stage(session: Session, columns: readonly string[], batches: Batches): Promise<void> {
  const fields = columns.map((name) => `"${name}" VARCHAR`).join(', ');
  await session.run(`CREATE OR REPLACE TEMP TABLE ${STAGED} (${fields})`);
  const types = columns.map(() => VARCHAR);
  for await (const rows of batches)
    await session.append(
      STAGED,
      types,
      columns.map((name) => rows.map((row) => row[name] ?? null)),
    );
}
