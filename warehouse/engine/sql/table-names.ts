import type { Queries } from '../session.ts';

/** Returns the names of the warehouse's tables, in alphabetical order. */
export async function tableNames(session: Queries): Promise<string[]> {
  const tables = await session.query<{ name: string }>(
    `SELECT table_name AS name FROM duckdb_tables() WHERE database_name = 'warehouse' ORDER BY name`,
  );
  return tables.map(({ name }) => name);
}

/** Returns the names of the tables whose rows belong to organisations, in alphabetical order. */
export async function tablesOfOrganisations(session: Queries): Promise<string[]> {
  const tables = await session.query<{ name: string }>(
    `SELECT table_name AS name FROM duckdb_tables() AS stored
     WHERE database_name = 'warehouse' AND EXISTS (
       FROM duckdb_columns() AS found
       WHERE found.database_name = stored.database_name AND found.table_name = stored.table_name AND column_name = 'org_id')
     ORDER BY name`,
  );
  return tables.map(({ name }) => name);
}
