import type { Statements } from '../session.ts';

/**
 * Drops temporary tables and views; sessions are lent again, so what a load leaves would meet the next. One that is lost has none, and
 * the error that ended it is the one to tell.
 */
export const dropTemporaryTables = async (
  session: Statements,
  tables: readonly string[],
  views: readonly string[] = [],
): Promise<void> => {
  if (session.isLost) return;
  for (const view of views) await session.run(`DROP VIEW IF EXISTS temp.main.${view}`);
  for (const table of tables) await session.run(`DROP TABLE IF EXISTS temp.main.${table}`);
};
