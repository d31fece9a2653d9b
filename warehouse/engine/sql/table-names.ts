import type { Session } from '../session.ts';

/** Returns the names of the warehouse's tables, in alphabetical order. */
export const tableNames = async (session: Pick<Session, 'query'>): Promise<string[]> => {
  const tables = await session.query<{ name: string }>(
    `SELECT table_name AS name FROM duckdb_tables() WHERE database_name = 'warehouse' ORDER BY name`,
  );
  return tables.map(({ name }) => name);
};
