import type { Sealer } from '../../security/sealing.ts';
import { requireOpeningKey } from '../engine/records/require-key.ts';
import type { Queries, Session } from '../engine/session.ts';
import { idAfter } from '../engine/sql/ids.ts';

/** A new secret of a webhook, in the clear, and what seals it. */
export interface NewSecret {
  secret: string;
  sealer: Sealer;
}

/** Why deliveries of a webhook cannot be signed, and the way out. */
export const SECRET_UNREADABLE =
  'the secret of the webhook cannot be opened: rotate it, or ask the operator for the MASTER_KEY that sealed it';

const placeOf = (orgId: string, secretId: string) => ({ orgId, record: secretId, field: 'webhook secret' });

/** Seals and stores a secret of a webhook. The newest secret signs. */
export async function insertSecret(
  session: Session,
  orgId: string,
  webhookId: string,
  { secret, sealer }: NewSecret,
  now: Date,
): Promise<void> {
  await requireOpeningKey(session, sealer);
  const secretId = idAfter(null);
  await session.run(
    `INSERT INTO webhook_secrets BY NAME
      SELECT $org AS org_id, $webhook AS webhook_id, $secret::UUID AS secret_id, $sealed AS sealed_secret,
        $now::TIMESTAMP AS created_at`,
    {
      org: orgId,
      webhook: webhookId,
      secret: secretId,
      now: now.toISOString(),
      sealed: sealer.seal(placeOf(orgId, secretId), secret),
    },
  );
}

/**
 * Returns the secrets of a webhook that sign, newest first: the newest one, and those replaced since `overlapFrom`. Replaced ones
 * that cannot be opened are left out. Returns null if the newest is gone or cannot be opened, because receivers may know only
 * that one.
 */
export async function signingSecrets(
  warehouse: Queries,
  sealer: Sealer,
  orgId: string,
  webhookId: string,
  overlapFrom: Date,
): Promise<string[] | null> {
  const rows = await warehouse.query<{ id: string; sealed: string }>(
    `SELECT secret_id AS id, sealed_secret AS sealed FROM webhook_secrets
     WHERE org_id = $org AND webhook_id = $webhook
     QUALIFY COALESCE(lead(created_at) OVER (ORDER BY secret_id) > $overlap::TIMESTAMP, true)
     ORDER BY secret_id DESC`,
    { org: orgId, webhook: webhookId, overlap: overlapFrom.toISOString() },
  );
  const [newest = null, ...replaced] = rows.map(({ id, sealed }) =>
    sealer.openOrNull(placeOf(orgId, id), sealed),
  );
  return newest === null ? null : [newest, ...replaced.filter((secret) => secret !== null)];
}

/** Returns the webhooks of an organisation whose newest secret cannot be opened. */
export async function webhooksWithoutSecret(
  warehouse: Queries,
  sealer: Sealer,
  orgId: string,
): Promise<ReadonlySet<string>> {
  const rows = await warehouse.query<{ webhook_id: string; id: string; sealed: string }>(
    `SELECT webhook_id, max(secret_id) AS id, arg_max(sealed_secret, secret_id) AS sealed FROM webhook_secrets
     WHERE org_id = $org GROUP BY webhook_id`,
    { org: orgId },
  );
  return new Set(
    rows.flatMap(({ webhook_id, id, sealed }) =>
      sealer.openOrNull(placeOf(orgId, id), sealed) === null ? [webhook_id] : [],
    ),
  );
}
