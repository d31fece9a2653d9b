import { access, mkdir, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BareResult, BareStatement } from '../bare/bare-duckdb.ts';
import { startBareProcess } from '../bare/bare-process.ts';
import { focusRows, csvRows } from './focus-rows.ts';
import { say } from '../say.ts';

/** Exports are kept here. A change of their content needs a new version. */
export const CACHE_DIR = join(tmpdir(), 'cost-analytics-bench');
const VERSION = 1;

export type Format = 'parquet' | 'csv.gz';

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Returns a FOCUS export with this number of lines. DuckDB creates it at the first call. Later calls return the same file. */
export async function focusExport(rows: number, format: Format): Promise<string> {
  await mkdir(CACHE_DIR, { recursive: true });
  const path = join(CACHE_DIR, `focus-${VERSION}-${rows}.${format}`);
  if (await isThere(path)) return path;
  const source = format === 'parquet' ? focusRows(rows) : csvRows(await focusExport(rows, 'parquet'));
  const options =
    format === 'parquet'
      ? '(FORMAT parquet)'
      : `(FORMAT csv, HEADER, COMPRESSION gzip, TIMESTAMPFORMAT '%Y-%m-%dT%H:%M:%SZ')`;
  say(`making ${path}`);
  const duckDb = startBareProcess<BareStatement, BareResult>('bare-duckdb', [
    '4GB',
    join(CACHE_DIR, 'spill'),
  ]);
  try {
    await duckDb.ask({ sql: `COPY (${source}) TO '${path}.unfinished' ${options}` });
  } finally {
    await duckDb.stop();
  }
  await rename(`${path}.unfinished`, path);
  return path;
}
