import { VARCHAR } from '@duckdb/node-api';
import type { Sealer } from '../../../security/sealing.ts';
import { letOthersRun } from '../let-others-run.ts';
import { sqlText } from '../sql/sql-text.ts';
import type { Session } from '../session.ts';
import type { Warehouse } from '../warehouse.ts';

/** A column of sealed texts. `record` is the place of a text: the columns that name its row, separated by blanks. */
interface SealedColumn {
  table: string;
  column: string;
  record: readonly string[];
  field: string;
}

/** Every column that holds sealed texts. */
const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'webhook_secrets', column: 'sealed_secret', record: ['secret_id'], field: 'webhook secret' },
  {
    table: 'metric_value_changes',
    column: 'sealed_value',
    record: ['metric_id', 'period', 'change_id'],
    field: 'revenue',
  },
  {
    table: 'month_locks',
    column: 'sealed_numbers',
    record: ['metric_id', 'month', 'lock_id'],
    field: 'locked month',
  },
  {
    table: 'import_credentials',
    column: 'sealed_credential',
    record: ['metric_id', 'credential_id'],
    field: 'import credential',
  },
  { table: 'import_run_events', column: 'sealed_totals', record: ['run_id'], field: 'other currencies' },
];

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
 * nothing remains. Each step is one transaction. A step that was killed has changed nothing (spec §5, Import credentials).
 */
export const resealSome = async (warehouse: Warehouse, sealer: Sealer): Promise<Resealed> => {
  let resealed = 0;
  for (const column of SEALED_COLUMNS) {
    resealed += await warehouse.transaction((session) =>
      resealColumn(session, sealer, column, MOST_AT_ONCE - resealed),
    );
    if (resealed >= MOST_AT_ONCE) break;
  }
  return { resealed, ...(await countSealedBefore(warehouse, sealer)) };
};

/** Counts the texts that the current master key has not sealed. */
export const countSealedBefore = async (
  warehouse: Pick<Session, 'query'>,
  sealer: Sealer,
): Promise<Omit<Resealed, 'resealed'>> => {
  const counts = { remaining: 0, unreadable: 0 };
  for (const column of SEALED_COLUMNS) {
    const [row] = await warehouse.query<{ others: string; unreadable: string }>(
      `SELECT count(*) AS others, count(*) FILTER (NOT ${sealedBy(column, sealer.previousPrefix)}) AS unreadable
       FROM ${column.table} WHERE ${isOther(column, sealer)}`,
    );
    counts.remaining += Number(row?.others ?? 0) - Number(row?.unreadable ?? 0);
    counts.unreadable += Number(row?.unreadable ?? 0);
  }
  return counts;
};

/** Returns the ids of the master keys that have sealed any text. */
export const masterKeysOf = async (warehouse: Pick<Session, 'query'>): Promise<string[]> => {
  const texts = SEALED_COLUMNS.map(({ table, column }) => `SELECT ${column} AS sealed FROM ${table}`);
  const rows = await warehouse.query<{ id: string }>(
    `SELECT DISTINCT split_part(sealed, '.', 2) AS id FROM (${texts.join(' UNION ALL ')}) WHERE sealed IS NOT NULL ORDER BY id`,
  );
  return rows.map(({ id }) => id);
};

const sealedBy = ({ column }: SealedColumn, prefix: string | null): string =>
  prefix === null ? 'false' : `starts_with(${column}, ${sqlText(prefix)})`;

const isOther = (column: SealedColumn, { prefix }: Sealer): string =>
  `${column.column} IS NOT NULL AND NOT ${sealedBy(column, prefix)}`;

const resealColumn = async (
  session: Session,
  sealer: Sealer,
  column: SealedColumn,
  most: number,
): Promise<number> => {
  const { table, column: name, record, field } = column;
  const rows = await session.query<{ org_id: string; record: string; sealed: string }>(
    `SELECT org_id, concat_ws(' ', ${record.join(', ')}) AS record, ${name} AS sealed
     FROM ${table} WHERE ${sealedBy(column, sealer.previousPrefix)} LIMIT ${most}`,
  );
  if (rows.length === 0) return 0;
  const pause = letOthersRun();
  const anew: string[] = [];
  for (const { org_id: orgId, record: id, sealed } of rows) {
    await pause();
    const place = { orgId, record: id, field };
    anew.push(sealer.seal(place, sealer.open(place, sealed)));
  }
  await session.run('CREATE OR REPLACE TEMP TABLE resealed (before VARCHAR, anew VARCHAR)');
  await session.append('resealed', [VARCHAR, VARCHAR], [rows.map(({ sealed }) => sealed), anew]);
  // No two sealed texts are equal, so that a text identifies its row.
  await session.run(
    `UPDATE ${table} SET ${name} = resealed.anew FROM temp.main.resealed AS resealed WHERE ${name} = resealed.before`,
  );
  await session.run('DROP TABLE temp.main.resealed');
  return rows.length;
};
