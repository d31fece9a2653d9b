import { expect, it } from 'vitest';
import type { DeliveryInput } from '../../../domain/events/webhook.ts';
import { newId } from '../../../warehouse/engine/sql/ids.ts';
import { addEvent, addEvents, type NewEvent } from '../../../warehouse/events/events.ts';
import {
  addDelivery,
  deliveriesToStart,
  endDelivery,
  findDelivery,
  listDeliveries,
  recordAttempt,
  recordDeliveryStart,
} from '../../../warehouse/events/webhook-deliveries.ts';
import {
  createWebhook,
  disableGoneWebhook,
  WEBHOOKS,
  updateWebhook,
  type Webhook,
} from '../../../warehouse/events/webhooks.ts';
import { signingSecrets, webhooksWithoutSecret } from '../../../warehouse/events/webhook-secrets.ts';
import { Sealer } from '../../../security/sealing.ts';
import { listAuditLog } from '../../../warehouse/engine/records/audit-log.ts';
import { removeOldDeliveries } from '../../../warehouse/engine/maintenance/maintenance.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { newOrganisation, NOW } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

const HOUR_MS = 3_600_000;
const later = (hours: number): Date => new Date(NOW.getTime() + hours * HOUR_MS);
const by = (now = NOW) => ({ actor: { type: 'key', id: 'key_1', name: 'Admin' }, now }) as const;
const PAGE = { limit: 100, cursor: null };
const ALL = { ...PAGE, event: null };

const data = {
  metric_id: 'met_1',
  metric_name: 'Orders',
  reason: 'above_target',
  period: '2026-01',
  unit_cost: 1.5,
  target: 1,
  currency: 'USD',
  unit: 'order',
} as const;
const event = (fact: string): NewEvent => ({
  type: 'unit_cost.changed',
  subject: fact,
  fact,
  data: { ...data, metric_name: fact },
});

const SEALER = new Sealer(Buffer.alloc(32));

