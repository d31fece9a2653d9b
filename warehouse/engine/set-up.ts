import type { DuckDBInstance } from '@duckdb/node-api';
import { loadExtension } from './extensions.ts';
import { Session } from './session.ts';
import { sqlText } from './sql/sql-text.ts';

/** How WAREHOUSE names a DuckLake with its catalog in Postgres. */
const ON_POSTGRES = 'ducklake:postgres:';

/** How often a step of the set-up is tried. The writes of nodes that already run may conflict with it. */
const ATTEMPTS = 20;

/** How long a node waits for others. The largest migration takes seconds. */
const PATIENCE_S = 600;

/** Any number that no other program uses for advisory locks in the catalog's database. */
const LOCK = 7_266_279_350;

/**
 * Runs `work`, which attaches and sets up the warehouse, while no other node does. If nodes started together, a DuckDB that reads
 * a table which another migrates could end. Postgres holds the lock as long as the connection lives, so a killed node leaves none.
 */
export const aloneInCatalog = async <Result>(
  instance: DuckDBInstance,
  { location, extensions }: { location: string; extensions: string | null },
  work: () => Promise<Result>,
): Promise<Result> => {
  if (!location.startsWith(ON_POSTGRES)) return work();
  const session = new Session(await instance.connect());
  try {
    await loadExtension(session, 'postgres_scanner', extensions);
    await session.run(`ATTACH ${sqlText(location.slice(ON_POSTGRES.length))} AS set_up (TYPE postgres)`);
    const result = await session.transaction(async () => {
      const lock = `SET LOCAL lock_timeout = '${PATIENCE_S}s'; SELECT pg_advisory_xact_lock(${LOCK})`;
      await session.run(`CALL postgres_execute('set_up', ${sqlText(lock)})`);
      return work();
    });
    await session.run('DETACH set_up');
    return result;
  } finally {
    await session.abandon();
  }
};

/** Runs a step of the set-up until it succeeds. Each try looks what is left to do. */
export const persist = async (session: Session, step: () => Promise<void>): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await step();
      return;
    } catch (error) {
      if (session.isLost || attempt >= ATTEMPTS) throw error;
    }
  }
};
