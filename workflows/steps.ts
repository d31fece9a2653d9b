import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { SpendActivities } from '../activities/compute-spend.ts';
import type { DeliveryActivities } from '../activities/deliver-webhook.ts';
import type { IngestActivities } from '../activities/ingest-costs.ts';
import type { EventActivities } from '../activities/raise-events.ts';
import type { MaintenanceActivities } from '../activities/maintain-warehouse.ts';
import type { SettlementActivities } from '../activities/settle-months.ts';
import type { StartActivities } from '../activities/start-deliveries.ts';
import { DELIVERY_TASK_QUEUE } from './contract.ts';

/** Outages are tried again for about an hour; bad data fails at once (activities/failures.ts). */
const retry = {
  initialInterval: '1s',
  backoffCoefficient: 2,
  maximumInterval: '5m',
  maximumAttempts: 20,
} as const;

/** Short steps that only touch the warehouse, or make one call: run in the worker that holds the workflow, without a dispatch. */
export const { openRun, completeRun, failRun, settleOrganisation, noteNumbersChanged } = proxyLocalActivities<
  IngestActivities & SettlementActivities & StartActivities
>({ startToCloseTimeout: '1m', retry });

/** Reading an export, counting what it brought and billing it takes as long as it takes; a worker that dies is noticed by its missing heartbeats. */
export const { loadExport, computeSpend, sealTeamBills, evaluateEvents, startDeliveries } = proxyActivities<
  IngestActivities & SpendActivities & SettlementActivities & EventActivities & StartActivities
>({
  startToCloseTimeout: '12h',
  heartbeatTimeout: '15s',
  retry,
});

/** Deletes may meet a write of the same moment and fail; the next try finds what is left. */
export const { maintain } = proxyActivities<MaintenanceActivities>({ startToCloseTimeout: '4h', retry });

/** Attempts at growing distances, up to two hours, for three days; each is short, and one that died is soon noticed. */
export const { attemptDelivery } = proxyActivities<DeliveryActivities>({
  taskQueue: DELIVERY_TASK_QUEUE,
  startToCloseTimeout: '90s',
  heartbeatTimeout: '10s',
  scheduleToCloseTimeout: '3 days',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '2h' },
});

/** The last word on a delivery must come through, however long the warehouse is away. */
export const { giveDeliveryUp } = proxyActivities<DeliveryActivities>({
  taskQueue: DELIVERY_TASK_QUEUE,
  startToCloseTimeout: '1m',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' },
});
