import { DuckDBInstance } from '@duckdb/node-api';
import { makeFolder } from '../../files/make-folder.ts';

export interface InstanceOptions {
  spillDirectory: string;
  /** DuckDB's memory limit, for example `1GB`. DuckDB spills the excess to `spillDirectory`. */
  memoryLimit: string;
  /** If null, DuckDB uses one for each core. */
  threads: number | null;
}

/** Opens an empty DuckDB in memory that spills to the directory. */
export async function openInstance({
  spillDirectory,
  memoryLimit,
  threads,
}: InstanceOptions): Promise<DuckDBInstance> {
  await makeFolder(spillDirectory);
  return DuckDBInstance.create(':memory:', {
    memory_limit: memoryLimit,
    temp_directory: spillDirectory,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    // By default DuckDB holds five row groups, of 122,880 rows each, in memory before it writes the first.
    write_buffer_row_group_count: '1',
    ...(threads === null ? {} : { threads: threads.toString() }),
  });
}
