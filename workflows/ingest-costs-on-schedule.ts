import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { executeChild, log, ParentClosePolicy } from '@temporalio/workflow';
import { startOf, type Workflows } from './contract.ts';

/**
 * The daily ingest. A schedule gives each start an id of its own; the ingest itself runs under the source's one
 * id, so that it never runs beside one that was started by hand.
 */
export const ingestCostsOnSchedule: Workflows['ingestCostsOnSchedule'] = async (input) => {
  try {
    await executeChild<Workflows['ingestCosts']>('ingestCosts', {
      ...startOf('ingestCosts', input),
      parentClosePolicy: ParentClosePolicy.ABANDON,
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    log.info('skipped: an ingest of this source is running already');
  }
};
