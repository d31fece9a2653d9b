import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventText, WebhookListener } from '../../demo/organisation/webhook.ts';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const EVENT = {
  type: 'unit_cost.changed',
  timestamp: '2026-02-07T06:00:00.000Z',
  data: {
    metric_id: 'met_1',
    metric_name: 'Orders',
    reason: 'above_target',
    period: '2026-01',
    unit_cost: 0.5,
    target: 0.45,
    currency: 'USD',
    unit: 'order',
  },
};

let listener: WebhookListener;
beforeEach(async () => {
  listener = new WebhookListener();
  await listener.start();
});
afterEach(() => {
  listener.close();
});

function send(secret: string, body = JSON.stringify(EVENT)) {
  const at = new Date();
  return fetch(listener.url, {
    method: 'POST',
    body,
    headers: {
      'webhook-id': 'evt_1',
      'webhook-timestamp': Math.floor(at.getTime() / 1000).toString(),
      'webhook-signature': new Webhook(secret).sign('evt_1', at, body),
    },
  });
}

test('the listener accepts an event with the right signature, and passes it on', async () => {
  const received: string[] = [];
  listener.secret = SECRET;
  listener.onEvent = (event) => received.push(eventText(event));
  expect((await send(SECRET)).status).toBe(200);
  expect([...listener.verified]).toEqual(['evt_1']);
  expect(received).toEqual([
    'unit_cost.changed above_target: Orders 2026-01, 0.5 USD per order, target 0.45',
  ]);
});

test('the listener rejects events before it has a secret, other signatures and other requests', async () => {
  expect((await send(SECRET)).status).toBe(400);
  listener.secret = SECRET;
  expect((await send(OTHER)).status).toBe(400);
  expect((await send(SECRET, '{"type":"other"}')).status).toBe(400);
  expect((await fetch(listener.url)).status).toBe(400);
  expect(listener.verified.size).toBe(0);
});
