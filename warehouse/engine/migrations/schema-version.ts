import { MIGRATIONS } from './migrations.ts';
import type { Migration } from './migration.ts';
import type { Queries } from '../session.ts';

/** Returns the version of the warehouse's tables; 0 if there are none. */
export async function schemaVersionOf(warehouse: Queries): Promise<number> {
  const [newest] = await warehouse.query<{ version: number | null }>(
    'SELECT max(version) AS version FROM schema_migrations',
  );
  return newest?.version ?? 0;
}

/** Returns when the warehouse was made, to the microsecond. It tells copies of this warehouse from those of others. */
export async function originOf(warehouse: Queries): Promise<string> {
  const [first] = await warehouse.query<{ made_at: string }>(
    `SELECT CAST(min(applied_at) AS VARCHAR) AS made_at FROM schema_migrations`,
  );
  return first?.made_at ?? '';
}

/** What to do with data that no version upgrades. */
export const BEGIN_ANEW =
  'start this one with an empty DATA_DIR (and WAREHOUSE, if it is set), connect and ingest the sources again, and store the values of metrics again; the version that wrote the data still opens it';

/**
 * Returns why this version cannot open a warehouse, and what to do; null if it can. A newer version has tables that this one does
 * not know. No version upgrades a warehouse from before the first migration, the baseline.
 */
export function whyRefused(stored: number, migrations: readonly Migration[] = MIGRATIONS): string | null {
  const [first = stored, last = stored] = [migrations[0]?.version, migrations.at(-1)?.version];
  if (stored > last)
    return `a newer version of the product has migrated the warehouse to version ${stored}, and this one knows ${last}: start the newer one, or restore a backup from before the upgrade`;
  if (stored > 0 && stored < first)
    return `the warehouse has version ${stored}, and this version of the product upgrades version ${first} and later: ${BEGIN_ANEW}; nothing was changed`;
  return null;
}
