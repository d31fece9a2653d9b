import { sealedPrefix, type Sealer } from '../../../security/sealing.ts';
import { sqlText } from '../sql/sql-text.ts';
import type { Queries } from '../session.ts';

/** A column of sealed texts. `record` is the place of a text: the columns that name its row, separated by blanks. */
export interface SealedColumn {
  table: string;
  column: string;
  record: readonly string[];
  field: string;
}

/** Every column that holds sealed texts. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
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
    table: 'credentials',
    column: 'sealed_credential',
    record: ['owner_id', 'credential_id'],
    field: 'import credential',
  },
  { table: 'import_run_events', column: 'sealed_totals', record: ['run_id'], field: 'other currencies' },
];

/** How many texts a master key has sealed. */
export interface SealedByKey {
  key_id: string;
  texts: number;
}

/** Returns which master keys have sealed the stored texts. It reads the key that each text names, and opens nothing. */
export async function sealedByKeys(warehouse: Queries): Promise<SealedByKey[]> {
  const texts = SEALED_COLUMNS.map(({ table, column }) => `SELECT ${column} AS sealed FROM ${table}`);
  const rows = await warehouse.query<{ key_id: string; texts: string }>(
    `SELECT split_part(sealed, '.', 2) AS key_id, count(*) AS texts
     FROM (${texts.join(' UNION ALL ')}) WHERE sealed IS NOT NULL GROUP BY ALL ORDER BY key_id`,
  );
  return rows.map(({ key_id, texts: count }) => ({ key_id, texts: Number(count) }));
}

/**
 * Returns the condition that a master key has sealed a column's text. As a range, so that DuckDB skips the blocks and files that
 * other keys have sealed.
 */
export function isSealedBy({ column }: SealedColumn, keyId: string): string {
  const prefix = sealedPrefix(keyId);
  // The slash follows the dot in which the prefix ends.
  return `${column} >= ${sqlText(prefix)} AND ${column} < ${sqlText(prefix.replace(/\.$/, '/'))}`;
}

/** Returns whether nothing is sealed, or one of the keys has sealed a part of it. It reads until the first text that tells. */
export async function opensAny(
  session: Queries,
  { keyId, previousKeyId }: Pick<Sealer, 'keyId' | 'previousKeyId'>,
): Promise<boolean> {
  const keys = previousKeyId === null ? [keyId] : [keyId, previousKeyId];
  return (
    (await anyText(session, (column) => keys.map((key) => isSealedBy(column, key)))) ||
    !(await anyText(session, ({ column }) => [`${column} IS NOT NULL`]))
  );
}

async function anyText(
  session: Queries,
  conditions: (column: SealedColumn) => readonly string[],
): Promise<boolean> {
  const found = SEALED_COLUMNS.flatMap((column) =>
    conditions(column).map((condition) => `SELECT 1 FROM ${column.table} WHERE ${condition}`),
  );
  return (await session.query(`SELECT 1 AS found FROM (${found.join(' UNION ALL ')}) LIMIT 1`)).length > 0;
}
