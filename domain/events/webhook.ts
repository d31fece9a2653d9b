/** The events that a webhook can subscribe to (docs/concepts.md#events-and-webhooks). */
export const EVENT_TYPES = ['unit_cost.changed'] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** The payload of a `unit_cost.changed` event (docs/http.md#receive-events). `period` is a month, or the day of a rise. */
export interface UnitCostChanged {
  metric_id: string;
  metric_name: string;
  reason: 'above_target' | 'daily_rise';
  period: string;
  unit_cost: number;
  target?: number;
  expected?: number;
  currency: string;
  unit: string;
  test?: true;
}

/** How long a replaced secret still signs beside the new one. */
export const SECRET_OVERLAP_HOURS = 24;

/** The delivery of an event to a webhook. It has only ids, because workflow history stores it. */
export interface DeliveryInput {
  orgId: string;
  webhookId: string;
  eventId: string;
}

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
