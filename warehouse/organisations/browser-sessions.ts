import type { ApiActor } from '../../domain/organisations/actor.ts';
import { audit } from '../engine/records/audit-log.ts';
import type { By } from '../engine/records/versioned-records.ts';
import { newId } from '../engine/sql/ids.ts';
import type { Warehouse } from '../engine/warehouse.ts';
import type { KeyHolder } from './api-keys.ts';

/** A browser session as its cookie holds it. The warehouse stores only that it was signed out. */
export interface BrowserSession {
  id: string;
  orgId: string;
  keyId: string;
  expiresAt: string;
}

/** How long a session lasts, unless its key expires before. */
const LONGEST_MS = 12 * 3_600_000;

/** Returns a new session of a key (docs/http.md#browser-session). */
export function newSession({ organisation, key }: KeyHolder, now: Date): BrowserSession {
  const keyExpires = key.expires_at === null ? Infinity : Date.parse(key.expires_at);
  return {
    id: newId('ses'),
    orgId: organisation.id,
    keyId: key.id,
    expiresAt: new Date(Math.min(now.getTime() + LONGEST_MS, keyExpires)).toISOString(),
  };
}

/** Ends a session at once on all nodes, and records it in the audit log. */
export const endSession = (
  warehouse: Warehouse,
  { id, orgId, keyId, expiresAt }: BrowserSession,
  { actor, now }: By<ApiActor>,
): Promise<void> =>
  warehouse.transaction(async (session) => {
    await session.run(
      `INSERT INTO session_ends BY NAME
        SELECT $org AS org_id, $id AS session_id, $now::TIMESTAMP AS ended_at, $expires::TIMESTAMP AS expires_at`,
      { org: orgId, id, now: now.toISOString(), expires: expiresAt },
    );
    await audit(
      session,
      orgId,
      { actor, action: 'signed_out', target: keyId, detail: { session_id: id } },
      now,
    );
  });

/** Whether a session was signed out. */
export async function isEnded(
  warehouse: Warehouse,
  { id, orgId }: Pick<BrowserSession, 'id' | 'orgId'>,
): Promise<boolean> {
  const ends = await warehouse.query(
    'SELECT session_id FROM session_ends WHERE org_id = $org AND session_id = $id LIMIT 1',
    { org: orgId, id },
  );
  return ends.length > 0;
}
