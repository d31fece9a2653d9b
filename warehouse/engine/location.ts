import { resolve } from 'node:path';

/** Whether WAREHOUSE names a DuckLake with its catalog rather than a DuckDB file. */
export const isDuckLake = (location: string): boolean => location.startsWith('ducklake:');

/** How WAREHOUSE names a DuckLake with its catalog in Postgres. */
const ON_POSTGRES = 'ducklake:postgres:';

/** Returns the connection string of a DuckLake's catalog in Postgres; null if the warehouse has none. */
export const postgresCatalog = (location: string): string | null =>
  location.startsWith(ON_POSTGRES) ? location.slice(ON_POSTGRES.length) : null;

/** The database under which DuckDB shows the catalog of a DuckLake. */
export const CATALOG = '__ducklake_metadata_warehouse';

/** Returns the folder in which a DuckLake keeps its files, or null if it uses an object storage. */
export const localFolder = (dataPath: string | null): string | null =>
  dataPath === null || /^[a-z][a-z0-9]*:/i.test(dataPath) ? null : resolve(dataPath);
