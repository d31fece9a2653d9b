import { mkdir } from 'node:fs/promises';
import { DuckDBInstance } from '@duckdb/node-api';

export interface InstanceOptions {
  /** Where it spills to. */
  spillDirectory: string;
  /** As DuckDB writes sizes, such as `1GB`. */
  memoryLimit: string;
  /** Null leaves it to DuckDB, which takes one for each core. */
  threads: number | null;
}

/** An empty DuckDB in memory, which spills to the directory. */
export const openInstance = async ({
  spillDirectory,
  memoryLimit,
  threads,
}: InstanceOptions): Promise<DuckDBInstance> => {
  await mkdir(spillDirectory, { recursive: true });
  return DuckDBInstance.create(':memory:', {
    memory_limit: memoryLimit,
    temp_directory: spillDirectory,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    // The usual five, of 122,880 rows each, would be held in memory before the first is written.
    write_buffer_row_group_count: '1',
    ...(threads === null ? {} : { threads: threads.toString() }),
  });
};
