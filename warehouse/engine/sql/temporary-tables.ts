import type { Statements } from '../session.ts';

/**
 * Drops temporary tables and views, because the next load may get the same session. A lost session has no tables, and must not
 * hide the error that ended it.
 */
export async function dropTemporaryTables(
  session: Statements,
  tables: readonly string[],
  views: readonly string[] = [],
): Promise<void> {
  if (session.isLost) return;
  for (const view of views) await session.run(`DROP VIEW IF EXISTS temp.main.${view}`);
  for (const table of tables) await session.run(`DROP TABLE IF EXISTS temp.main.${table}`);
}
