import { CancellationScope, workflowInfo } from '@temporalio/workflow';
import type { ImportRunInput } from '../domain/imports/connection.ts';
import { runIdOf } from '../domain/sources/ingest.ts';
import type { Workflows } from './contract.ts';
import { reasonOf } from './running/reason-of.ts';
import { completeImport, failImport, noteNumbersChanged, openImport, readImport } from './steps.ts';

/**
 * Imports the values of a metric from its platform. Does nothing if the metric is no longer connected, or if its imports pause
 * (docs/concepts.md#daily-imports).
 */
export const importMetricValues: Workflows['importMetricValues'] = async (input) => {
  const { firstExecutionRunId, workflowId } = workflowInfo();
  const hasRun = await importValues({ ...input, runId: runIdOf(firstExecutionRunId), workflowId });
  if (hasRun) await noteNumbersChanged(input.orgId);
};

async function importValues(run: ImportRunInput): Promise<boolean> {
  try {
    if (!(await openImport(run))) return false;
    await readImport(run);
    await completeImport(run);
    return true;
  } catch (error) {
    await CancellationScope.nonCancellable(() =>
      failImport(run, reasonOf(error, 'the run was cancelled in Temporal')),
    );
    throw error;
  }
}
