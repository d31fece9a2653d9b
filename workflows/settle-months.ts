import type { Workflows } from './contract.ts';
import { noteNumbersChanged, sealTeamBills, settleOrganisation, startDeliveries } from './steps.ts';

/**
 * Settles every month of an organisation that can settle, seals its bills, has its events evaluated, and starts what is
 * still to be delivered, should anyone have died before; runs daily (design §3).
 */
export const settleMonths: Workflows['settleMonths'] = async ({ orgId }) => {
  const months = await settleOrganisation(orgId);
  await sealTeamBills(orgId);
  await noteNumbersChanged(orgId);
  await startDeliveries(orgId, { again: true });
  return months;
};
