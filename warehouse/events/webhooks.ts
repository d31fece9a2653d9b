import type { DeliveryInput, EventType } from '../../domain/events/webhook.ts';
import { Versions, type By, type ReadOnly } from '../engine/records/versioned-records.ts';
import type { Warehouse } from '../engine/warehouse.ts';
import { insertSecret, type NewSecret } from './webhook-secrets.ts';
import { failPendingDeliveries, recordAttempt, type DeliveryAttempt } from './webhook-deliveries.ts';

/** An endpoint that receives an organisation's events (docs/http.md#receive-events). */
export interface Webhook {
  id: string;
  url: string;
  events: EventType[];
  enabled: boolean;
  /** Why the service has disabled it; null if it has not, or if a person did. */
  disabled_reason: string | null;
  created_at: string;
}

const STORED = new Versions<Webhook>({
  name: 'webhook',
  view: 'webhooks',
  idColumn: 'webhook_id',
  columns: {
    url: 'VARCHAR',
    events: 'VARCHAR[]',
    enabled: 'BOOLEAN',
    disabled_reason: 'VARCHAR',
    created_at: 'TIMESTAMP',
  },
  locks: (_orgId, id) => [`webhook ${id}`],
  // The audit log keeps only the host, because the path or query of a URL may hold a credential.
  auditDetail: ({ url }, { disabled_reason: reason, ...fields }) => ({
    ...fields,
    ...(reason == null ? {} : { disabled_reason: reason }),
    url: new URL(url).host,
  }),
});

export const WEBHOOKS: ReadOnly<Webhook> = STORED;

/** Stores a new webhook with its secret, sealed. */
export function createWebhook(
  warehouse: Warehouse,
  orgId: string,
  { id, url, events, enabled }: Omit<Webhook, 'created_at' | 'disabled_reason'>,
  secret: NewSecret,
  by: By,
): Promise<Webhook> {
  const created = { id, url, events, enabled, disabled_reason: null, created_at: by.now.toISOString() };
  return STORED.locked(warehouse, orgId, id, async (session) => {
    await insertSecret(session, orgId, id, secret, by.now);
    return STORED.createIn(session, orgId, created, by);
  });
}

/** Returns the organisations with webhooks, for the start of the service. Never for a tenant. */
export async function organisationsWithWebhooks(warehouse: Warehouse): Promise<string[]> {
  const rows = await warehouse.query<{ org_id: string }>(
    'SELECT DISTINCT org_id FROM webhooks WHERE enabled ORDER BY org_id',
  );
  return rows.map(({ org_id }) => org_id);
}

/** A change of a webhook: of some fields, of its secret, or its deletion. */
export type WebhookUpdate =
  { changes: Partial<Pick<Webhook, 'url' | 'events' | 'enabled'>>; secret: NewSecret | null } | 'delete';

/**
 * Changes or deletes a webhook. Returns its new state (or its last), or null if there is no such webhook. If it is deleted or
 * disabled, its pending deliveries fail with that reason.
 */
export function updateWebhook(
  warehouse: Warehouse,
  orgId: string,
  webhookId: string,
  update: WebhookUpdate,
  by: By,
): Promise<Webhook | null> {
  const { changes, secret } = update === 'delete' ? { changes: update, secret: null } : update;
  // Whoever enables a webhook says that its endpoint is there again.
  const enables = changes !== 'delete' && changes.enabled === true;
  const stored = enables ? { ...changes, disabled_reason: null } : changes;
  const detail = secret === null ? undefined : { rotated_secret: true };
  return STORED.locked(warehouse, orgId, webhookId, async (session) => {
    const webhook = await STORED.changeIn(session, orgId, webhookId, stored, by, detail);
    if (webhook === null) return null;
    if (secret !== null) await insertSecret(session, orgId, webhookId, secret, by.now);
    const reason = changes === 'delete' ? WEBHOOK_GONE : webhook.enabled ? null : WEBHOOK_OFF;
    if (reason !== null) await failPendingDeliveries(session, orgId, webhookId, reason, by.now);
    return webhook;
  });
}

/**
 * Records an attempt that found the endpoint gone, disables the webhook, and fails its pending deliveries. One transaction does all,
 * so that a killed process leaves neither alone. Returns false, and changes nothing, if the webhook has another URL by now, is
 * disabled or deleted.
 *
 * @param url the URL that answered.
 */
export function disableGoneWebhook(
  warehouse: Warehouse,
  delivery: DeliveryInput,
  { url, attempt, reason, now }: { url: string; attempt: DeliveryAttempt; reason: string; now: Date },
): Promise<boolean> {
  const { orgId, webhookId } = delivery;
  return STORED.locked(warehouse, orgId, webhookId, async (session) => {
    const webhook = await STORED.find(session, orgId, webhookId);
    if (webhook?.enabled !== true || webhook.url !== url) return false;
    await recordAttempt(session, delivery, attempt);
    const by: By = { actor: { type: 'webhook', id: webhookId, name: new URL(url).host }, now };
    const changes = { enabled: false, disabled_reason: reason };
    await STORED.changeIn(session, orgId, webhookId, changes, by);
    await failPendingDeliveries(session, orgId, webhookId, reason, now);
    return true;
  });
}

export const WEBHOOK_GONE = 'the webhook was deleted';
export const WEBHOOK_OFF = 'the webhook was disabled';
