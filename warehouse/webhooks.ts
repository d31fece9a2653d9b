import type { EventType } from '../domain/webhook.ts';
import { audit, type Actor, type AuditAction } from './audit-log.ts';
import { idAfter, newId } from './ids.ts';
import { instant } from './instant.ts';
import type { Session } from './session.ts';
import type { Warehouse } from './warehouse.ts';
import { failPendingDeliveries } from './webhook-deliveries.ts';

/** Where an organisation wants to hear of its events (contract §3, Webhook). */
export interface Webhook {
  id: string;
  url: string;
  events: EventType[];
  enabled: boolean;
  created_at: string;
}

const COLUMNS = 'webhook_id AS id, url, events, enabled, created_at';

const toWebhook = (row: Webhook): Webhook => ({ ...row, created_at: instant(row.created_at) });

/** Who changes a webhook, and when. */
export interface WebhookChange {
  actor: Actor;
  now: Date;
}

/** A new webhook's id. */
export const newWebhookId = (): string => newId('whk');

/** Stores a new webhook with its sealed secret. */
export const createWebhook = async (
  warehouse: Warehouse,
  orgId: string,
  webhook: Omit<Webhook, 'created_at'>,
  secret: SealedSecret,
  by: WebhookChange,
): Promise<Webhook> => {
  const created = { ...webhook, created_at: by.now.toISOString() };
  await warehouse.transaction(async (session) => {
    await insertVersion(session, orgId, created, { newest: null, deleted: false, by });
    await insertSecret(session, orgId, created.id, secret, by.now);
    await record(session, orgId, 'webhook.create', created, {}, by);
  });
  return created;
};

/** The webhooks after `cursor`, oldest first. */
export const listWebhooks = async (
  warehouse: Warehouse,
  orgId: string,
  page: { limit: number; cursor: string | null },
): Promise<Webhook[]> => {
  const rows = await warehouse.query<Webhook>(
    `SELECT ${COLUMNS} FROM webhooks WHERE org_id = $org AND webhook_id > coalesce($cursor, '')
     ORDER BY webhook_id LIMIT $limit`,
    { org: orgId, ...page },
  );
  return rows.map(toWebhook);
};

/** The organisation's webhook, or null when it has no such one. */
export const findWebhook = async (
  warehouse: Pick<Warehouse, 'query'> | Session,
  orgId: string,
  webhookId: string,
): Promise<Webhook | null> => {
  const [row] = await warehouse.query<Webhook>(
    `SELECT ${COLUMNS} FROM webhooks WHERE org_id = $org AND webhook_id = $webhook`,
    { org: orgId, webhook: webhookId },
  );
  return row === undefined ? null : toWebhook(row);
};

/** The organisations that want to hear of events: for the start of the service, never for a tenant. */
export const organisationsWithWebhooks = async (warehouse: Warehouse): Promise<string[]> => {
  const rows = await warehouse.query<{ org_id: string }>(
    'SELECT DISTINCT org_id FROM webhooks WHERE enabled ORDER BY org_id',
  );
  return rows.map(({ org_id }) => org_id);
};

/** What a webhook becomes: some fields, a new secret, or nothing at all. */
export type WebhookUpdate =
  { changes: Partial<Pick<Webhook, 'url' | 'events' | 'enabled'>>; secret: SealedSecret | null } | 'delete';

/**
 * Changes or deletes a webhook; answers what it now is (or last was), or null when there is none. What was still to be
 * delivered to one that is deleted or disabled has failed then, and says why.
 */
