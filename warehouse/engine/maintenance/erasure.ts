import type { Session } from '../session.ts';
import { sqlText } from '../sql/sql-text.ts';
import { tablesOfOrganisations } from '../sql/table-names.ts';
import type { Warehouse } from '../warehouse.ts';

/** The organisation of requests to erase a whole organisation, because they are the operator's. */
export const OF_OPERATOR = 'operator';

/**
 * Erases deleted credentials and organisations from disk, if any were deleted since the last time: a deleted row stays
 * readable in the file until something overwrites it (docs/design.md#secrets). Writes the tables that had such rows anew. Then
 * overwrites all free blocks of a DuckDB file, or drops all older snapshots of a DuckLake with their files. Run it after the
 * file was compacted.
 */
export const eraseDeleted = (warehouse: Warehouse): Promise<void> =>
  warehouse.session(async (session) => {
    await session.run(`DROP TABLE IF EXISTS ${FILLER}`);
    const asked = await session.query<{ org_id: string; requested_at: string }>(
      'SELECT DISTINCT org_id, requested_at FROM erasures',
    );
    if (asked.length === 0) return;
    const isOfAll = asked.some(({ org_id }) => org_id === OF_OPERATOR);
    const tables = isOfAll ? await tablesOfOrganisations(session) : ['credentials'];
    for (const table of tables)
      await (warehouse.isDuckLake ? rewriteFiles(session, table) : rewriteRows(session, table));
    await (warehouse.isDuckLake ? dropOlderSnapshots(session) : overwriteFreeBlocks(session));
    await session.run('DELETE FROM erasures WHERE list_contains($asked::TIMESTAMP[], requested_at)', {
      asked: asked.map(({ requested_at }) => requested_at),
    });
  });

/**
 * Moves all rows of a table to new blocks, because a block keeps its deleted rows. Rows that others insert meanwhile stay where
 * they are.
 */
async function rewriteRows(session: Session, table: string): Promise<void> {
  await session.transaction(async () => {
    await session.run(`CREATE OR REPLACE TEMP TABLE ${COPY} AS FROM ${table}`);
    await session.run(`DELETE FROM ${table}`);
    await session.run(`INSERT INTO ${table} FROM temp.${COPY}`);
  });
  await session.run(`DROP TABLE temp.${COPY}`);
}

/** Writes the files of a table anew, because a file keeps its deleted rows. */
async function rewriteFiles(session: Session, table: string): Promise<void> {
  await session.moveRows(flushOf(table));
  await session.moveRows(
    `CALL ducklake_rewrite_data_files('warehouse', ${sqlText(table)}, delete_threshold => 0)`,
  );
}

/** Returns the statement that writes the rows of a table that the catalog of a DuckLake holds to files. */
export const flushOf = (table: string): string =>
  `CALL ducklake_flush_inlined_data('warehouse', table_name => ${sqlText(table)})`;

/** A copy of the rows of a table. */
const COPY = 'erasure_copy';

/** A table that fills the free blocks for a moment. One that a killed process has left is dropped by the next maintenance. */
const FILLER = 'erasure_filler';

/** Blocks beyond the free ones, because the table needs some itself. */
const MORE_BLOCKS = 4;

async function overwriteFreeBlocks(session: Session): Promise<void> {
  await session.run('CHECKPOINT warehouse');
  const [size] = await session.query<{ bytes: string }>(
    `SELECT CAST((free_blocks + ${MORE_BLOCKS}) * block_size AS BIGINT) AS bytes
     FROM pragma_database_size() WHERE database_name = 'warehouse'`,
  );
  // Without compression, each number takes eight bytes.
  await session.run(`SET force_compression = 'uncompressed'`);
  try {
    await session.run(
      `CREATE TABLE ${FILLER} AS SELECT range AS filler FROM range(CAST($bytes AS BIGINT) // 8)`,
      { bytes: size?.bytes ?? '0' },
    );
    await session.run('CHECKPOINT warehouse');
  } finally {
    await session.run(`SET force_compression = 'auto'`);
  }
  await session.run(`DROP TABLE ${FILLER}`);
  await session.run('CHECKPOINT warehouse');
}

async function dropOlderSnapshots(session: Session): Promise<void> {
  await session.run(`CALL ducklake_flush_inlined_data('warehouse')`);
  await session.run(`CALL ducklake_expire_snapshots('warehouse', older_than => now())`);
  await session.run(`CALL ducklake_cleanup_old_files('warehouse', cleanup_all => true)`);
}
