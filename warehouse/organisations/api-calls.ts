import type { Day } from '../../domain/shared/calendar.ts';
import type { Warehouse } from '../engine/warehouse.ts';

/** Calls of one key on one day that are not stored yet. */
export interface Calls {
  orgId: string;
  day: Day;
  keyId: string;
  /** Calls that count against the quota. */
  calls: number;
  /** Free calls of browser sessions. */
  sessionCalls: number;
  lastCallAt: string;
}

/** Stores counted calls in one commit. */
export const recordCalls = (warehouse: Warehouse, calls: readonly Calls[]): Promise<number> =>
  warehouse.run(
    `INSERT INTO api_calls BY NAME
      SELECT unnest($orgs) AS org_id, unnest($days)::DATE AS day, unnest($keys) AS key_id,
        unnest($counts)::BIGINT AS calls, unnest($session_counts)::BIGINT AS session_calls,
        unnest($instants)::TIMESTAMP AS last_call_at`,
    {
      orgs: calls.map(({ orgId }) => orgId),
      days: calls.map(({ day }) => day),
      keys: calls.map(({ keyId }) => keyId),
      counts: calls.map((call) => call.calls.toString()),
      session_counts: calls.map(({ sessionCalls }) => sessionCalls.toString()),
      instants: calls.map(({ lastCallAt }) => lastCallAt),
    },
  );

/** Returns the stored number of an organisation's calls on a day, from all nodes. */
export async function countCalls(warehouse: Warehouse, orgId: string, day: Day): Promise<number> {
  const [row] = await warehouse.query<{ calls: string }>(
    'SELECT coalesce(sum(calls), 0)::BIGINT AS calls FROM api_calls WHERE org_id = $org AND day = $day::DATE',
    { org: orgId, day },
  );
  return Number(row?.calls ?? 0);
}

/** Returns the stored number of free calls of a key's browser sessions on a day, from all nodes. */
export async function countSessionCalls(
  warehouse: Warehouse,
  { orgId, keyId }: Pick<Calls, 'orgId' | 'keyId'>,
  day: Day,
): Promise<number> {
  const [row] = await warehouse.query<{ calls: string }>(
    `SELECT coalesce(sum(session_calls), 0)::BIGINT AS calls FROM api_calls
      WHERE org_id = $org AND key_id = $key AND day = $day::DATE`,
    { org: orgId, key: keyId, day },
  );
  return Number(row?.calls ?? 0);
}

/**
 * Returns a key of each organisation and permission that has called since then, at most `limit`, the newest call first.
 */
export async function newestCallers(warehouse: Warehouse, since: Date, limit: number): Promise<string[]> {
  const rows = await warehouse.query<{ key_id: string }>(
    `SELECT arg_max(key_id, last_call_at) AS key_id FROM api_calls JOIN api_keys USING (org_id, key_id)
      WHERE last_call_at >= $since::TIMESTAMP GROUP BY org_id, permission ORDER BY max(last_call_at) DESC LIMIT $limit`,
    { since: since.toISOString(), limit },
  );
  return rows.map(({ key_id }) => key_id);
}
