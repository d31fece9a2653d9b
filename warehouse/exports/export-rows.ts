import { VARCHAR } from '@duckdb/node-api';
import { instant } from '../engine/sql/instant.ts';
import { dropTemporaryTables } from '../engine/sql/temporary-tables.ts';
import { copyRunsToParquet, streamWritten, withScratchFile } from '../engine/parquet-file.ts';
import type { Session } from '../engine/session.ts';
import type { Parameters } from '../engine/sql/parameters.ts';
import type { Warehouse } from '../engine/warehouse.ts';

/** The columns of an export in order, with their types in Parquet. */
export type Columns = Readonly<
  Record<string, 'VARCHAR' | 'DATE' | 'TIMESTAMPTZ' | 'INTEGER' | `DECIMAL(38,${number})`>
>;

/** A row by column. Decimals are exact texts, and instants are as DuckDB or the API writes them. */
export type ExportRow = Readonly<Record<string, string | null>>;

/** Reads rows in batches. */
type ReadRows = (queries: Pick<Session, 'query'>, signal: AbortSignal) => Batches;
type Batches = AsyncIterable<readonly ExportRow[]> | Iterable<readonly ExportRow[]>;

/**
 * The rows of an export: those of one statement, run once for each of `runs`, or rows that the rules in `domain/` make from few.
 */
export type ExportRows = { columns: Columns } & (
  { select: string; runs: readonly Parameters[] } | { readRows: ReadRows }
);

/** Rows as CSV and Arrow have them: decimals and integers are numbers. */
export interface NumberedRows {
  columns: readonly string[];
  numbers: readonly string[];
  batches: AsyncIterable<readonly Readonly<Record<string, string | number | null>>[]>;
}

const isNumber = (type: string): boolean => type === 'INTEGER' || type.startsWith('DECIMAL');

/** Reads all rows on demand, in bounded memory, with numbers and instants as the API writes them. */
export const numberedRows = (warehouse: Warehouse, rows: ExportRows, signal: AbortSignal): NumberedRows => {
  const columns = Object.entries(rows.columns);
  const batches =
    'select' in rows
      ? warehouse.stream<ExportRow>(rows.select, rows.runs, signal)
      : rows.readRows(warehouse, signal);
  const shown = (text: string | null, type: string): string | number | null => {
    if (text === null) return null;
    if (isNumber(type)) return Number(text);
    return type === 'TIMESTAMPTZ' && !text.endsWith('Z') ? instant(text) : text;
  };
  return {
    columns: columns.map(([name]) => name),
    numbers: columns.flatMap(([name, type]) => (isNumber(type) ? [name] : [])),
    batches: (async function* () {
      for await (const batch of batches)
        yield batch.map((row) =>
          Object.fromEntries(columns.map(([name, type]) => [name, shown(row[name] ?? null, type)])),
        );
    })(),
  };
};

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
    const columns = Object.entries(rows.columns).filter(([name]) => !without.includes(name));
    const copy = (cast: string, relation: string, runs: readonly Parameters[]): Promise<void> => {
      const selected = columns.map(([name, type]) => `${cast}("${name}" AS ${type}) AS "${name}"`);
      const select = `SELECT ${selected.join(', ')} FROM ${relation}`;
      return copyRunsToParquet(session, select, runs, path);
    };
    if ('select' in rows) {
      await copy('CAST', `(${rows.select})`, rows.runs);
      return;
    }
    try {
      await stage(session, Object.keys(rows.columns), rows.readRows(session, signal));
      // A unit cost of 32 digits or more fits no decimal with six places. It becomes null.
      await copy('TRY_CAST', `temp.main.${STAGED}`, [{}]);
    } finally {
      await dropTemporaryTables(session, [STAGED]);
    }
  }, signal);

const STAGED = 'exported_rows';

const stage = async (session: Session, columns: readonly string[], batches: Batches): Promise<void> => {
  const fields = columns.map((name) => `"${name}" VARCHAR`).join(', ');
  await session.run(`CREATE OR REPLACE TEMP TABLE ${STAGED} (${fields})`);
  const types = columns.map(() => VARCHAR);
  for await (const rows of batches)
    await session.append(
      STAGED,
      types,
      columns.map((name) => rows.map((row) => row[name] ?? null)),
    );
};
