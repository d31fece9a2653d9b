import { MIGRATIONS, type Migration } from './migrations.ts';
import type { Session } from '../session.ts';

/** Runs and records the migrations that the warehouse lacks, each in its own transaction. */
export const migrate = async (
  session: Session,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> => {
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
