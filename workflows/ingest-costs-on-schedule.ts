import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { executeChild, log, ParentClosePolicy } from '@temporalio/workflow';
import { startOf, type Workflows } from './contract.ts';

/**
 * Runs the daily ingest of a source. Each start by the schedule has a different id. The ingest itself is therefore a child
 * workflow under the source's fixed id, so that it never runs beside an ingest that was started by hand.
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
