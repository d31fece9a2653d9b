import type { Workflows } from './contract.ts';
import { noteNumbersChanged, sealTeamBills, settleOrganisation, startDeliveries } from './steps.ts';

/**
 * Settles every month of an organisation that can settle, seals its bills, and has its events evaluated. Starts all pending
 * deliveries again, in case a process died before it started them. Runs daily (docs/workflows.md#all-workflows).
 */
export const settleMonths: Workflows['settleMonths'] = async ({ orgId }) => {
  const months = await settleOrganisation(orgId);
  await sealTeamBills(orgId);
  await noteNumbersChanged(orgId);
  await startDeliveries(orgId, { again: true });
  return months;
};