describeOnBothEngines('webhooks', (open) => {
  const test = withOpened(open);

  const newHook = async (): Promise<{ orgId: string; webhook: Webhook }> => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    const fields = {
      id: newId('whk'),
      url: 'https://1.1.1.1/x?token=t',
      events: ['unit_cost.changed'],
      enabled: true,
    };
    const webhook = await createWebhook(
      test.warehouse,
      orgId,
      fields as Omit<Webhook, 'created_at' | 'disabled_reason'>,
      { secret: 'first', sealer: SEALER },
      by(),
    );
    return { orgId, webhook };
  };

  const add = (orgId: string, ...facts: string[]): Promise<number> =>
    test.warehouse.transaction((session) => addEvents(session, orgId, facts.map(event), NOW));

  const statuses = async (orgId: string, { id }: Webhook) =>
    (await listDeliveries(test.warehouse, orgId, id, ALL)).map(({ subject, status, reason }) => [
      subject,
      status,
      reason,
    ]);

  it('lose deliveries that ended long ago, and secrets that no longer sign', async () => {
    const { orgId, webhook } = await newHook();
    const { orgId: other, webhook: theirs } = await newHook();
    await add(orgId, 'delivered', 'pending');
    const [pending, delivered] = await listDeliveries(test.warehouse, orgId, webhook.id, ALL);
    const ended = { orgId, webhookId: webhook.id, eventId: delivered?.eventId ?? '' };
    await recordDeliveryStart(test.warehouse, ended, NOW);
    await recordAttempt(test.warehouse, ended, {
      at: NOW.toISOString(),
      status_code: 200,
      error: null,
      answer: 'ok',
      retry_after: null,
    });
    await endDelivery(test.warehouse, ended, { status: 'delivered', reason: null }, NOW);
    const rotated = { changes: {}, secret: { secret: 'second', sealer: SEALER } };
    await updateWebhook(test.warehouse, orgId, webhook.id, rotated, by());
    await updateWebhook(test.warehouse, other, theirs.id, 'delete', by());
    const after = (days: number) => new Date(NOW.getTime() + days * 86_400_000);
    const secrets = (id: string, organisation = orgId) =>
      signingSecrets(test.warehouse, SEALER, organisation, id, new Date(0));

    await removeOldDeliveries(test.warehouse, after(7));
    expect((await statuses(orgId, webhook)).map(([, status]) => status)).toEqual(['pending', 'delivered']);
    expect(await secrets(webhook.id)).toEqual(['second', 'first']);
    expect(await secrets(theirs.id, other)).toBeNull();

    await removeOldDeliveries(test.warehouse, after(91));
    expect(
      (await listDeliveries(test.warehouse, orgId, webhook.id, ALL)).map(({ eventId }) => eventId),
    ).toEqual([pending?.eventId]);
    expect(await secrets(webhook.id)).toEqual(['second']);
    expect(await removeOldDeliveries(test.warehouse, after(91))).toBe(0);
    expect(await add(orgId, 'delivered')).toBe(0); // the same fact raises no event again
  });

  it('are found, changed and deleted within their organisation', async () => {
    const { orgId, webhook } = await newHook();
    const other = await newHook();
    expect(await WEBHOOKS.list(test.warehouse, orgId, PAGE)).toEqual([webhook]);
    expect(await WEBHOOKS.find(test.warehouse, other.orgId, webhook.id)).toBeNull();
    expect(await updateWebhook(test.warehouse, other.orgId, webhook.id, 'delete', by())).toBeNull();
    const update = { changes: { enabled: false }, secret: null };
    expect(await updateWebhook(test.warehouse, orgId, webhook.id, update, by())).toEqual({
      ...webhook,
      enabled: false,
    });
    expect(await updateWebhook(test.warehouse, orgId, webhook.id, 'delete', by())).toMatchObject({
      id: webhook.id,
    });
    expect(await WEBHOOKS.find(test.warehouse, orgId, webhook.id)).toBeNull();
    expect(await WEBHOOKS.list(test.warehouse, orgId, PAGE)).toEqual([]);
  });

  it('sign with a replaced secret for one more day', async () => {
    const { orgId, webhook } = await newHook();
    const secrets = (now: Date) =>
      signingSecrets(test.warehouse, SEALER, orgId, webhook.id, new Date(now.getTime() - 24 * HOUR_MS));
    const rotate = (secret: string, now: Date, sealer = SEALER) => {
      const update = { changes: {}, secret: { secret, sealer } };
      return updateWebhook(test.warehouse, orgId, webhook.id, update, by(now));
    };
    expect(await secrets(later(1000))).toEqual(['first']);
    await rotate('second', later(1));
    expect(await secrets(later(1))).toEqual(['second', 'first']);
    await rotate('third', later(10));
    expect(await secrets(later(24.9))).toEqual(['third', 'second', 'first']);
    expect(await secrets(later(25))).toEqual(['third', 'second']);
    expect(await secrets(later(34))).toEqual(['third']);
  });

  it('sign nothing if the newest secret cannot be opened, until it is rotated', async () => {
    const { orgId, webhook } = await newHook();
    const healthy = await newHook();
    const both = new Sealer(Buffer.alloc(32, 1), Buffer.alloc(32));
    const [lost, rest] = [new Sealer(Buffer.alloc(32, 1)), both];
    const update = { changes: {}, secret: { secret: 'second', sealer: both } };
    await updateWebhook(test.warehouse, orgId, webhook.id, update, by(later(1)));
    const secrets = (sealer: Sealer) => signingSecrets(test.warehouse, sealer, orgId, webhook.id, later(0));
    expect(await secrets(rest)).toEqual(['second', 'first']);
    // A replaced secret is not needed.
    expect(await secrets(lost)).toEqual(['second']);
    expect(await secrets(SEALER)).toBeNull();
    expect(await webhooksWithoutSecret(test.warehouse, SEALER, orgId)).toEqual(new Set([webhook.id]));
    expect(await webhooksWithoutSecret(test.warehouse, SEALER, healthy.orgId)).toEqual(new Set());
  });

  it('get each event once, and never the same fact again', async () => {
    const { orgId, webhook } = await newHook();
    const other = await newHook();
    expect(await add(orgId, 'a', 'b')).toBe(2);
    expect(await add(orgId, 'a', 'b', 'c')).toBe(1);
    expect((await statuses(orgId, webhook)).map(([subject]) => subject)).toEqual(['c', 'b', 'a']);
    expect(await statuses(other.orgId, other.webhook)).toEqual([]);
    expect(await add(other.orgId, 'a')).toBe(1);
    // Two nodes that evaluate at once write the event twice. It stays one event with one delivery.
    for (let node = 0; node < 2; node++) {
      await test.warehouse.transaction(async (session) => {
        const eventId = await addEvent(session, orgId, event('d'), NOW);
        await addDelivery(session, { orgId, webhookId: webhook.id, eventId }, NOW);
      });
    }
    expect(await statuses(orgId, webhook)).toHaveLength(4);
    const [first] = await listDeliveries(test.warehouse, orgId, webhook.id, ALL);
    const part = await listDeliveries(test.warehouse, orgId, webhook.id, {
      ...ALL,
      cursor: first?.deliveryId ?? '',
    });
    expect(part.map(({ subject }) => subject)).toEqual(['c', 'b', 'a']);
  });

  it('have deliveries that end once, with all attempts', async () => {
    const { orgId, webhook } = await newHook();
    await add(orgId, 'a');
    const [pending] = await listDeliveries(test.warehouse, orgId, webhook.id, ALL);
    const delivery: DeliveryInput = { orgId, webhookId: webhook.id, eventId: pending?.eventId ?? '' };
    const state = await findDelivery(test.warehouse, delivery);
    expect(state?.status).toBe('pending');
    expect(JSON.parse(state?.payload ?? '')).toEqual({
      type: 'unit_cost.changed',
      timestamp: NOW.toISOString(),
      data: { ...data, metric_name: 'a' },
    });
    const failed = {
      at: NOW.toISOString(),
      status_code: null,
      error: 'away',
      answer: null,
      retry_after: null,
    };
    const taken = {
      at: later(1).toISOString(),
      status_code: 200,
      error: null,
      answer: 'a\0b\u0007\ufffd\r\n',
      retry_after: null,
    };
    await recordAttempt(test.warehouse, delivery, failed);
    await endDelivery(test.warehouse, delivery, { status: 'delivered', reason: null }, later(1), taken);
    await endDelivery(test.warehouse, delivery, { status: 'delivered', reason: null }, later(2));
    await test.warehouse.transaction((session) => addDelivery(session, delivery, later(3))); // a late node
    const [ended] = await listDeliveries(test.warehouse, orgId, webhook.id, ALL);
    expect(ended).toMatchObject({
      deliveryId: pending?.deliveryId,
      status: 'delivered',
      attempts: [failed, taken],
    });
    expect(await findDelivery(test.warehouse, { ...delivery, orgId: 'org_none' })).toBeNull();
  });

  it('list deliveries as not started until their start is recorded', async () => {
    const { orgId, webhook } = await newHook();
    await add(orgId, 'a', 'b', 'c');
    const [first, second, third] = await deliveriesToStart(test.warehouse, orgId, false);
    if (first === undefined || second === undefined || third === undefined) throw new Error('expected three');
    await recordDeliveryStart(test.warehouse, first, NOW);
    await endDelivery(test.warehouse, second, { status: 'failed', reason: 'x' }, NOW);
    expect(await deliveriesToStart(test.warehouse, orgId, false)).toEqual([third]);
    expect(await deliveriesToStart(test.warehouse, orgId, true)).toEqual([first, third]);
    expect(first).toMatchObject({ orgId, webhookId: webhook.id });
  });

  it('are disabled with a reason once their endpoint is gone, until somebody enables them', async () => {
    const { orgId, webhook } = await newHook();
    await add(orgId, 'a', 'b');
    const [delivery] = await deliveriesToStart(test.warehouse, orgId, false);
    if (delivery === undefined) throw new Error('expected two deliveries');
    const reason = 'the endpoint answered 410 Gone';
    const attempt = {
      at: NOW.toISOString(),
      status_code: 410,
      error: 'answered 410',
      answer: 'moved',
      retry_after: null,
    };
    const found = { url: webhook.url, attempt, reason, now: NOW };
    // The answer came from a URL that the webhook had before, so that it says nothing of the new one.
    expect(await disableGoneWebhook(test.warehouse, delivery, { ...found, url: 'https://1.1.1.1/old' })).toBe(
      false,
    );
    expect(await WEBHOOKS.find(test.warehouse, orgId, webhook.id)).toEqual(webhook);

    expect(await disableGoneWebhook(test.warehouse, delivery, found)).toBe(true);
    expect(await WEBHOOKS.find(test.warehouse, orgId, webhook.id)).toEqual({
      ...webhook,
      enabled: false,
      disabled_reason: reason,
    });
    const [second, first] = await listDeliveries(test.warehouse, orgId, webhook.id, ALL);
    expect([first, second]).toMatchObject([
      { subject: 'a', status: 'failed', reason, attempts: [attempt] },
      { subject: 'b', status: 'failed', reason, attempts: [] },
    ]);
    // The other attempt in flight finds it disabled.
    expect(await disableGoneWebhook(test.warehouse, delivery, found)).toBe(false);
    const { items } = await listAuditLog(test.warehouse, orgId, PAGE);
    expect(items[0]).toMatchObject({
      actor: { type: 'webhook', id: webhook.id, name: '1.1.1.1' },
      action: 'webhook.update',
      detail: { enabled: false, disabled_reason: reason, url: '1.1.1.1' },
    });

    const change = (changes: object) =>
      updateWebhook(test.warehouse, orgId, webhook.id, { changes, secret: null }, by());
    expect(await change({ enabled: false })).toMatchObject({ enabled: false, disabled_reason: reason });
    expect(await change({ enabled: true })).toEqual(webhook);
    expect(await change({ enabled: false })).toMatchObject({ enabled: false, disabled_reason: null });
  });

  it('fail pending deliveries when they are disabled or deleted, and get no events meanwhile', async () => {
    const { orgId, webhook } = await newHook();
    await add(orgId, 'a');
    const change = (enabled: boolean) =>
      updateWebhook(test.warehouse, orgId, webhook.id, { changes: { enabled }, secret: null }, by());
    await change(false);
    expect(await add(orgId, 'b')).toBe(1);
    await change(true);
    await add(orgId, 'c');
    expect(await statuses(orgId, webhook)).toEqual([
      ['c', 'pending', null],
      ['a', 'failed', 'the webhook was disabled'],
    ]);
    await updateWebhook(test.warehouse, orgId, webhook.id, 'delete', by());
    expect(await statuses(orgId, webhook)).toMatchObject([
      ['c', 'failed', 'the webhook was deleted'],
      ['a', 'failed', 'the webhook was disabled'],
    ]);
  });
});
