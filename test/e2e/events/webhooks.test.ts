import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Webhook as Verifier } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { workflowIdOf } from '../../../workflows/contract.ts';
import { as, newOrganisation, waitFor, type Api } from '../../support/service/api-client.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { anyText, textLike } from '../../support/service/matchers.ts';
import { withService } from '../../support/service/with-service.ts';
import { someOf, THOROUGH } from '../../support/effort.ts';
import { openTemporal } from '../../support/service/temporal-client.ts';
import { newReceiver, type Received, type WebhookReceiver } from '../../support/fakes/webhook-receiver.ts';

/** Subscription, delivery, signing and retry of webhooks, with endpoints that work and endpoints that fail. */

const NOW = '2026-02-07T06:00:00Z';
const SETTINGS = { CLOCK: NOW, PRIVATE_TARGETS: '127.0.0.1', WEBHOOK_TIMEOUT: '1' };

interface Webhook {
  id: string;
  secret: string;
}
interface Delivery {
  id: string;
  event_id: string;
  subject: string;
  status: string;
  reason: string | null;
  payload: unknown;
  attempts: { at: string; status_code: number | null; error: string | null; answer: string | null }[];
}

const service = withService(SETTINGS);
let receiver: WebhookReceiver;
let organisation: { id: string; secret: string; admin: Api };
const secrets: string[] = [];

/** Makes an organisation with one webhook, to its own endpoint. */
async function newSubscription(): Promise<{ admin: Api; webhook: Webhook; receiver: WebhookReceiver }> {
  organisation = await newOrganisation(service);
  receiver = await newReceiver();
  const created = await organisation.admin.post<Webhook>('/webhooks', { url: receiver.url });
  const webhook = expectData(created);
  secrets.push(webhook.secret);
  return { admin: organisation.admin, webhook, receiver };
}

const sendTest = async (admin: Api, { id }: Webhook): Promise<Delivery> =>
  expectData(await admin.post<Delivery>(`/webhooks/${id}/test`));

const deliveriesOf = async (admin: Api, { id }: Webhook): Promise<Delivery[]> =>
  expectPage(await admin.get<Delivery[]>(`/webhooks/${id}/deliveries`)).items;

/** Waits for the delivery of an event that fits, and returns it. */
const deliveryThat = (
  admin: Api,
  webhook: Webhook,
  eventId: string,
  fits: (delivery: Delivery) => boolean,
): Promise<Delivery> =>
  waitFor(async () =>
    (await deliveriesOf(admin, webhook)).find((each) => each.event_id === eventId && fits(each)),
  );

const isDelivered = ({ status }: Delivery): boolean => status === 'delivered';

const verified = (secret: string, { body, headers }: Received): unknown =>
  new Verifier(secret).verify(body, headers as Record<string, string>);

describe('a webhook', () => {
  it('can be made, listed, changed and deleted, and shows its secret once', async () => {
    const { admin } = await newOrganisation(service);
    const created = await admin.post<Webhook>('/webhooks', { url: 'https://1.1.1.1/hook' });
    const { secret, ...webhook } = expectData(created);
    secrets.push(secret);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(webhook).toEqual({
      id: textLike(/^whk_[0-9a-f]{32}$/),
      url: 'https://1.1.1.1/hook',
      events: ['unit_cost.changed'],
      enabled: true,
      disabled_reason: null,
      problem: null,
      created_at: '2026-02-07T06:00:00.000Z',
    });
    expect(expectPage(await admin.get<unknown[]>('/webhooks')).items).toEqual([webhook]);
    const changed = { url: 'http://8.8.8.8:8080/x', enabled: false };
    expect(expectData(await admin.patch(`/webhooks/${webhook.id}`, changed))).toEqual({
      ...webhook,
      ...changed,
    });
    expectError(await admin.post(`/webhooks/${webhook.id}/test`), 409, /disabled/);
    expect(expectData(await admin.delete(`/webhooks/${webhook.id}`))).toEqual({ ...webhook, ...changed });
    expect(expectPage(await admin.get<unknown[]>('/webhooks')).items).toEqual([]);
    expectError(await admin.get(`/webhooks/${webhook.id}/deliveries`), 404, new RegExp(webhook.id));
    expectError(await admin.post(`/webhooks/${webhook.id}/test`), 404);
    const log = expectPage(await admin.get<{ action: string; target: string }[]>('/audit-log')).items;
    expect(log.filter(({ target }) => target === webhook.id).map(({ action }) => action)).toEqual([
      'webhook.delete',
      'webhook.update',
      'webhook.create',
    ]);
  });

  it('is rejected with a forbidden or invalid address', async () => {
    const { admin } = await newOrganisation(service);
    const id = expectData(await admin.post<Webhook>('/webhooks', { url: 'https://1.1.1.1/' })).id;
    for (const url of [
      'http://127.0.0.2/',
      'http://localhost.localdomain:1/',
      'http://10.1.2.3/',
      'https://169.254.169.254/latest/meta-data',
      'http://[::1]/',
      'http://0x7f000002/',
    ]) {
      expectError(await admin.post('/webhooks', { url }), 400, /^url: /);
      expectError(await admin.patch(`/webhooks/${id}`, { url }), 400, /^url: /);
    }
    expectError(await admin.post('/webhooks', { url: 'http://192.168.1.1/' }), 400, /PRIVATE_TARGETS/);
    for (const url of ['ftp://1.1.1.1/', 'nonsense', '', 3, null, 'https://user:pass@1.1.1.1/']) {
      expectError(await admin.post('/webhooks', { url }), 400, /^url: expected/);
    }
    for (const events of [[], ['month.locked'], ['unit_cost.changed', 'unit_cost.changed'], 'all']) {
      expectError(await admin.post('/webhooks', { url: 'https://1.1.1.1/', events }), 400, /^events/);
    }
    expectError(await admin.patch(`/webhooks/${id}`, { rotate_secret: false }), 400, /^rotate_secret/);
    expect(expectPage(await admin.get<unknown[]>('/webhooks')).items).toHaveLength(1);
  });
});

