import { MIGRATIONS, type Migration } from './migrations.ts';
import type { Session } from './session.ts';

/** Nodes that start at once all try each migration of a DuckLake; all but one fail, and look again. */
const ATTEMPTS_OF_EACH = 5;

/** Runs the migrations that the warehouse has not seen, each once and in its own transaction, and records them. */
export const migrate = async (
  session: Session,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await migrateOnce(session, migrations);
      return;
    } catch (error) {
      if (attempt >= ATTEMPTS_OF_EACH * migrations.length) throw error;
    }
  }
};

const migrateOnce = async (session: Session, migrations: readonly Migration[]): Promise<void> => {
  await session.run(
    'CREATE TABLE IF NOT EXISTS schema_migrations (version INTEGER, name VARCHAR, applied_at TIMESTAMP)',
  );
  const [newest] = await session.query<{ version: number | null }>(
    'SELECT max(version) AS version FROM schema_migrations',
  );
  for (const { version, name, statements } of migrations) {
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
