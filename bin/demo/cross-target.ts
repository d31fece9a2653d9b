import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { deliveryRecord } from '../../api/events/webhook-fields.ts';
import type { ApiClient } from './api-client.ts';
import { monthsOf, type MonthOnWire } from './lock-months.ts';
import type { RecordedMetric } from './record-values.ts';
import { toldEvent, type ToldEvent } from './told-event.ts';

const POLL_MS = 250;
/** A delivery takes a second or two. One that takes longer is not waited for: it is tried again and comes by itself. */
const PATIENCE_MS = 30_000;

/** An event that was delivered, by the id on its way. */
export interface DeliveredEvent {
  id: string;
  event: ToldEvent;
}

/**
 * Has a webhook told that a metric goes above its target, once in the life of the metric. Gives it a target that its
 * newest complete month is above, of which a new target is told, and waits for the delivery. Answers the first event of the metric that was delivered, in
 * this run or an earlier one; null when the user's own targets leave nothing to tell.
 */
export const crossTarget = async (
  admin: ApiClient,
  metric: RecordedMetric,
  webhookId: string,
): Promise<DeliveredEvent | null> => {
  const earlier = await deliveredOf(admin, webhookId, metric.id);
  if (earlier !== null) return earlier;
  const months = await monthsOf(admin, metric.id);
  if (metric.target === null) {
    const target = targetBelowNewest(months);
    if (target === null) return null;
    await admin.patch(`/api/v1/metrics/${metric.id}`, z.unknown(), { target });
  } else if (!months.some(({ above_target }) => above_target)) return null;
  const until = Date.now() + PATIENCE_MS;
  while (Date.now() < until) {
    const delivered = await deliveredOf(admin, webhookId, metric.id);
    if (delivered !== null) return delivered;
    await sleep(POLL_MS);
  }
  return null;
};

/** A round number that the newest month with final numbers is above; null without one. */
const targetBelowNewest = (months: readonly MonthOnWire[]): number | null => {
  const newest = months.find(
    ({ status, unit_cost }) => unit_cost !== null && !['open', 'partial'].includes(status),
  );
  const unitCost = newest?.unit_cost ?? 0;
  const rounded = [1, 2, 3, 4, 5, 6].map(
    (decimals) => Math.floor(unitCost * 10 ** decimals) / 10 ** decimals,
  );
  return rounded.find((target) => target > 0 && target < unitCost) ?? null;
};

const deliveredOf = async (
  admin: ApiClient,
  webhookId: string,
  metricId: string,
): Promise<DeliveredEvent | null> => {
  const path = `/api/v1/webhooks/${webhookId}/deliveries?limit=1000`;
  const deliveries = await admin.get(path, z.array(deliveryRecord));
  const events = deliveries
    .filter(({ status }) => status === 'delivered')
    .flatMap(({ event_id, payload }) => {
      const event = toldEvent.safeParse(payload);
      return event.data?.data.metric_id === metricId ? [{ id: event_id, event: event.data }] : [];
    });
  return events.at(-1) ?? null;
};
