import { conflict } from '../../domain/shared/errors.ts';
import type { Permission } from '../../domain/organisations/permissions.ts';
import { instant, instantOrNull } from '../engine/sql/instant.ts';
import type { Organisation } from './organisations.ts';
import type { Session } from '../engine/session.ts';
import type { Warehouse } from '../engine/warehouse.ts';

/** An API key as admins see it. The secret itself is never stored (docs/design.md#secrets). */
export interface ApiKey {
  id: string;
  name: string;
  permission: Permission;
  expires_at: string | null;
  created_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
}

/** A key and its organisation, for the checks of a request. */
export interface KeyHolder {
  organisation: Organisation;
  key: { id: string; name: string; permission: Permission; expires_at: string | null };
  secretHash: string;
  revoked: boolean;
}

const KEY_COLUMNS = `
  k.key_id AS id, k.name, k.permission, k.expires_at, k.created_at, c.last_used_at, r.revoked_at`;

const KEY_TABLES = `
  api_keys k
  LEFT JOIN (
    SELECT org_id, key_id, min(revoked_at) AS revoked_at FROM api_key_revocations GROUP BY ALL) r USING (org_id, key_id)
  LEFT JOIN (
    SELECT org_id, key_id, max(last_call_at) AS last_used_at FROM api_calls GROUP BY ALL) c USING (org_id, key_id)`;

const toKey = (row: ApiKey): ApiKey => ({
  ...row,
  expires_at: instantOrNull(row.expires_at),
  created_at: instant(row.created_at),
  last_used_at: instantOrNull(row.last_used_at),
  revoked_at: instantOrNull(row.revoked_at),
});

export async function createKey(
  session: Session,
  orgId: string,
  key: { id: string; name: string; permission: Permission; expires_at: string | null; secretHash: string },
  now: Date,
): Promise<void> {
  await session.run(
    `INSERT INTO api_keys BY NAME
      SELECT $org AS org_id, $id AS key_id, $name AS name, $permission AS permission, $secretHash AS secret_hash,
        $expires_at::TIMESTAMP AS expires_at, $now::TIMESTAMP AS created_at`,
    { org: orgId, ...key, now: now.toISOString() },
  );
}

/** Returns the keys after `cursor`, oldest first, with revoked ones. */
export async function listKeys(
  warehouse: Warehouse,
  orgId: string,
  page: { limit: number; cursor: string | null },
): Promise<ApiKey[]> {
  const rows = await warehouse.query<ApiKey>(
    `SELECT ${KEY_COLUMNS} FROM ${KEY_TABLES}
     WHERE k.org_id = $org AND k.key_id > coalesce($cursor, '') ORDER BY k.key_id LIMIT $limit`,
    { org: orgId, ...page },
  );
  return rows.map(toKey);
}

/**
 * Revokes a key at once; a second revocation changes nothing. Returns null if the organisation has no such key. Throws a
 * conflict for its last active admin key that never expires, so that nobody locks themselves out. If all admin keys expire, the
 * last active one stays. The operator, who can make another one, revokes it without `keepsAdmin`.
 */
export const revokeKey = (
  warehouse: Warehouse,
  orgId: string,
  keyId: string,
  now: Date,
  record: (session: Session, key: ApiKey) => Promise<void>,
  { keepsAdmin = true }: { keepsAdmin?: boolean } = {},
): Promise<ApiKey | null> =>
  warehouse.lockedTransaction([`keys ${orgId}`], async (session) => {
    const keys = (
      await session.query<ApiKey>(`SELECT ${KEY_COLUMNS} FROM ${KEY_TABLES} WHERE k.org_id = $org`, {
        org: orgId,
      })
    ).map(toKey);
    const key = keys.find(({ id }) => id === keyId);
    if (key === undefined) return null;
    if (key.revoked_at !== null) return key;
    const active = ({ revoked_at, expires_at, permission }: ApiKey): boolean =>
      permission === 'admin' &&
      revoked_at === null &&
      (expires_at === null || Date.parse(expires_at) > now.getTime());
    const others = keys.filter((other) => active(other) && other.id !== keyId);
    const last = lastAdminKey(key, others);
    if (keepsAdmin && active(key) && last !== null)
      throw conflict(
        `key ${JSON.stringify(key.name)} is ${last}: create an admin key without expires_at before revoking it`,
      );
    await session.run(
      'INSERT INTO api_key_revocations BY NAME SELECT $org AS org_id, $key AS key_id, $now::TIMESTAMP AS revoked_at',
      { org: orgId, key: keyId, now: now.toISOString() },
    );
    const revoked = { ...key, revoked_at: now.toISOString() };
    await record(session, revoked);
    return revoked;
  });

/** Returns the words for why an active admin key must stay; null if the `others` (active admin keys) are enough. */
function lastAdminKey(key: ApiKey, others: readonly ApiKey[]): string | null {
  if (others.some(({ expires_at }) => expires_at === null)) return null;
  if (key.expires_at === null && others.length > 0) return 'the last active admin key that never expires';
  return others.length > 0 ? null : 'the last active admin key';
}

/**
 * Returns the holders of some keys, by key id. It is the only statement that starts from a key instead of an organisation,
 * because it finds the organisation of a request.
 */
export async function findKeyHolders(
  warehouse: Warehouse,
  keyIds: readonly string[],
): Promise<Map<string, KeyHolder>> {
  const rows = await warehouse.query<
    KeyHolder['key'] & {
      secret_hash: string;
      revoked: boolean;
      org_id: string;
      org_name: string;
      tier: Organisation['tier'];
      currency: string;
      settle_days: number;
    }
  >(
    `SELECT k.key_id AS id, k.name, k.permission, k.expires_at, k.secret_hash,
       EXISTS (FROM api_key_revocations r WHERE r.org_id = k.org_id AND r.key_id = k.key_id) AS revoked,
       o.org_id, o.name AS org_name, o.tier, o.currency, o.settle_days
     FROM api_keys k JOIN organisations o USING (org_id)
     WHERE list_contains($ids, k.key_id)`,
    { ids: keyIds },
  );
  return new Map(
    rows.map((row) => [
      row.id,
      {
        organisation: {
          id: row.org_id,
          name: row.org_name,
          tier: row.tier,
          currency: row.currency,
          settle_days: row.settle_days,
        },
        key: {
          id: row.id,
          name: row.name,
          permission: row.permission,
          expires_at: instantOrNull(row.expires_at),
        },
        secretHash: row.secret_hash,
        revoked: row.revoked,
      },
    ]),
  );
}
