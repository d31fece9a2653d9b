import type { Month } from '../domain/calendar.ts';
import { sealTeamBills, settleOrganisation } from './steps.ts';

/** Settles every month of an organisation that can settle and seals its bills; runs daily (design §3). */
export async function settleMonths({ orgId }: { orgId: string }): Promise<Month[]> {
  const months = await settleOrganisation(orgId);
  await sealTeamBills(orgId);
  return months;
}
