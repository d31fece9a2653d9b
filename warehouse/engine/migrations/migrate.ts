import type { Migration } from './migration.ts';
import { MIGRATIONS } from './migrations.ts';
import { schemaVersionOf, whyRefused } from './schema-version.ts';
import type { Session } from '../session.ts';

/**
 * Runs and records the migrations that the warehouse lacks, each in its own transaction. Throws, and changes nothing, if this
 * version cannot open the warehouse ({@link whyRefused}).
 */
export async function migrate(
  session: Session,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  await session.run(
    'CREATE TABLE IF NOT EXISTS schema_migrations (version INTEGER, name VARCHAR, applied_at TIMESTAMP)',
  );
  const stored = await schemaVersionOf(session);
  const refused = whyRefused(stored, migrations);
  if (refused !== null) throw new Error(refused);
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
