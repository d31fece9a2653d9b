import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { dayOf, monthOf } from '../../domain/shared/calendar.ts';
import { conflict } from '../../domain/shared/errors.ts';
import { resolveTarget } from '../../egress/requests/resolve-target.ts';
import { newId } from '../../warehouse/engine/sql/ids.ts';
import { addEvent, type NewEvent } from '../../warehouse/events/events.ts';
import { addDelivery, listDeliveries, type Delivery } from '../../warehouse/events/webhook-deliveries.ts';
import { createWebhook, WEBHOOKS, updateWebhook, type Webhook } from '../../warehouse/events/webhooks.ts';
import {
  SECRET_UNREADABLE,
  webhooksWithoutSecret,
  type NewSecret,
} from '../../warehouse/events/webhook-secrets.ts';
import { callerOf, changeBy } from '../access/authentication.ts';
import { requested } from '../access/requested.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { found } from '../http/found.ts';
import type { idParams } from '../http/fields.ts';
import { checkCursor, page, pageQuery } from '../http/paging.ts';
import { noBody, pageOf, success, successOf } from '../routes/bodies.ts';
import { route, tagged, type Asked, type AskedById } from '../routes/route.ts';
import {
  changedWebhook,
  deliveryRecord,
  newWebhook,
  webhookChanges,
  webhookRecord,
  webhookWithSecret,
} from './webhook-fields.ts';
import { without } from '../http/defined-fields.ts';

const SECRET_BYTES = 32;

const toWireDelivery = (delivery: Delivery): z.infer<typeof deliveryRecord> =>
  deliveryRecord.parse({
    id: `dlv_${delivery.deliveryId.replaceAll('-', '')}`,
    event_id: delivery.eventId,
    type: delivery.type,
    subject: delivery.subject,
    payload: JSON.parse(delivery.payload) as unknown,
    status: delivery.status,
    reason: delivery.reason,
    created_at: delivery.createdAt,
    attempts: delivery.attempts,
  });

/** Returns a test event: it looks like a real one, and says that it is a test. */
const testEvent = (webhook: Webhook, currency: string, now: Date): NewEvent => ({
  type: 'unit_cost.changed',
  subject: `${webhook.id}/test`,
  fact: `${webhook.id}/test/${randomUUID()}`,
  data: {
    metric_id: 'met_test',
    metric_name: 'Test',
    reason: 'above_target',
    period: monthOf(dayOf(now)),
    unit_cost: 1.5,
    target: 1,
    currency,
    unit: 'test',
    test: true,
  },
});

const makeSecret = (sealer: ApiDependencies['sealer']): NewSecret => ({
  secret: `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`,
  sealer,
});

/** Returns a function that adds to a webhook what keeps it from sending anything. */
async function problemsOf({ warehouse, sealer }: ApiDependencies, orgId: string) {
  const without = await webhooksWithoutSecret(warehouse, sealer, orgId);
  return (webhook: Webhook) => ({
    ...webhook,
    problem: without.has(webhook.id) ? SECRET_UNREADABLE : null,
  });
}

/** Throws for a URL that the service must not reach. Each delivery checks it again. */
async function checkTarget({ sourceRulesOf }: ApiDependencies, orgId: string, url: string): Promise<void> {
  await resolveTarget(sourceRulesOf(orgId).privateTargets, new URL(url).hostname, 'url');
}

function getWebhooks(request: Asked<{ query: typeof pageQuery }>, dependencies: ApiDependencies) {
  const { id: orgId } = callerOf(request).organisation;
  return page(
    request.query,
    z.string(),
    async (part) =>
      (await WEBHOOKS.list(dependencies.warehouse, orgId, part)).map(await problemsOf(dependencies, orgId)),
    ({ id }) => id,
  );
}

async function postWebhook(request: Asked<{ body: typeof newWebhook }>, dependencies: ApiDependencies) {
  const { warehouse, clock, sealer } = dependencies;
  const caller = callerOf(request);
  const orgId = caller.organisation.id;
  await checkTarget(dependencies, orgId, request.body.url);
  const made = makeSecret(sealer);
  const created = { id: newId('whk'), ...request.body };
  const by = changeBy(caller, clock.now());
  const webhook = await createWebhook(warehouse, orgId, created, made, by);
  return success({ ...webhook, problem: null, secret: made.secret });
}

