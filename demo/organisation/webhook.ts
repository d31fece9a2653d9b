import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import type { z } from 'zod';
import type { changedWebhook, deliveryRecord } from '../../api/events/webhook-fields.ts';
import type { UnitCostChanged } from '../../domain/events/webhook.ts';
import { poll, type Client, type MetricWithMonths } from './client.ts';

/** The only private address that the demo's service may reach. */
export const LISTENER_HOST = '127.0.0.1';
/** The demo's webhook has this origin, any port and this path. */
const [ORIGIN, PATH] = [`http://${LISTENER_HOST}:`, '/cost-analytics-demo'];

interface UnitCostEvent {
  type: string;
  data: UnitCostChanged;
}
type WebhookRecord = z.infer<typeof changedWebhook>;
type Delivery = z.infer<typeof deliveryRecord> & { payload: UnitCostEvent };

/** Returns an event as one line of text. */
export function eventText({ type, data }: UnitCostEvent): string {
  const { metric_name, reason, period, unit_cost, target, expected, currency, unit } = data;
  const limit = target === undefined ? `expected ${expected ?? '-'}` : `target ${target}`;
  return `${type} ${reason}: ${metric_name} ${period}, ${unit_cost} ${currency} per ${unit}, ${limit}`;
}

/** An endpoint such as a user would write: it accepts events with the signature of its secret, and nothing else. */
export class WebhookListener {
  /** The ids of the events that came in this run. */
  readonly verified = new Set<string>();
  /** Called with each event. */
  onEvent: (event: UnitCostEvent) => void = () => undefined;
  /** The listener accepts nothing until it has the secret. */
  secret = '';
  readonly #server = createServer((request, response) => {
    text(request)
      .then((body) => {
        this.#accept(body, request.headers);
        response.end('signature verified');
      })
      .catch(() => response.writeHead(400).end('expected a signed event'));
  });

  /** Listens on a free port of this machine. */
  async start(): Promise<void> {
    await once(this.#server.listen(0, LISTENER_HOST), 'listening');
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `${ORIGIN}${port}${PATH}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #accept(body: string, headers: IncomingHttpHeaders): void {
    const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    const event = new Webhook(this.secret).verify(body, texts) as UnitCostEvent;
    if (event.type !== 'unit_cost.changed') throw new Error('expected unit_cost.changed');
    this.verified.add(texts['webhook-id'] ?? '');
    this.onEvent(event);
  }
}

/** Ensures one webhook to the listener and returns its id. The service shows a secret once, so that each run rotates it. */
export async function connectWebhook(admin: Client, listener: WebhookListener): Promise<string> {
  const webhooks = await admin.get<WebhookRecord[]>('/api/v1/webhooks?limit=1000');
  const known = webhooks.find(({ url }) => url.startsWith(ORIGIN) && url.endsWith(PATH));
  const { url } = listener;
  const { id, secret = '' } = known
    ? await admin.patch<WebhookRecord>(`/api/v1/webhooks/${known.id}`, { url, rotate_secret: true })
    : await admin.post<WebhookRecord>('/api/v1/webhooks', { url });
  listener.secret = secret;
  return id;
}

/** Returns the first event about a metric. Without one, sets a target that its newest complete month exceeds. */
export async function exceedTarget(admin: Client, metric: MetricWithMonths, webhookId: string) {
  const path = `/api/v1/webhooks/${webhookId}/deliveries?limit=1000`;
  const firstEvent = async () => {
    const all = await admin.get<Delivery[]>(path);
    const delivered = all.filter(({ status }) => status === 'delivered');
    return delivered.findLast(({ payload }) => payload.data.metric_id === metric.id) ?? null;
  };
  const earlier = await firstEvent();
  const complete = metric.months.filter(({ status }) => status !== 'open' && status !== 'partial');
  const unitCost = complete.find(({ unit_cost }) => unit_cost !== null)?.unit_cost;
  if (earlier !== null || metric.target !== null || !unitCost) return earlier;
  // Nine tenths, rounded to two digits, are below the whole.
  const target = Number((0.9 * unitCost).toPrecision(2));
  await admin.patch(`/api/v1/metrics/${metric.id}`, { target });
  // A delivery takes a second or two. The service retries one that takes longer.
  return poll(firstEvent, 30);
}
