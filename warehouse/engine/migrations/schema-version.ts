import type { Session } from '../session.ts';

/** Returns the version of the warehouse's tables; 0 if there are none. */
export async function schemaVersionOf(warehouse: Pick<Session, 'query'>): Promise<number> {
  const [newest] = await warehouse.query<{ version: number | null }>(
    'SELECT max(version) AS version FROM schema_migrations',
  );
  return newest?.version ?? 0;
}

/** Returns when the warehouse was made, to the microsecond. It tells copies of this warehouse from those of others. */
export async function originOf(warehouse: Pick<Session, 'query'>): Promise<string> {
  const [first] = await warehouse.query<{ made_at: string }>(
    `SELECT CAST(min(applied_at) AS VARCHAR) AS made_at FROM schema_migrations`,
  );
  return first?.made_at ?? '';
}

/** Says what to do about a warehouse that a newer version has migrated. */
export const migratedByNewer = (stored: number, known: number): string =>
  `a newer version of the product has migrated the warehouse to version ${stored}, and this one knows ${known}: start the newer one, or restore a backup from before the upgrade`;