describe('a delivery', () => {
  it('has a signed payload that the standardwebhooks library verifies', async () => {
    const { admin, webhook, receiver } = await newSubscription();
    const test = await sendTest(admin, webhook);
    expect(test).toMatchObject({ id: textLike(/^dlv_/), event_id: textLike(/^evt_/), reason: null });
    const delivery = await deliveryThat(admin, webhook, test.event_id, isDelivered);
    expect(delivery.attempts).toEqual([
      {
        at: '2026-02-07T06:00:00.000Z',
        status_code: 200,
        error: null,
        answer: 'thank you',
        retry_after: null,
      },
    ]);
    const [sent] = receiver.received;
    if (sent === undefined) throw new Error('nothing was received');
    expect(sent.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': textLike(/^cost-analytics\//),
      'webhook-id': test.event_id,
    });
    expect(verified(webhook.secret, sent)).toEqual(delivery.payload);
    expect(delivery.payload).toEqual({
      type: 'unit_cost.changed',
      timestamp: '2026-02-07T06:00:00.000Z',
      data: {
        metric_id: 'met_test',
        metric_name: 'Test',
        reason: 'above_target',
        period: '2026-02',
        unit_cost: 1.5,
        target: 1,
        currency: 'USD',
        unit: 'test',
        test: true,
      },
    });
    expect(() => verified('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=', sent)).toThrow();
    await receiver.close();
  });

  it('is retried until the endpoint accepts it, after errors, time-outs, redirects and an outage', async () => {
    const { admin, webhook, receiver } = await newSubscription();
    receiver.answer((response) => {
      response.writeHead(503).end('x'.repeat(5000));
    });
    const { event_id } = await sendTest(admin, webhook);
    const failing = await deliveryThat(admin, webhook, event_id, ({ attempts }) => attempts.length >= 1);
    expect(failing).toMatchObject({ status: 'pending', reason: null });
    expect(failing.attempts[0]).toEqual({
      at: anyText,
      status_code: 503,
      error: 'answered 503',
      answer: 'x'.repeat(1000),
      retry_after: null,
    });
    // Each attempt waits twice as long as the one before.
    const failures: [fail: () => unknown, attempt: object][] = [
      [
        () => {
          receiver.answer(() => undefined);
        },
        { status_code: null, error: textLike(/did not answer within 1 s/) },
      ],
      [
        () => {
          receiver.answer((response) => {
            response.writeHead(302, { location: `${receiver.url}&elsewhere` }).end();
          });
        },
        { status_code: 302, error: textLike(/redirect .*not followed/) },
      ],
      [() => receiver.close(), { status_code: null, error: textLike(/cannot be reached/) }],
    ];
    const chosen = someOf(failures, 2);
    for (const [index, [fail, attempt]] of chosen.entries()) {
      await fail();
      const { attempts } = await deliveryThat(
        admin,
        webhook,
        event_id,
        (delivery) => delivery.attempts.length >= index + 2,
      );
      expect(attempts[index + 1]).toMatchObject(attempt);
    }
    await receiver.close();
    receiver.answer((response) => response.end());
    await receiver.open();
    const delivered = await deliveryThat(admin, webhook, event_id, isDelivered);
    expect(delivered.attempts.length).toBeGreaterThanOrEqual(chosen.length + 2);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([event_id]),
    );
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(receiver.received.map(({ path }) => path)).not.toContain(textLike(/elsewhere/));
    for (const received of receiver.received) verified(webhook.secret, received);
    await receiver.close();
  });

  it('is signed with both secrets for a day after a rotation', async () => {
    const { admin, webhook, receiver } = await newSubscription();
    const rotated = expectData(
      await admin.patch<Webhook>(`/webhooks/${webhook.id}`, { rotate_secret: true }),
    );
    secrets.push(rotated.secret);
    expect(rotated.secret).not.toBe(webhook.secret);
    const { event_id } = await sendTest(admin, webhook);
    await deliveryThat(admin, webhook, event_id, isDelivered);
    const [sent] = receiver.received;
    if (sent === undefined) throw new Error('nothing was received');
    expect(sent.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    expect(verified(rotated.secret, sent)).toEqual(verified(webhook.secret, sent));
    await receiver.close();
  });

  it('that is pending fails with a reason if its webhook is disabled', async () => {
    const { admin, webhook, receiver } = await newSubscription();
    receiver.answer((response) => response.writeHead(500).end());
    const { event_id } = await sendTest(admin, webhook);
    await deliveryThat(admin, webhook, event_id, ({ attempts }) => attempts.length >= 1);
    expectData(await admin.patch(`/webhooks/${webhook.id}`, { enabled: false }));
    const [delivery] = await deliveriesOf(admin, webhook);
    expect(delivery).toMatchObject({ status: 'failed', reason: 'the webhook was disabled' });
    const temporal = await openTemporal(service.dataDir);
    const ids = { orgId: organisation.id, webhookId: webhook.id, eventId: event_id };
    expect(await temporal.client.workflow.getHandle(workflowIdOf('deliverWebhook', ids)).result()).toBe(
      'failed',
    );
    await temporal.close();
    await receiver.close();
  });

  it('waits as long as its endpoint asks, at most two hours', async () => {
    const { admin, webhook, receiver } = await newSubscription();
    receiver.answer((response) => response.writeHead(429, { 'retry-after': '86400' }).end());
    const { event_id } = await sendTest(admin, webhook);
    const waiting = await deliveryThat(admin, webhook, event_id, ({ attempts }) => attempts.length >= 1);
    expect(waiting).toMatchObject({
      status: 'pending',
      attempts: [{ status_code: 429, error: 'answered 429', retry_after: 7_200 }],
    });
    const temporal = await openTemporal(service.dataDir);
    const ids = { orgId: organisation.id, webhookId: webhook.id, eventId: event_id };
    const workflow = temporal.client.workflow.getHandle(workflowIdOf('deliverWebhook', ids));
    const interval = await waitFor(async () => {
      const { raw } = await workflow.describe();
      return raw.pendingActivities?.[0]?.currentRetryInterval ?? undefined;
    });
    expect(Number(interval.seconds)).toBe(7_200);
    await workflow.cancel();
    await temporal.close();
    await receiver.close();
  });

  it('disables its webhook with a reason, and has no further attempt, if the endpoint is gone', async () => {
    const { admin, webhook, receiver } = await newSubscription();
    receiver.answer((response) => response.writeHead(410).end('gone'));
    const { event_id } = await sendTest(admin, webhook);
    const reason = textLike(/answered 410 Gone/);
    const failed = await deliveryThat(admin, webhook, event_id, ({ status }) => status === 'failed');
    expect(failed).toMatchObject({
      reason,
      attempts: [{ status_code: 410, error: 'answered 410', answer: 'gone' }],
    });
    const temporal = await openTemporal(service.dataDir);
    const ids = { orgId: organisation.id, webhookId: webhook.id, eventId: event_id };
    expect(await temporal.client.workflow.getHandle(workflowIdOf('deliverWebhook', ids)).result()).toBe(
      'failed',
    );
    await temporal.close();
    expect(expectPage(await admin.get<unknown[]>('/webhooks')).items).toMatchObject([
      { id: webhook.id, enabled: false, disabled_reason: reason },
    ]);
    expectError(await admin.post(`/webhooks/${webhook.id}/test`), 409, /disabled/);
    // Whoever enables it again gets the next event.
    receiver.answer((response) => response.end());
    expect(expectData(await admin.patch(`/webhooks/${webhook.id}`, { enabled: true }))).toMatchObject({
      enabled: true,
      disabled_reason: null,
    });
    const { event_id: next } = await sendTest(admin, webhook);
    await deliveryThat(admin, webhook, next, isDelivered);
    expect(receiver.received).toHaveLength(2);
    await receiver.close();
  });

  it('is retried for three days at intervals of up to two hours, or until it is cancelled', async () => {
    const { admin, webhook, receiver } = await newSubscription();
    receiver.answer((response) => response.writeHead(500).end());
    const { event_id } = await sendTest(admin, webhook);
    await deliveryThat(admin, webhook, event_id, ({ attempts }) => attempts.length >= 1);
    const temporal = await openTemporal(service.dataDir);
    const ids = { orgId: organisation.id, webhookId: webhook.id, eventId: event_id };
    const workflow = temporal.client.workflow.getHandle(workflowIdOf('deliverWebhook', ids));
    const { events } = await workflow.fetchHistory();
    const attempts = events
      ?.map((event) => event.activityTaskScheduledEventAttributes)
      .find((found) => found);
    const seconds = (duration: { seconds?: unknown } | null | undefined) => Number(duration?.seconds);
    expect([
      seconds(attempts?.scheduleToCloseTimeout),
      seconds(attempts?.retryPolicy?.initialInterval),
      seconds(attempts?.retryPolicy?.maximumInterval),
      attempts?.retryPolicy?.maximumAttempts ?? 0,
    ]).toEqual([3 * 86_400, 1, 7_200, 0]);
    await workflow.cancel();
    const cancelled = await deliveryThat(admin, webhook, event_id, ({ status }) => status === 'failed');
    expect(cancelled.reason).toBe('the delivery was cancelled in Temporal');
    await temporal.close();
    await receiver.close();
  });

  it('survives SIGKILL while its endpoint fails, redirects and hangs, and arrives under its event id', async () => {
    const { admin, webhook, receiver } = await newSubscription();
    let turn = 0;
    receiver.answer((response) => {
      turn += 1;
      if (turn % 3 === 1) response.writeHead(500).end();
      else if (turn % 3 === 2) response.writeHead(302, { location: `${receiver.url}&elsewhere` }).end();
      // Every third request gets no answer at all.
    });
    const events: string[] = [];
    for (let index = 0; index < 5; index++) events.push((await sendTest(admin, webhook)).event_id);
    for (const requests of someOf([5, 10], 1)) {
      await waitFor(async () => (receiver.received.length >= requests ? true : undefined));
      await service.kill();
      await service.start();
    }
    receiver.answer((response) => response.end());
    const again = as(service, organisation.secret);
    for (const event of events) await deliveryThat(again, webhook, event, isDelivered);
    const arrived = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(arrived)).toEqual(new Set(events));
    expect(await deliveriesOf(again, webhook)).toHaveLength(5);
    await receiver.close();
  });

  it.runIf(THOROUGH)('is not sent once the operator no longer allows its private target', async () => {
    const { admin, webhook, receiver } = await newSubscription();
    receiver.answer((response) => response.writeHead(500).end());
    const { event_id } = await sendTest(admin, webhook);
    await deliveryThat(admin, webhook, event_id, ({ attempts }) => attempts.length >= 1);
    expect(await service.stop()).toBe(0);
    await service.start({ ...SETTINGS, PRIVATE_TARGETS: '' });
    receiver.answer((response) => response.end());
    const [before, later] = [receiver.received.length, as(service, organisation.secret)];
    const refused = await deliveryThat(later, webhook, event_id, ({ attempts }) =>
      attempts.some(({ error }) => error?.includes('PRIVATE_TARGETS') === true),
    );
    expect(refused.status).toBe('pending');
    expect(receiver.received).toHaveLength(before);
    await service.stop();
    await service.start(SETTINGS);
    await deliveryThat(as(service, organisation.secret), webhook, event_id, isDelivered);
    await receiver.close();
  });
});

describe('secrets', () => {
  it('are sealed with a key that only the owner of the process can read', async () => {
    const file = join(service.dataDir, 'master.key');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(Buffer.from(await readFile(file, 'utf8'), 'base64')).toHaveLength(32);
  });

  it('appear in no log, file or history, because workflows have only ids', async () => {
    await service.stop();
    const files = ['warehouse.duckdb', 'temporal.db', 'temporal.log'];
    const contents = await Promise.all(files.map((name) => readFile(join(service.dataDir, name), 'latin1')));
    expect(secrets.length).toBeGreaterThan(4);
    for (const secret of secrets) {
      const bare = secret.replace('whsec_', '');
      for (const content of [...contents, service.logs()]) expect(content.includes(bare)).toBe(false);
    }
    const temporal = contents[1] ?? '';
    // The inputs of workflows are readable there. The ids are found, so that a secret would be found too.
    for (const word of ['deliverWebhook', organisation.id]) expect(temporal).toContain(word);
    for (const word of ['in-the-url', 'metric_name', 'met_test']) expect(temporal).not.toContain(word);
  });
});
