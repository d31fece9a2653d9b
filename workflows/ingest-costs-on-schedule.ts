import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { executeChild, log, ParentClosePolicy } from '@temporalio/workflow';
import { startOf, type Workflows } from './contract.ts';

/**
 * Runs the daily ingest. A schedule gives each start a different id. The ingest itself runs under the only id of its source, so
 * that it never runs beside an ingest that was started by hand.
 */
export const ingestCostsOnSchedule: Workflows['ingestCostsOnSchedule'] = async (input) => {
  try {
    await executeChild<Workflows['ingestCosts']>('ingestCosts', {
      ...startOf('ingestCosts', input),
      parentClosePolicy: ParentClosePolicy.ABANDON,
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    log.info('skipped, because an ingest of this source is already running');
  }
};
