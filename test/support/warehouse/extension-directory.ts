import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const cacheDirectory = join(
  process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
  'cost-analytics/duckdb-extensions-1.5.5',
);

/** The directory with DuckDB's extensions: `DUCKDB_EXTENSIONS`, or else the cache that `.ci/run` fills; null without both. */
export const extensionDirectory: string | null =
  process.env['DUCKDB_EXTENSIONS'] ??
  (existsSync(join(cacheDirectory, 'httpfs.duckdb_extension')) ? cacheDirectory : null);

/** Whether `http://` and `s3://` locations can be tested here. */
export const hasHttpfs =
  extensionDirectory !== null && existsSync(join(extensionDirectory, 'httpfs.duckdb_extension'));
