import { byName } from '../../domain/shared/text/by-name.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import type { ComputedSpend } from '../../warehouse/spend/compute-spend.ts';
import { monthBills, type MonthBills } from '../../warehouse/teams/bills/bills.ts';
import { TEAMS, type Team } from '../../warehouse/teams/teams.ts';
import type { MonthRange } from '../http/month-range.ts';

/** Returns the bills of some months, newest first, and all teams by name, read at once. */
export const readBills = (
  warehouse: Warehouse,
  { on }: ComputedSpend,
  orgId: string,
  months: MonthRange,
): Promise<{ months: MonthBills[]; teams: Team[] }> =>
  warehouse.onOneState(async (session) => ({
    months: (await monthBills(on(session), orgId, months)).slice(1).reverse(),
    teams: (await TEAMS.list(session, orgId)).sort(byName),
  }));
