import { MIGRATIONS } from './migrations.ts';
import type { Session } from './session.ts';

/** Nodes that start at once all try each migration of a DuckLake; all but one fail, and look again. */
const ATTEMPTS = 5 * MIGRATIONS.length;

/** Runs the migrations that the warehouse has not seen, each once and in its own transaction, and records them. */
export const migrate = async (session: Session): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await migrateOnce(session);
      return;
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
};

const migrateOnce = async (session: Session): Promise<void> => {
  await session.run(
    'CREATE TABLE IF NOT EXISTS schema_migrations (version INTEGER, name VARCHAR, applied_at TIMESTAMP)',
  );
  const [newest] = await session.query<{ version: number | null }>(
    'SELECT max(version) AS version FROM schema_migrations',
  );
  for (const { version, name, statements } of MIGRATIONS) {
    if (version <= (newest?.version ?? 0)) continue;
    await session.transaction(async () => {
      for (const statement of statements) await session.run(statement);
      await session.run('INSERT INTO schema_migrations VALUES ($version, $name, now()::TIMESTAMP)', {
        version,
        name,
      });
    });
  }
};
