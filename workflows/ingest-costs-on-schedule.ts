import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { executeChild, log, ParentClosePolicy, workflowInfo } from '@temporalio/workflow';
import { ingestWorkflowId, type IngestInput } from '../domain/sources/ingest.ts';
import { ingestCosts } from './ingest-costs.ts';

/**
 * The daily ingest. A schedule gives each start an id of its own; the ingest itself runs under the source's one
 * id, so that it never runs beside one that was started by hand.
 */
export async function ingestCostsOnSchedule(input: IngestInput): Promise<void> {
  try {
    await executeChild(ingestCosts, {
      workflowId: ingestWorkflowId(input.orgId, input.sourceId),
      args: [input],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      typedSearchAttributes: workflowInfo().typedSearchAttributes,
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    log.info('skipped: an ingest of this source is running already');
  }
}
