import type { Session } from '../session.ts';
import type { Warehouse } from '../warehouse.ts';

/**
 * Erases deleted import credentials from disk, if any were deleted since the last time: a deleted row stays readable in the file
 * until something overwrites it (spec §5, Import credentials). Writes the table anew. Then overwrites all free blocks of a DuckDB
 * file, or drops all older snapshots of a DuckLake with their files. Run it after the file was compacted.
 */
export const eraseDeletedCredentials = (warehouse: Warehouse): Promise<void> =>
  warehouse.session(async (session) => {
    await session.run(`DROP TABLE IF EXISTS ${FILLER}`);
    const asked = await session.query<{ requested_at: string }>('SELECT DISTINCT requested_at FROM erasures');
    if (asked.length === 0) return;
    await session.transaction(async () => {
      await session.run('CREATE TABLE import_credentials_anew AS FROM import_credentials');
      await session.run('DROP TABLE import_credentials');
      await session.run('ALTER TABLE import_credentials_anew RENAME TO import_credentials');
    });
    await (warehouse.isDuckLake ? dropOlderSnapshots(session) : overwriteFreeBlocks(session));
    await session.run('DELETE FROM erasures WHERE list_contains($asked::TIMESTAMP[], requested_at)', {
      asked: asked.map(({ requested_at }) => requested_at),
    });
  });

/** A table that fills the free blocks for a moment. One that a killed process has left is dropped by the next maintenance. */
const FILLER = 'erasure_filler';

/** Blocks beyond the free ones, because the table needs some itself. */
const MORE_BLOCKS = 4;

const overwriteFreeBlocks = async (session: Session): Promise<void> => {
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
      {
        bytes: size?.bytes ?? '0',
      },
    );
    await session.run('CHECKPOINT warehouse');
  } finally {
    await session.run(`SET force_compression = 'auto'`);
  }
  await session.run(`DROP TABLE ${FILLER}`);
  await session.run('CHECKPOINT warehouse');
};

const dropOlderSnapshots = async (session: Session): Promise<void> => {
  await session.run(`CALL ducklake_flush_inlined_data('warehouse')`);
  await session.run(`CALL ducklake_expire_snapshots('warehouse', older_than => now())`);
  await session.run(`CALL ducklake_cleanup_old_files('warehouse', cleanup_all => true)`);
};
