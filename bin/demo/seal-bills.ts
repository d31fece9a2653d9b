import type { Day, Month } from '../../domain/calendar.ts';
import type { ApiClient } from './api-client.ts';
import { correctValue } from './correct-value.ts';
import { recordMissing } from './record-values.ts';
import type { TeamSetUp } from './set-up-teams.ts';
import { billsOf } from './team-bills.ts';

/**
 * Seals the bills of all settled months but the newest: that one waits for the values it is split by, which are left
 * for the user to send. Makes sure that one sealed month had a value corrected, and so has a second version.
 */
export const sealSettledBills = async (
  admin: ApiClient,
  { teams, gatewayCalls }: TeamSetUp,
  { months, through }: { months: readonly Month[]; through: Day },
): Promise<void> => {
  const newestSettled = (await firstBills(admin, teams)).find(({ status }) => status !== 'estimate')?.month;
  if (newestSettled === undefined) return;
  const values = gatewayCalls.values(months, through);
  await recordMissing(
    admin,
    gatewayCalls,
    values.filter(({ period }) => period < newestSettled),
  );
  const sealed = (await firstBills(admin, teams)).filter(({ status }) => status === 'sealed');
  const corrected = sealed[1]?.month;
  if (corrected === undefined || sealed.some(({ version }) => version !== null && version > 1)) return;
  await correctValue(admin, gatewayCalls.id, { period: corrected, label: 'checkout' }, 45);
};

const firstBills = async (admin: ApiClient, teams: TeamSetUp['teams']) =>
  (await billsOf(admin, teams.slice(0, 1))).flatMap(({ bills }) => bills);
