import { unavailable } from '../../../domain/shared/errors.ts';
import { catalogPool } from '../locks/catalog-pool.ts';
import { rerun } from '../passing-failures.ts';
import type { CatalogReader } from './catalog-reader.ts';

/** Reads are short, so that a few connections serve all requests. */
const MOST_AT_ONCE = 2;

/** Reads a catalog in Postgres by its client. DuckDB plans such a statement for longer than it runs. */
export function postgresReader(catalog: string): CatalogReader {
  const pool = catalogPool(catalog, 'revisions', MOST_AT_ONCE);
  return {
    query: async <Row extends object>(sql: string) => {
      try {
        return (await rerun(() => pool.query<Row>(sql.replaceAll('catalog.', '')))).rows;
      } catch (cause) {
        // Its words could repeat the connection string.
        throw unavailable('the catalog cannot be reached; try again', { cause });
      }
    },
    close: () => {
      if (!pool.ending) void pool.end();
    },
  };
}
