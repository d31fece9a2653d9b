import { z } from 'zod';
import { DELIVERY_STATUSES, EVENT_TYPES } from '../../domain/events/webhook.ts';
import { instant } from '../http/fields.ts';

const URL_EXPECTED = 'expected an http or https URL of at most 2000 characters, without a user or password';

/** The URL that events are sent to. The route checks its host, because that needs the network. */
const url = z
  .string({ error: URL_EXPECTED })
  .max(2000, { error: URL_EXPECTED })
  .refine(
    (text) => {
      if (!URL.canParse(text)) return false;
      const { protocol, username, password } = new URL(text);
      return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
    },
    { error: URL_EXPECTED },
  );

const EVENTS_EXPECTED = `expected at least one of ${EVENT_TYPES.map((type) => JSON.stringify(type)).join(', ')}, each once`;
const events = z
  .array(z.enum(EVENT_TYPES), { error: EVENTS_EXPECTED })
  .min(1, { error: EVENTS_EXPECTED })
  .max(EVENT_TYPES.length, { error: EVENTS_EXPECTED })
  .refine((types) => new Set(types).size === types.length, { error: EVENTS_EXPECTED });

const enabled = z.boolean();

export const newWebhook = z.strictObject({
  url,
  events: events.default([...EVENT_TYPES]),
  enabled: enabled.default(true),
});

export const webhookChanges = z.strictObject({
  url: url.optional(),
  events: events.optional(),
  enabled: enabled.optional().describe('If false, the service sends nothing, and pending deliveries fail'),
  rotate_secret: z
    .literal(true, { error: 'expected true, or nothing' })
    .optional()
    .describe('Makes a new secret; for 24 hours deliveries are signed with both'),
});

const webhookFields = {
  id: z.string(),
  url: z.string(),
  events: z.array(z.enum(EVENT_TYPES)),
  enabled: z.boolean(),
  disabled_reason: z
    .string()
    .nullable()
    .describe('Why the service has disabled it; null if it has not, or if a person did'),
  problem: z
    .string()
    .nullable()
    .describe('What keeps the service from signing its deliveries, and the way out; null if nothing does'),
  created_at: instant,
};

export const webhookRecord = z.object(webhookFields).meta({ id: 'Webhook' });

const secret = z
  .string()
  .describe('Signs deliveries as Standard Webhooks specifies; shown in this answer only');

export const webhookWithSecret = z.object({ ...webhookFields, secret }).meta({ id: 'WebhookWithSecret' });

/** A changed webhook. It has the secret only if the secret was rotated. */
export const changedWebhook = z
  .object({ ...webhookFields, secret: secret.optional() })
  .meta({ id: 'ChangedWebhook' });

export const deliveryRecord = z
  .object({
    id: z.string(),
    event_id: z.string().describe('The header webhook-id: the same on every attempt'),
    type: z.enum(EVENT_TYPES),
    subject: z.string().describe('What the event is about'),
    payload: z.record(z.string(), z.unknown()),
    status: z.enum(DELIVERY_STATUSES),
    reason: z.string().nullable().describe('Why it has failed for good'),
    created_at: instant,
    attempts: z.array(
      z.object({
        at: instant,
        status_code: z.number().nullable(),
        error: z.string().nullable(),
        answer: z.string().nullable().describe('The first 1000 bytes of what the endpoint said'),
        retry_after: z
          .number()
          .nullable()
          .describe('How many seconds the endpoint asked to wait; at most 7200'),
      }),
    ),
  })
  .meta({ id: 'Delivery' });
