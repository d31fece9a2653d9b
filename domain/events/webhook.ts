/** The events that a webhook can subscribe to (spec §6). */
export const EVENT_TYPES = ['unit_cost.changed'] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** How long a secret that was replaced still signs beside the new one. */
export const SECRET_OVERLAP_HOURS = 24;

/** A webhook with a delivery under way; travels through workflow history, so it holds ids only. */
export interface DeliveryInput {
  orgId: string;
  webhookId: string;
  eventId: string;
}

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The id of a delivery's workflow: one for each event and webhook, ever. */
export const deliveryWorkflowId = ({ orgId, webhookId, eventId }: DeliveryInput): string =>
  `webhook/${orgId}/${eventId}/${webhookId}`;

/** The id of the workflow that raises an organisation's events: at most one is running. */
export const raiseEventsWorkflowId = (orgId: string): string => `raise-events/${orgId}`;

/** Endpoints that hang must not keep ingests from running: deliveries have a task queue of their own. */
export const DELIVERY_TASK_QUEUE = 'cost-analytics-webhooks';

/** The signal that numbers of an organisation have changed. */
export const NUMBERS_CHANGED = 'numbersChanged';
