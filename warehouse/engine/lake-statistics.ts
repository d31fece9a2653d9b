import { raceToSetUp } from './race-to-set-up.ts';
import type { Session } from './session.ts';

const ATTEMPTS = 20;

/**
 * Gives each table of a DuckLake its statistics by storing an empty row and deleting it. DuckLake 1.5 asks the catalog
 * again for every column of a table that never held a row: 50 ms a statement in place of 8. The empty row of
 * schema_migrations tells the next start that one was killed between the two steps.
 */
export const giveStatistics = (session: Session): Promise<void> =>
  raceToSetUp(ATTEMPTS, async () => {
    const bare = await session.query<TableName>(TABLES_WITHOUT_STATISTICS);
    if (bare.length > 0) await storeEmptyRows(session, bare);
    const left = await session.query('SELECT version FROM schema_migrations WHERE version IS NULL LIMIT 1');
    if (left.length > 0) await deleteEmptyRows(session);
  });

interface TableName {
  name: string;
}

const CATALOG = '__ducklake_metadata_warehouse';

const TABLES = `SELECT table_id, table_name AS name FROM ${CATALOG}.ducklake_table WHERE end_snapshot IS NULL`;
const TABLES_WITHOUT_STATISTICS = `${TABLES} AND table_id NOT IN (SELECT table_id FROM ${CATALOG}.ducklake_table_stats)`;

/** The column that is null in no other row. */
const keyOf = (table: string): string => (table === 'schema_migrations' ? 'version' : 'org_id');

const storeEmptyRows = (session: Session, bare: readonly TableName[]): Promise<void> =>
  session.transaction(async () => {
    for (const name of new Set([...bare.map((table) => table.name), 'schema_migrations'])) {
      await session.run(`INSERT INTO ${name} BY NAME SELECT NULL AS ${keyOf(name)}`);
    }
  });

const deleteEmptyRows = async (session: Session): Promise<void> => {
  const tables = await session.query<TableName>(TABLES);
  await session.transaction(async () => {
    for (const { name } of tables) await session.run(`DELETE FROM ${name} WHERE ${keyOf(name)} IS NULL`);
  });
};
