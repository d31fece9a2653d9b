import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { BackupActivities } from '../activities/back-up-warehouse.ts';
import type { DeliveryActivities } from '../activities/deliver-webhook.ts';
import type { ExportActivities } from '../activities/export-data.ts';
import type { ImportActivities } from '../activities/import-values.ts';
import type { IngestActivities } from '../activities/ingest-costs.ts';
import type { EventActivities } from '../activities/raise-events.ts';
import type { MaintenanceActivities } from '../activities/maintain-warehouse.ts';
import type { SettlementActivities } from '../activities/settle-months.ts';
import type { StartActivities } from '../activities/start-deliveries.ts';
import type { SummaryActivities } from '../activities/summarise-workflow.ts';
import { DELIVERY_TASK_QUEUE } from './contract.ts';
import { proxySteps } from './running/set-aside.ts';

/** Outages are retried for about an hour. Bad data fails at once (activities/shared/failures.ts). */
const retry = {
  initialInterval: '1s',
  backoffCoefficient: 2,
  maximumInterval: '5m',
  maximumAttempts: 20,
} as const;

/** Short steps that only use the warehouse, or make one call. The worker that holds the workflow runs them without a dispatch. */
export const {
  openRun,
  completeRun,
  failRun,
  openImport,
  completeImport,
  failImport,
  noteNumbersChanged,
  kindsToExport,
  failExport,
  summariseWorkflow,
} = proxyLocalActivities<
  IngestActivities & ImportActivities & StartActivities & ExportActivities & SummaryActivities
>({
  startToCloseTimeout: '1m',
  retry,
});

/** How long the attempts of a delivery go on: three days. */
const DELIVERY_MS = 3 * 86_400_000;

const long = { startToCloseTimeout: '12h', heartbeatTimeout: '15s', retry } as const;

/** Steps that can take hours, such as reading or writing an export. Missing heartbeats reveal a worker that has died. */
export const { loadExport, settleOrganisation, sealTeamBills, evaluateEvents, startDeliveries, exportKind } =
  proxySteps<IngestActivities & SettlementActivities & EventActivities & StartActivities & ExportActivities>(
    long,
  );

/** Reads a platform, also for hours. Its reports hold what it has read. */
export const { readImport } = proxySteps<ImportActivities>(long, { resumes: true });

/** Deletes may conflict with a concurrent write and fail. The next attempt removes the rest. */
export const { maintain, flush } = proxySteps<MaintenanceActivities>({
  startToCloseTimeout: '4h',
  retry,
});

/** A copy can take hours. A full disk or a folder that is away may be back soon, so the attempts go on for about an hour. */
export const { backUp } = proxySteps<BackupActivities>({
  startToCloseTimeout: '12h',
  heartbeatTimeout: '15s',
  retry: { initialInterval: '1m', backoffCoefficient: 2, maximumInterval: '30m', maximumAttempts: 6 },
});

/** Attempts at growing intervals, up to two hours. Each is short, and a dead one is noticed soon. */
export const { attemptDelivery } = proxySteps<DeliveryActivities>(
  {
    taskQueue: DELIVERY_TASK_QUEUE,
    startToCloseTimeout: '90s',
    heartbeatTimeout: '10s',
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '2h' },
  },
  { within: DELIVERY_MS },
);

/** The end of a delivery must be recorded, however long the warehouse is unavailable. */
export const { giveDeliveryUp } = proxyActivities<DeliveryActivities>({
  taskQueue: DELIVERY_TASK_QUEUE,
  startToCloseTimeout: '1m',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' },
});
