import { CancellationScope } from '@temporalio/workflow';
import type { Workflows } from './contract.ts';
import { reasonOf } from './running/reason-of.ts';
import { exportKind, failExport, kindsToExport, noteNumbersChanged } from './steps.ts';

/** Writes an organisation's months, bills, spend and values to the place of exports (EXPORT_TO). Runs nightly. */
export const exportData: Workflows['exportData'] = async (input) => {
  try {
    await writeAll(input);
  } catch (error) {
    const reason = reasonOf(error, 'the export was cancelled in Temporal');
    await CancellationScope.nonCancellable(() => failExport(input, reason));
    throw error;
  }
};

async function writeAll({ orgId }: { orgId: string }): Promise<void> {
  let hasUpdated = false;
  for (const kind of await kindsToExport(orgId))
    hasUpdated = (await exportKind({ orgId, kind })) || hasUpdated;
  if (hasUpdated) await noteNumbersChanged(orgId);
}
