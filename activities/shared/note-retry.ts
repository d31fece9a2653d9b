import type { Info } from '@temporalio/activity';
import type { Logger } from 'pino';
import { runIdOf } from '../../domain/sources/ingest.ts';

/** How the runs of one kind of workflow are found and recorded. */
interface RunRecords<Run extends { status: string; error: string | null }> {
  /** Returns the organisation of a workflow's id; null for a workflow of another kind. */
  organisationOf: (workflowId: string) => string | null;
  find: (orgId: string, runId: string) => Promise<Run | null>;
  record: (orgId: string, run: Run) => Promise<void>;
}

/**
 * Returns a function that records the error of a failed step on its run, while Temporal retries the step. The end of the run
 * clears the error. If the error cannot be recorded, this is only logged, because the retry is more important.
 */
export const noteRetryOn =
  <Run extends { status: string; error: string | null }>(
    log: Logger,
    { organisationOf, find, record }: RunRecords<Run>,
  ) =>
  async ({ workflowExecution, attempt }: Info, message: string): Promise<void> => {
    const { workflowId = '', runId = '' } = workflowExecution ?? {};
    const orgId = organisationOf(workflowId);
    if (orgId === null) return;
    log.warn({ workflow: workflowId, attempt, error: message }, 'a step failed and will be retried');
    try {
      const run = await find(orgId, runIdOf(runId));
      if (run?.status === 'running')
        await record(orgId, { ...run, error: `attempt ${attempt} failed: ${message}; it will be retried` });
    } catch (error) {
      log.error({ workflow: workflowId, err: error }, 'the cause of a retry could not be recorded');
    }
  };