async function patchWebhook(
  request: Asked<{ params: typeof idParams; body: typeof webhookChanges }>,
  dependencies: ApiDependencies,
) {
  const { warehouse, clock, sealer } = dependencies;
  const caller = callerOf(request);
  const orgId = caller.organisation.id;
  const { rotate_secret, ...fields } = request.body;
  if (fields.url !== undefined) await checkTarget(dependencies, orgId, fields.url);
  const made = rotate_secret === true ? makeSecret(sealer) : null;
  const update = { changes: without(fields, undefined), secret: made };
  const by = changeBy(caller, clock.now());
  const { id } = request.params;
  const webhook = found('webhook', id, await updateWebhook(warehouse, orgId, id, update, by));
  const withProblem = await problemsOf(dependencies, orgId);
  return success({ ...withProblem(webhook), ...(made === null ? {} : { secret: made.secret }) });
}

async function deleteWebhook(request: AskedById, { warehouse, clock }: ApiDependencies) {
  const caller = callerOf(request);
  const by = changeBy(caller, clock.now());
  const { id } = request.params;
  const orgId = caller.organisation.id;
  const webhook = found('webhook', id, await updateWebhook(warehouse, orgId, id, 'delete', by));
  return success({ ...webhook, problem: null });
}

async function postTest(request: AskedById, { warehouse, clock, orchestration }: ApiDependencies) {
  const { organisation } = callerOf(request);
  const webhook = await requested('webhook', WEBHOOKS, warehouse, request);
  if (!webhook.enabled) throw conflict('the webhook is disabled: enable it to send it a test event');
  const now = clock.now();
  const event = testEvent(webhook, organisation.currency, now);
  const delivery = await warehouse.transaction(async (session) => {
    const eventId = await addEvent(session, organisation.id, event, now);
    const added = { orgId: organisation.id, webhookId: webhook.id, eventId };
    await addDelivery(session, added, now);
    return added;
  });
  // The delivery is stored. If Temporal does not answer now, the next sweep starts it.
  await orchestration.startDelivery(delivery).catch((error: unknown) => {
    request.log.warn({ err: error }, 'the delivery of a test event could not be started yet');
  });
  const [written] = await listDeliveries(warehouse, organisation.id, webhook.id, {
    limit: 1,
    cursor: null,
    event: delivery.eventId,
  });
  if (written === undefined) throw new Error('the delivery of the test event is not there');
  return success(toWireDelivery(written));
}

async function getDeliveries(
  request: Asked<{ params: typeof idParams; query: typeof pageQuery }>,
  { warehouse }: ApiDependencies,
) {
  const { organisation } = callerOf(request);
  const webhook = await requested('webhook', WEBHOOKS, warehouse, request);
  const deliveries = await page(
    request.query,
    z.uuid(),
    (part) => listDeliveries(warehouse, organisation.id, webhook.id, { ...part, event: null }),
    ({ deliveryId }) => deliveryId,
  );
  return { ...deliveries, data: deliveries.data.map(toWireDelivery) };
}

/** `/webhooks`: the receivers of events, and their deliveries (docs/http.md#receive-events). */
export const webhookRoutes = tagged('Webhooks', [
  route('GET /webhooks', {
    access: 'admin',
    operationId: 'listWebhooks',
    summary: 'List webhooks',
    query: pageQuery,
    answer: pageOf(webhookRecord),
    handle: getWebhooks,
  }),
  route('POST /webhooks', {
    access: 'admin',
    operationId: 'createWebhook',
    summary: 'Create a webhook; its secret is shown this once',
    description: 'Its address must be public, unless the operator allows it (setting PRIVATE_TARGETS).',
    body: newWebhook,
    answer: successOf(webhookWithSecret),
    handle: postWebhook,
  }),
  route('PATCH /webhooks/:id', {
    access: 'admin',
    operationId: 'updateWebhook',
    summary: 'Change url, events or enabled, or rotate the secret',
    body: webhookChanges,
    answer: successOf(changedWebhook),
    handle: patchWebhook,
  }),
  route('DELETE /webhooks/:id', {
    access: 'admin',
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook; its pending deliveries fail',
    body: noBody,
    answer: successOf(webhookRecord),
    handle: deleteWebhook,
  }),
  route('POST /webhooks/:id/test', {
    access: 'admin',
    operationId: 'testWebhook',
    summary: 'Send a made-up event, whose data has test: true',
    errors: [409],
    body: noBody,
    answer: successOf(deliveryRecord),
    handle: postTest,
  }),
  route('GET /webhooks/:id/deliveries', {
    access: 'admin',
    operationId: 'listDeliveries',
    summary: 'What was delivered, newest first, with every attempt',
    query: pageQuery,
    answer: pageOf(deliveryRecord),
    check: ({ query }) => {
      checkCursor(query, z.uuid());
    },
    handle: getDeliveries,
  }),
]);
