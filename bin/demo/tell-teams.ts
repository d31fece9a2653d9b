import { addDays, type Day, type Month } from '../../domain/shared/calendar.ts';
import type { ApiClient } from './api-client.ts';
import { billTable } from './bill-table.ts';
import { monthTotal } from './month-total.ts';
import type { TeamSetUp } from './set-up-teams.ts';
import { sharedCostTable } from './shared-cost-table.ts';
import { billsOf, type TeamBills } from './team-bills.ts';

/** The running month, one that waits, one that follows today, and one that was sealed by hand and then by values. */
const SHOWN_MONTHS = 4;

/** What teams cost: their newest bills, and how the shared costs of the newest sealed month fell, a table each. */
export const tellTeams = async (
  admin: ApiClient,
  { teams, sharedCosts, gatewayCalls }: TeamSetUp,
  { months, through, currency }: { months: readonly Month[]; through: Day; currency: string },
): Promise<{ bills: TeamBills[]; tables: string[][] }> => {
  if (teams.length === 0) return { bills: [], tables: [] };
  const bills = await billsOf(admin, teams);
  const totals = new Map<Month, number>();
  for (const month of months.slice(-SHOWN_MONTHS).reverse())
    totals.set(month, await monthTotal(admin, month, addDays(through, 1)));
  const sealed = bills[0]?.bills.find(({ status }) => status === 'sealed')?.month;
  const names = new Map([...teams, gatewayCalls].map(({ id, name }) => [id, name]));
  const tables = [
    billTable(bills, totals, currency),
    ...(sealed === undefined ? [] : [sharedCostTable(sealed, sharedCosts, bills, names)]),
  ];
  return { bills, tables };
};
