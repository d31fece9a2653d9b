import type { DeliveryInput, DeliveryStatus } from '../../domain/events/webhook.ts';
import { idAfter } from '../engine/sql/ids.ts';
import { instant } from '../engine/sql/instant.ts';
import type { Session } from '../engine/session.ts';
import type { Warehouse } from '../engine/warehouse.ts';

export interface DeliveryAttempt {
  at: string;
  /** The HTTP status of the answer; null without an answer. */
  status_code: number | null;
  /** What went wrong, in words; null for a success. */
  error: string | null;
  /** The first characters of the answer's body; null without an answer. */
  answer: string | null;
  /** How many seconds the endpoint asked to wait; null if it did not ask. */
  retry_after: number | null;
}

export interface Delivery {
  /** A time-ordered id. */
  deliveryId: string;
  eventId: string;
  type: string;
  subject: string;
  payload: string;
  status: DeliveryStatus;
  reason: string | null;
  createdAt: string;
  attempts: DeliveryAttempt[];
}

export interface DeliveryState {
  status: DeliveryStatus;
  payload: string;
}

/** Returns the parameters that name a delivery: `$org`, `$webhook` and `$event`. */
const idsOf = ({ orgId, webhookId, eventId }: DeliveryInput) => ({
  org: orgId,
  webhook: webhookId,
  event: eventId,
});

/** Adds a pending delivery of an event to a webhook, in the transaction that stores the event. */
export const addDelivery = (session: Session, delivery: DeliveryInput, now: Date) =>
  insertState(session, delivery, { status: 'pending', reason: null }, null, now);

/** Returns the delivery of an event to a webhook, or null if there is none. */
export async function findDelivery(
  warehouse: Warehouse,
  delivery: DeliveryInput,
): Promise<DeliveryState | null> {
  const [row] = await warehouse.query<DeliveryState>(
    `SELECT status, payload FROM webhook_deliveries JOIN events USING (org_id, event_id)
     WHERE org_id = $org AND webhook_id = $webhook AND event_id = $event`,
    idsOf(delivery),
  );
  return row ?? null;
}

/**
 * Records the end of a delivery, unless it has this status already. If a delivery is set to failed during an attempt that then
 * succeeds, it becomes delivered. The attempt that ends it is stored with the end, so that neither is ever seen alone.
 */
export const endDelivery = (
  warehouse: Warehouse,
  delivery: DeliveryInput,
  end: { status: 'delivered' | 'failed'; reason: string | null },
  now: Date,
  attempt: DeliveryAttempt | null = null,
): Promise<void> =>
  warehouse.lockedTransaction([`delivery ${delivery.eventId} ${delivery.webhookId}`], async (session) => {
    if (attempt !== null) await recordAttempt(session, delivery, attempt);
    const [current] = await session.query<{ status: DeliveryStatus; state_id: string }>(
      `SELECT status, state_id FROM webhook_deliveries
         WHERE org_id = $org AND webhook_id = $webhook AND event_id = $event`,
      idsOf(delivery),
    );
    if (current === undefined || current.status === end.status) return;
    await insertState(session, delivery, end, current.state_id, now);
  });

/** Ends all pending deliveries to a webhook as failed. */
export const failPendingDeliveries = (
  session: Session,
  orgId: string,
  webhookId: string,
  reason: string,
  now: Date,
) =>
  session.run(
    `INSERT INTO webhook_delivery_states BY NAME
      SELECT org_id, webhook_id, event_id, uuidv7() AS state_id, 'failed' AS status, $reason AS reason,
        $now::TIMESTAMP AS changed_at
      FROM webhook_deliveries WHERE org_id = $org AND webhook_id = $webhook AND status = 'pending'`,
    { org: orgId, webhook: webhookId, reason, now: now.toISOString() },
  );

const insertState = (
  session: Session,
  delivery: DeliveryInput,
  end: { status: DeliveryStatus; reason: string | null },
  newestStateId: string | null,
  now: Date,
) =>
  session.run(
    `INSERT INTO webhook_delivery_states BY NAME
      SELECT $org AS org_id, $webhook AS webhook_id, $event AS event_id, $state::UUID AS state_id, $status AS status,
        $reason AS reason, $now::TIMESTAMP AS changed_at`,
    { ...idsOf(delivery), ...end, state: idAfter(newestStateId), now: now.toISOString() },
  );

