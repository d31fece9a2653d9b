import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { executeChild, log, ParentClosePolicy } from '@temporalio/workflow';
import { startOf, type Workflows } from './contract.ts';
import { summariseWorkflow } from './steps.ts';

/**
 * Returns the workflow that a daily schedule starts in order to run another. Each start by a schedule has a different id. The
 * work itself is therefore a child workflow under its fixed id, so that it never runs beside one that was started by hand.
 */
const onSchedule =
  <Name extends 'ingestCosts' | 'importMetricValues'>(name: Name, what: string) =>
  async (...args: Parameters<Workflows[Name]>): Promise<void> => {
    const [input] = args;
    const summary = await summariseWorkflow(input);
    try {
      await executeChild(name, {
        ...startOf(name, ...args),
        ...(summary === null ? {} : { staticSummary: summary }),
        parentClosePolicy: ParentClosePolicy.ABANDON,
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      log.info(`skipped, because an ${what} is already running`);
    }
  };

/** Runs the daily ingest of a source. */
export const ingestCostsOnSchedule: Workflows['ingestCostsOnSchedule'] = onSchedule(
  'ingestCosts',
  'ingest of this source',
);

/** Runs the daily import of a metric. */
export const importMetricValuesOnSchedule: Workflows['importMetricValuesOnSchedule'] = onSchedule(
  'importMetricValues',
  'import of this metric',
);