export const updateWebhook = (
  warehouse: Warehouse,
  orgId: string,
  webhookId: string,
  update: WebhookUpdate,
  by: WebhookChange,
): Promise<Webhook | null> =>
  warehouse.exclusive(`webhook ${webhookId}`, () =>
    warehouse.transaction(async (session) => {
      const [row] = await session.query<Webhook & { version_id: string }>(
        `SELECT ${COLUMNS}, version_id FROM webhooks WHERE org_id = $org AND webhook_id = $webhook`,
        { org: orgId, webhook: webhookId },
      );
      if (row === undefined) return null;
      const { version_id: newest, ...before } = row;
      const current = toWebhook(before);
      if (update === 'delete') {
        await insertVersion(session, orgId, current, { newest, deleted: true, by });
        await failPendingDeliveries(session, orgId, webhookId, WEBHOOK_GONE, by.now);
        await record(session, orgId, 'webhook.delete', current, {}, by);
        return current;
      }
      const webhook = { ...current, ...update.changes };
      await insertVersion(session, orgId, webhook, { newest, deleted: false, by });
      if (update.secret !== null) await insertSecret(session, orgId, webhookId, update.secret, by.now);
      if (!webhook.enabled) await failPendingDeliveries(session, orgId, webhookId, WEBHOOK_OFF, by.now);
      const detail = { ...update.changes, ...(update.secret === null ? {} : { rotated_secret: true }) };
      await record(session, orgId, 'webhook.update', webhook, detail, by);
      return webhook;
    }),
  );

export const WEBHOOK_GONE = 'the webhook was deleted';
export const WEBHOOK_OFF = 'the webhook was disabled';

/** A secret as it is stored; `secretId` comes from {@link newSecretId}. */
export interface SealedSecret {
  secretId: string;
  sealed: string;
}

/** The id of a webhook's next secret; the newest one signs. */
export const newSecretId = (): string => idAfter(null);

/** Those of a webhook's secrets that sign at `now`, newest first: the last one, and those replaced since `overlapFrom`. */
export const signingSecrets = (
  warehouse: Warehouse,
  orgId: string,
  webhookId: string,
  overlapFrom: Date,
): Promise<SealedSecret[]> =>
  warehouse.query<{ secretId: string; sealed: string }>(
    `SELECT secret_id AS "secretId", sealed_secret AS sealed FROM webhook_secrets
     WHERE org_id = $org AND webhook_id = $webhook
     QUALIFY COALESCE(lead(created_at) OVER (ORDER BY secret_id) > $overlap::TIMESTAMP, true)
     ORDER BY secret_id DESC`,
    { org: orgId, webhook: webhookId, overlap: overlapFrom.toISOString() },
  );

const insertSecret = (
  session: Session,
  orgId: string,
  webhookId: string,
  { secretId, sealed }: SealedSecret,
  now: Date,
) =>
  session.run(
    `INSERT INTO webhook_secrets BY NAME
      SELECT $org AS org_id, $webhook AS webhook_id, $secret::UUID AS secret_id, $sealed AS sealed_secret,
        $now::TIMESTAMP AS created_at`,
    { org: orgId, webhook: webhookId, secret: secretId, sealed, now: now.toISOString() },
  );

const insertVersion = (
  session: Session,
  orgId: string,
  { id, url, events, enabled, created_at }: Webhook,
  { newest, deleted, by }: { newest: string | null; deleted: boolean; by: WebhookChange },
) =>
  session.run(
    `INSERT INTO webhook_versions BY NAME
      SELECT $org AS org_id, $id AS webhook_id, $version::UUID AS version_id, $url AS url, $events AS events,
        $enabled::BOOLEAN AS enabled, $created_at::TIMESTAMP AS created_at, $deleted::BOOLEAN AS deleted,
        $now::TIMESTAMP AS changed_at, $key AS changed_by`,
    {
      org: orgId,
      id,
      url,
      events,
      enabled,
      created_at,
      version: idAfter(newest),
      deleted,
      now: by.now.toISOString(),
      key: by.actor.id,
    },
  );

/** A URL may hold a credential in its path or query: the log tells its host. */
const record = (
  session: Session,
  orgId: string,
  action: AuditAction,
  { id, url }: Webhook,
  detail: Record<string, unknown>,
  { actor, now }: WebhookChange,
) => audit(session, orgId, { actor, action, target: id, detail: { ...detail, url: new URL(url).host } }, now);
