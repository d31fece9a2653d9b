import { z } from 'zod';
import type { Day, Month } from '../../domain/shared/calendar.ts';
import type { ApiClient } from './api-client.ts';
import { correctValue } from './correct-value.ts';
import { recordMissing } from './record-values.ts';
import type { TeamSetUp } from './set-up-teams.ts';
import { billsOf, type BillOnWire } from './team-bills.ts';

/**
 * Seals the bills of all settled months but the newest: that one waits for the values it is split by, which are left
 * for the user to send. The others were ingested long after they ended, so they follow today's spend and teams until an admin
 * seals them by hand. Does so once, with the month before the newest sealed one; then corrects a value that
 * it is split by, so that it has versions of three kinds.
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
  const byHand = ({ sealed_because }: BillOnWire) =>
    sealed_because === 'resealed' || sealed_because === 'values_changed';
  if (corrected === undefined || sealed.some(byHand)) return;
  await admin.post(`/api/v1/teams/bills/${corrected}/reseal`, z.unknown(), {
    reason: 'compared with the ledger',
  });
  await correctValue(admin, gatewayCalls.id, { period: corrected, label: 'checkout' }, 45);
};

const firstBills = async (admin: ApiClient, teams: TeamSetUp['teams']) =>
  (await billsOf(admin, teams.slice(0, 1))).flatMap(({ bills }) => bills);
