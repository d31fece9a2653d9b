import type { Session } from '../session.ts';

/** Returns the version of the warehouse's tables; 0 if there are none. */
export const schemaVersionOf = async (warehouse: Pick<Session, 'query'>): Promise<number> => {
  const [newest] = await warehouse.query<{ version: number | null }>(
    'SELECT max(version) AS version FROM schema_migrations',
  );
  return newest?.version ?? 0;
};
