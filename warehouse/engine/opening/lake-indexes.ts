import { CATALOG } from '../location.ts';
import type { Session } from '../session.ts';
import { sqlText } from '../sql/sql-text.ts';

/**
 * Indexes of the catalog that DuckLake 1.5 does not create. Each statement reads the files of its tables from the catalog, with
 * their statistics. Without an index it scans those of all tables: with the files of 3,000 ingests that takes ten times as long.
 */
const INDEXES = {
  cost_analytics_files_of_table: 'ducklake_data_file (table_id)',
  cost_analytics_statistics_of_column: 'ducklake_file_column_stats (table_id, column_id)',
} as const;

/** Creates the missing indexes of a catalog in Postgres. */
export async function giveIndexes(session: Session): Promise<void> {
  const there = await session.query<{ name: string }>(
    `SELECT indexname AS name FROM postgres_query(${sqlText(CATALOG)}, 'SELECT indexname::text FROM pg_indexes')`,
  );
  const names = new Set(there.map(({ name }) => name));
  for (const [name, place] of Object.entries(INDEXES)) {
    if (names.has(name)) continue;
    await session.run(
      `CALL postgres_execute(${sqlText(CATALOG)}, 'CREATE INDEX IF NOT EXISTS ${name} ON ${place}')`,
    );
  }
}
