import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { SpendActivities } from '../activities/compute-spend.ts';
import type { IngestActivities } from '../activities/ingest-costs.ts';
import type { MaintenanceActivities } from '../activities/maintain-warehouse.ts';
import type { SettlementActivities } from '../activities/settle-months.ts';

/** Outages are tried again for about an hour; bad data fails at once (activities/failures.ts). */
const retry = {
  initialInterval: '1s',
  backoffCoefficient: 2,
  maximumInterval: '5m',
  maximumAttempts: 20,
} as const;

/** Short steps that only touch the warehouse: run in the worker that holds the workflow, without a dispatch. */
export const { openRun, completeRun, failRun, settleOrganisation } = proxyLocalActivities<
  IngestActivities & SettlementActivities
>({ startToCloseTimeout: '1m', retry });

/** Reading an export, counting what it brought and billing it takes as long as it takes; a worker that dies is noticed by its missing heartbeats. */
export const { loadExport, computeSpend, sealTeamBills } = proxyActivities<
  IngestActivities & SpendActivities & SettlementActivities
>({
  startToCloseTimeout: '12h',
  heartbeatTimeout: '15s',
  retry,
});

/** Deletes may meet a write of the same moment and fail; the next try finds what is left. */
export const { maintain } = proxyActivities<MaintenanceActivities>({ startToCloseTimeout: '4h', retry });
