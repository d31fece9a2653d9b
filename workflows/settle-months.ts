import type { Month } from '../domain/calendar.ts';
import { settleOrganisation } from './steps.ts';

/** Settles every month of an organisation that can settle; runs daily (design §3). */
export async function settleMonths({ orgId }: { orgId: string }): Promise<Month[]> {
  return settleOrganisation(orgId);
}