export async function recordAttempt(
  session: Pick<Session, 'run'>,
  delivery: DeliveryInput,
  attempt: DeliveryAttempt,
): Promise<void> {
  await session.run(
    `INSERT INTO webhook_attempts BY NAME
      SELECT $org AS org_id, $webhook AS webhook_id, $event AS event_id, $attempt::UUID AS attempt_id,
        $at::TIMESTAMP AS attempted_at, $status_code::INTEGER AS status_code, $error AS error, $answer AS answer,
        $retry_after::INTEGER AS retry_after`,
    { ...idsOf(delivery), ...attempt, attempt: idAfter(null) },
  );
}

/**
 * Returns an organisation's pending deliveries whose workflow has not been started. With `again` it returns all pending
 * deliveries, because Temporal may have lost the workflows of some.
 */
export async function deliveriesToStart(
  warehouse: Warehouse,
  orgId: string,
  again: boolean,
): Promise<DeliveryInput[]> {
  const rows = await warehouse.query<{ webhook_id: string; event_id: string }>(
    `SELECT webhook_id, event_id FROM webhook_deliveries AS deliveries
     WHERE org_id = $org AND status = 'pending'
       AND ($again OR NOT EXISTS (FROM webhook_delivery_starts AS starts WHERE starts.org_id = deliveries.org_id
         AND starts.webhook_id = deliveries.webhook_id AND starts.event_id = deliveries.event_id))
     ORDER BY delivery_id`,
    { org: orgId, again },
  );
  return rows.map(({ webhook_id, event_id }) => ({ orgId, webhookId: webhook_id, eventId: event_id }));
}

/** Records the start of a delivery's workflow. */
export async function recordDeliveryStart(
  warehouse: Warehouse,
  delivery: DeliveryInput,
  now: Date,
): Promise<void> {
  await warehouse.run(
    `INSERT INTO webhook_delivery_starts BY NAME
      SELECT $org AS org_id, $webhook AS webhook_id, $event AS event_id, $now::TIMESTAMP AS started_at`,
    { ...idsOf(delivery), now: now.toISOString() },
  );
}

/**
 * Returns the deliveries of a webhook, newest first: only those older than the delivery `cursor`, and only of `event`, unless
 * these are null. The attempts of each delivery are oldest first.
 */
export async function listDeliveries(
  warehouse: Warehouse,
  orgId: string,
  webhookId: string,
  page: { limit: number; cursor: string | null; event: string | null },
): Promise<Delivery[]> {
  const rows = await warehouse.query<
    Omit<Delivery, 'attempts'> & {
      attempts: (Omit<DeliveryAttempt, 'at'> & { attempted_at: string })[] | null;
    }
  >(LIST_DELIVERIES, { org: orgId, webhook: webhookId, ...page });
  return rows.map(({ attempts, createdAt, ...row }) => ({
    ...row,
    createdAt: instant(createdAt),
    attempts: (attempts ?? []).map(({ attempted_at, ...attempt }) => ({
      at: instant(attempted_at),
      ...attempt,
    })),
  }));
}

const LIST_DELIVERIES = `
WITH deliveries AS (
  SELECT * FROM webhook_deliveries
  WHERE org_id = $org AND webhook_id = $webhook AND event_id = coalesce($event, event_id)
    AND delivery_id < coalesce($cursor::UUID, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::UUID)
  ORDER BY delivery_id DESC LIMIT $limit),
attempts AS (
  SELECT event_id, list({'attempted_at': attempted_at, 'status_code': status_code, 'error': error, 'answer': answer,
    'retry_after': retry_after} ORDER BY attempt_id) AS attempts
  FROM webhook_attempts WHERE org_id = $org AND webhook_id = $webhook AND event_id IN (SELECT event_id FROM deliveries)
  GROUP BY event_id)
SELECT delivery_id AS "deliveryId", event_id AS "eventId", type, subject, payload, status, reason, created_at AS "createdAt",
  attempts
FROM deliveries JOIN events USING (org_id, event_id) LEFT JOIN attempts USING (event_id)
ORDER BY delivery_id DESC`;
