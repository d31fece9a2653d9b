import { Pool } from 'pg';
import { catalogUrl } from './catalog-url.ts';
import { PATIENCE_S } from './locks.ts';

/**
 * Returns connections to the Postgres of a DuckLake's catalog, which open when they are needed.
 *
 * @param catalog the connection string of the catalog, as WAREHOUSE names it after `ducklake:postgres:`.
 * @param use what Postgres shows that the connections are for.
 * @param most how many are open at once.
 */
export function catalogPool(catalog: string, use: string, most: number): Pool {
  const pool = new Pool({
    connectionString: catalogUrl(catalog),
    application_name: `cost-analytics ${use}`,
    max: most,
    connectionTimeoutMillis: PATIENCE_S * 1_000,
    keepAlive: true,
    allowExitOnIdle: true,
  });
  // The next use replaces an idle connection that has ended.
  pool.on('error', () => undefined);
  return pool;
}
