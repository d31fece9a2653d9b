import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CATALOG } from './location.ts';
import type { Warehouse } from './warehouse.ts';

/** What a warehouse takes on the disk or in the object storage. */
export interface WarehouseSize {
  bytes: number;
  /** The data files that a DuckLake keeps; null in a DuckDB file. */
  files: number | null;
  /** The snapshots that a DuckLake keeps; null in a DuckDB file. */
  snapshots: number | null;
}

/** Returns the size of a DuckDB file with its write-ahead log, or of what a DuckLake's catalog lists, in bytes. */
export async function warehouseSize(warehouse: Warehouse): Promise<WarehouseSize> {
  if (!warehouse.isDuckLake) {
    const file = resolve(warehouse.settings.location);
    const bytes = (await bytesOfFile(file)) + (await bytesOfFile(`${file}.wal`));
    return { bytes, files: null, snapshots: null };
  }
  const [row] = await warehouse.query<{ bytes: string; files: string; snapshots: string }>(LAKE_SIZE);
  if (row === undefined) throw new Error('the catalog has not returned its size');
  return { bytes: Number(row.bytes), files: Number(row.files), snapshots: Number(row.snapshots) };
}

// Files that only older snapshots show stay until the nightly maintenance drops these snapshots.
const LAKE_SIZE = `
WITH files AS (
  SELECT file_size_bytes FROM ${CATALOG}.ducklake_data_file
  UNION ALL
  SELECT file_size_bytes FROM ${CATALOG}.ducklake_delete_file)
SELECT CAST(COALESCE(sum(file_size_bytes), 0) AS BIGINT) AS bytes, count(*) AS files,
  (SELECT count(*) FROM ${CATALOG}.ducklake_snapshot) AS snapshots
FROM files`;

const bytesOfFile = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    (error: unknown) => {
      // DuckDB removes its write-ahead log at a checkpoint.
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0;
      throw error;
    },
  );
