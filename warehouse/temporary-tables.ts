import type { Session } from './session.ts';

/** Drops temporary tables; sessions are lent again, so what a load leaves would meet the next. */
export const dropTemporaryTables = async (session: Session, tables: readonly string[]): Promise<void> => {
  for (const table of tables) await session.run(`DROP TABLE IF EXISTS temp.main.${table}`);
};
