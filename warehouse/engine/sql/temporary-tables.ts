import type { Statements } from '../session.ts';

/** Drops temporary tables. A lost session has no tables, and must not hide the error that ended it. */
export async function dropTemporaryTables(session: Statements, tables: readonly string[]): Promise<void> {
  if (session.isLost) return;
  for (const table of tables) await session.run(`DROP TABLE IF EXISTS temp.main.${table}`);
}
