import { VARCHAR } from '@duckdb/node-api';
import type { Sealer } from '../../../security/sealing.ts';
import { countTexts } from '../../../security/sealed-counts.ts';
import { letOthersRun } from '../let-others-run.ts';
import type { Session } from '../session.ts';
import type { Warehouse } from '../warehouse.ts';
import { isSealedBy, SEALED_COLUMNS, sealedByKeys, type SealedColumn } from './sealed-texts.ts';

/** Texts sealed anew in one transaction. */
const MOST_AT_ONCE = 10_000;

/** What a step of the rotation has done. */
export interface Resealed {
  /** Texts that this step has sealed anew. */
  resealed: number;
  /** Texts that the previous master key has sealed and no step has sealed anew. */
  remaining: number;
  /** Texts that neither master key opens. */
  unreadable: number;
}

/**
 * Seals texts anew with the current master key that the previous one has sealed: at most {@link MOST_AT_ONCE}. Call it until
 * nothing remains. Each step is one transaction. A step that was killed has changed nothing (docs/design.md#secrets). Damaged
 * texts stay as they are, and count as unreadable.
 */
export async function resealSome(warehouse: Warehouse, sealer: Sealer): Promise<Resealed> {
  const { previousKeyId } = sealer;
  const done = { resealed: 0, damaged: 0 };
  if (previousKeyId !== null)
    for (const column of SEALED_COLUMNS) {
      const most = MOST_AT_ONCE - done.resealed;
      const { resealed, damaged } = await warehouse.transaction((session) =>
        resealColumn(session, sealer, column, previousKeyId, most),
      );
      done.resealed += resealed;
      done.damaged += damaged;
      if (done.resealed >= MOST_AT_ONCE) break;
    }
  const { previous, unreadable } = countTexts(await sealedByKeys(warehouse), sealer);
  return {
    resealed: done.resealed,
    remaining: previous - done.damaged,
    unreadable: unreadable + done.damaged,
  };
}

async function resealColumn(
  session: Session,
  sealer: Sealer,
  column: SealedColumn,
  previousKeyId: string,
  most: number,
): Promise<{ resealed: number; damaged: number }> {
  const { table, column: name, record, field } = column;
  const rows = await session.query<{ org_id: string; record: string; sealed: string }>(
    `SELECT org_id, concat_ws(' ', ${record.join(', ')}) AS record, ${name} AS sealed
     FROM ${table} WHERE ${isSealedBy(column, previousKeyId)} LIMIT ${most}`,
  );
  const pause = letOthersRun();
  const before: string[] = [];
  const anew: string[] = [];
  for (const { org_id: orgId, record: id, sealed } of rows) {
    await pause();
    const place = { orgId, record: id, field };
    const text = sealer.openOrNull(place, sealed);
    if (text === null) continue;
    before.push(sealed);
    anew.push(sealer.seal(place, text));
  }
  const counts = { resealed: anew.length, damaged: rows.length - anew.length };
  if (anew.length === 0) return counts;
  await session.run('CREATE OR REPLACE TEMP TABLE resealed (before VARCHAR, anew VARCHAR)');
  await session.append('resealed', [VARCHAR, VARCHAR], [before, anew]);
  // No two sealed texts are equal, so that a text identifies its row.
  await session.run(
    `UPDATE ${table} SET ${name} = resealed.anew FROM temp.main.resealed AS resealed WHERE ${name} = resealed.before`,
  );
  await session.run('DROP TABLE temp.main.resealed');
  return counts;
}
