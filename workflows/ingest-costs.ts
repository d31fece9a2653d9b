import { CancellationScope, workflowInfo } from '@temporalio/workflow';
import {
  runIdOf,
  type IngestInput,
  type IngestOutcome,
  type IngestRunInput,
} from '../domain/sources/ingest.ts';
import {
  completeRun,
  failRun,
  loadExport,
  noteNumbersChanged,
  openRun,
  sealTeamBills,
  settleOrganisation,
} from './steps.ts';
import type { Workflows } from './contract.ts';
import { reasonOf } from './running/reason-of.ts';

/**
 * Ingests a cost source: reads its export, publishes the loads with the months that they change, settles the months that can
 * settle, and seals their bills. Only then is the run completed (docs/concepts.md#when-a-month-has-settled). It does not wait
 * for events.
 */
export const ingestCosts: Workflows['ingestCosts'] = async (input) => {
  const { firstExecutionRunId, workflowId } = workflowInfo();
  const run = { ...input, runId: runIdOf(firstExecutionRunId), workflowId };
  const outcome = await ingest(input, run);
  await noteNumbersChanged(input.orgId);
  return outcome;
};

async function ingest(input: IngestInput, run: IngestRunInput): Promise<IngestOutcome> {
  try {
    await openRun(run);
    const load = await loadExport(run);
    const settledMonths = await settleOrganisation(input.orgId);
    await sealTeamBills(input.orgId);
    await completeRun(run, load.months);
    return { runId: run.runId, months: load.months, settledMonths };
  } catch (error) {
    await CancellationScope.nonCancellable(() =>
      failRun(run, reasonOf(error, 'the run was cancelled in Temporal')),
    );
    throw error;
  }
}
