import { resolve } from 'node:path';

/** Whether WAREHOUSE names a DuckLake with its catalog rather than a DuckDB file (design §1). */
export const isDuckLake = (location: string): boolean => location.startsWith('ducklake:');

/** Returns the folder in which a DuckLake keeps its files, or null if it uses an object storage. */
export const localFolder = (dataPath: string | null): string | null =>
  dataPath === null || /^[a-z][a-z0-9]*:/i.test(dataPath) ? null : resolve(dataPath);
