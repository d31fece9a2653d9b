import type { Workflows } from './contract.ts';
import { exportKind, kindsToExport, noteNumbersChanged } from './steps.ts';

/** Writes an organisation's months, bills, spend and values to the place of exports (EXPORT_TO). Runs nightly. */
export const exportData: Workflows['exportData'] = async ({ orgId }) => {
  let hasUpdated = false;
  for (const kind of await kindsToExport(orgId))
    hasUpdated = (await exportKind({ orgId, kind })) || hasUpdated;
  if (hasUpdated) await noteNumbersChanged(orgId);
};
