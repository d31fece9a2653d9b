import type { Info } from '@temporalio/activity';
import type { Logger } from 'pino';
import { runIdOf } from '../../domain/sources/ingest.ts';
import type { Run, RunLog } from '../../warehouse/engine/records/run-log.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';

/**
 * Returns a function that records the error of a failed step on its run, while Temporal retries the step. The end of the run
 * clears the error. If the error cannot be recorded, this is only logged, because the retry is more important. `organisationOf`
 * returns the organisation of a workflow's id, and null for a workflow of another kind.
 */
export const noteRetryOn =
  <Of extends Run>(
    { warehouse, log }: { warehouse: Warehouse; log: Logger },
    runs: Pick<RunLog<Of, never>, 'find' | 'record'>,
    organisationOf: (workflowId: string) => string | null,
  ) =>
  async ({ workflowExecution, attempt }: Info, message: string): Promise<void> => {
    const { workflowId = '', runId = '' } = workflowExecution ?? {};
    const orgId = organisationOf(workflowId);
    if (orgId === null) return;
    try {
      const run = await runs.find(warehouse, orgId, runIdOf(runId));
      const error = `attempt ${attempt} failed: ${message}; it will be retried`;
      if (run?.status === 'running') await runs.record(warehouse, orgId, { ...run, error });
    } catch (err) {
      log.error({ workflow: workflowId, err }, 'the cause of a retry could not be recorded');
    }
  };
