import { ActivityFailure, CancellationScope, rootCause, workflowInfo } from '@temporalio/workflow';
import { runIdOf } from '../domain/sources/ingest.ts';
import type { Workflows } from './contract.ts';
import { completeImport, failImport, noteNumbersChanged, openImport, readImport } from './steps.ts';

/**
 * Imports the values of a metric from its platform. Does nothing if the metric is no longer connected, or if its imports pause
 * (contract §3, Import).
 */
export const importMetricValues: Workflows['importMetricValues'] = async (input) => {
  const { firstExecutionRunId, workflowId } = workflowInfo();
  const run = { ...input, runId: runIdOf(firstExecutionRunId), workflowId };
  try {
    if (!(await openImport(run))) return;
    await readImport(run);
    await completeImport(run);
  } catch (error) {
    const reason = error instanceof ActivityFailure ? rootCause(error) : undefined;
    await CancellationScope.nonCancellable(() => failImport(run, reason ?? String(error)));
    throw error;
  } finally {
    await CancellationScope.nonCancellable(() => noteNumbersChanged(input.orgId));
  }
};
