import { createHash } from 'node:crypto';
import type { EventType, UnitCostChanged } from '../../domain/events/webhook.ts';
import type { Session } from '../engine/session.ts';
import { addDelivery } from './webhook-deliveries.ts';

/** An event to be raised exactly once. */
export interface NewEvent {
  type: EventType;
  /** The subject, for people: `met_…/2026-01/above_target`. */
  subject: string;
  /** The identity of the event: the same fact is the same event. */
  fact: string;
  data: UnitCostChanged;
}

/** Returns the id of an event. It follows from the fact, so that a repetition has the same id. */
const eventIdOf = (orgId: string, fact: string): string =>
  `evt_${createHash('sha256')
    .update(JSON.stringify([orgId, fact]))
    .digest('hex')
    .slice(0, 32)}`;

/**
 * Stores the events whose facts are new, each with its deliveries to the webhooks that subscribe to it. Returns how many were
 * new. Call it under {@link eventsLock}, in the transaction that found the events.
 */
export async function addEvents(
  session: Session,
  orgId: string,
  events: readonly NewEvent[],
  now: Date,
): Promise<number> {
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
}

/** Stores one event and returns its id. The caller adds its deliveries. */
export async function addEvent(
  session: Session,
  orgId: string,
  { type, subject, fact, data }: NewEvent,
  now: Date,
): Promise<string> {
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
}

/** The lock under which an organisation's events are found and stored. */
export const eventsLock = (orgId: string): string => `events ${orgId}`;

async function knownFacts(
  session: Session,
  orgId: string,
  facts: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await session.query<{ fact: string }>(
    'SELECT DISTINCT fact FROM event_log WHERE org_id = $org AND list_contains($facts, fact)',
    { org: orgId, facts },
  );
  return new Set(rows.map(({ fact }) => fact));
}
