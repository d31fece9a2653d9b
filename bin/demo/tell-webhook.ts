import type { ApiClient } from './api-client.ts';
import { connectWebhook } from './connect-webhook.ts';
import { crossTarget } from './cross-target.ts';
import type { RecordedMetric } from './record-values.ts';
import { eventInWords } from './told-event.ts';
import type { WebhookListener } from './webhook-listener.ts';

/**
 * Subscribes the listener and has it told that `metric` goes above its target, once in the metric's life: answers the
 * webhook's id, the metric's target now, and what there is to say.
 */
export const tellWebhook = async (
  admin: ApiClient,
  listener: WebhookListener,
  metric: RecordedMetric | undefined,
): Promise<{ id: string; target: number | null; lines: string[] }> => {
  const id = await connectWebhook(admin, listener);
  if (metric === undefined) return { id, target: null, lines: [] };
  const delivered = await crossTarget(admin, metric, id);
  if (delivered === null) return { id, target: metric.target, lines: [] };
  const { event } = delivered;
  return {
    id,
    target: metric.target ?? event.data.target ?? null,
    lines: [
      `Webhook to ${listener.url}: ${metric.name} got a target, and a month went above it`,
      `  ${eventInWords(event)}`,
      `  ${delivered.id} ${listener.verified.has(delivered.id) ? 'received, signature verified' : 'was received in an earlier run'}`,
    ],
  };
};
