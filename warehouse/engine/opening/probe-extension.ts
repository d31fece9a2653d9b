import { DuckDBInstance } from '@duckdb/node-api';
import { loadExtension, type Extension } from './extensions.ts';
import { Session } from '../session.ts';

/** Throws if a new DuckDB cannot load the extension. */
export const probeExtension = async (extension: Extension, directory: string | null): Promise<void> => {
  const instance = await DuckDBInstance.create(':memory:');
  try {
    await loadExtension(new Session(await instance.connect()), extension, directory);
  } finally {
    instance.closeSync();
  }
};
