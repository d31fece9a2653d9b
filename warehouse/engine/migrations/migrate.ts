import { MIGRATIONS, type Migration } from './migrations.ts';
import { migratedByNewer, schemaVersionOf } from './schema-version.ts';
import type { Session } from '../session.ts';

/**
 * Runs and records the migrations that the warehouse lacks, each in its own transaction. Refuses a warehouse that a newer version
 * has migrated, because this version does not know what its tables mean.
 */
export async function migrate(
  session: Session,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  await session.run(
    'CREATE TABLE IF NOT EXISTS schema_migrations (version INTEGER, name VARCHAR, applied_at TIMESTAMP)',
  );
  const stored = await schemaVersionOf(session);
  const known = migrations.at(-1)?.version ?? stored;
  if (stored > known) throw new Error(migratedByNewer(stored, known));
  for (const { version, name, statements } of migrations) {
    if (version <= stored) continue;
    await session.transaction(async () => {
      for (const statement of statements) await session.run(statement);
      await session.run('INSERT INTO schema_migrations VALUES ($version, $name, now()::TIMESTAMP)', {
        version,
        name,
      });
    });
  }
}
