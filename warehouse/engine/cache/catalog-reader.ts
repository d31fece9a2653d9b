import { CATALOG } from '../location.ts';
import type { Queries } from '../session.ts';

/** Reads the catalog of a DuckLake. */
export interface CatalogReader {
  /** Runs a statement without parameters, in which `catalog.` stands before the name of each table. */
  query: <Row extends object>(sql: string) => Promise<Row[]>;
  close: () => void;
}

/** Reads a catalog that is not in Postgres through DuckDB, which has it open. */
export const attachedReader = (queries: Queries): CatalogReader => ({
  query: (sql) => queries.query(sql.replaceAll('catalog.', `${CATALOG}.`)),
  close: () => undefined,
});
