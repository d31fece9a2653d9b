import { createHash } from 'node:crypto';
import type { EventType } from '../../domain/events/webhook.ts';
import type { Session } from '../engine/session.ts';
import { addDelivery } from './webhook-deliveries.ts';

/** Something that happened, to be told once. */
export interface NewEvent {
  type: EventType;
  /** What it is about, for people: `met_…/2026-01/above_target`. */
  subject: string;
  /** What makes it the same event when it is found again. */
  fact: string;
  data: Record<string, unknown>;
}

/** An event's id follows from its fact: told twice, it is still one event, under one id. */
const eventIdOf = (orgId: string, fact: string): string =>
  `evt_${createHash('sha256')
    .update(JSON.stringify([orgId, fact]))
    .digest('hex')
    .slice(0, 32)}`;

/**
 * Stores those of some events whose facts are new, each with its deliveries to the webhooks that want it; answers how
 * many were new. To be called in the transaction, and under the organisation's {@link eventsLock}, of what found them.
 */
export const addEvents = async (
  session: Session,
  orgId: string,
  events: readonly NewEvent[],
  now: Date,
): Promise<number> => {
  if (events.length === 0) return 0;
  const known = await knownFacts(
    session,
    orgId,
    events.map(({ fact }) => fact),
  );
  const added = events.filter(({ fact }) => !known.has(fact));
  const webhooks = await session.query<{ webhook_id: string; events: string[] }>(
    'SELECT webhook_id, events FROM webhooks WHERE org_id = $org AND enabled ORDER BY webhook_id',
    { org: orgId },
  );
  for (const event of added) {
    const eventId = await addEvent(session, orgId, event, now);
    for (const { webhook_id, events: wanted } of webhooks) {
      if (wanted.includes(event.type))
        await addDelivery(session, { orgId, webhookId: webhook_id, eventId }, now);
    }
  }
  return added.length;
};

/** Stores one event and answers its id; its deliveries are the caller's affair. */
export const addEvent = async (
  session: Session,
  orgId: string,
  { type, subject, fact, data }: NewEvent,
  now: Date,
): Promise<string> => {
  const eventId = eventIdOf(orgId, fact);
  const timestamp = now.toISOString();
  await session.run(
    `INSERT INTO event_log BY NAME
      SELECT $org AS org_id, $event AS event_id, $type AS type, $subject AS subject, $fact AS fact, $payload AS payload,
        $now::TIMESTAMP AS raised_at`,
    {
      org: orgId,
      event: eventId,
      type,
      subject,
      fact,
      payload: JSON.stringify({ type, timestamp, data }),
      now: timestamp,
    },
  );
  return eventId;
};

/** Under this name an organisation's events are found and stored, one evaluation after the other. */
export const eventsLock = (orgId: string): string => `events ${orgId}`;

const knownFacts = async (
  session: Session,
  orgId: string,
  facts: readonly string[],
): Promise<ReadonlySet<string>> => {
  const rows = await session.query<{ fact: string }>(
    'SELECT DISTINCT fact FROM event_log WHERE org_id = $org AND list_contains($facts, fact)',
    { org: orgId, facts },
  );
  return new Set(rows.map(({ fact }) => fact));
};
