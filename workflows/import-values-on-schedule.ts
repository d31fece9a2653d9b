import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { executeChild, log, ParentClosePolicy } from '@temporalio/workflow';
import { startOf, type Workflows } from './contract.ts';

/**
 * Runs the daily import of a metric. Each start by the schedule has a different id. The import itself is therefore a child
 * workflow under the metric's fixed id, so that it never runs beside an import that was started by hand.
 */
export const importMetricValuesOnSchedule: Workflows['importMetricValuesOnSchedule'] = async (input) => {
  try {
    await executeChild<Workflows['importMetricValues']>('importMetricValues', {
      ...startOf('importMetricValues', input),
      parentClosePolicy: ParentClosePolicy.ABANDON,
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    log.info('skipped, because an import of this metric is already running');
  }
};
