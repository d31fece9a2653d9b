import { byName } from '../../domain/shared/by-name.ts';
import type { Month } from '../../domain/shared/calendar.ts';
import type { Organisation } from '../../warehouse/organisations/organisations.ts';
import { sealBills } from '../../warehouse/teams/bills/bill-sealing.ts';
import { monthBills, type MonthBills } from '../../warehouse/teams/bills/bills.ts';
import { listTeams, type Team } from '../../warehouse/teams/teams.ts';
import type { NumberDependencies } from '../http/dependencies.ts';
import { noteUpdates } from '../http/note-updates.ts';

/** Seals due bills. Returns the bills of `count` months up to `newest`, newest first, and all teams by name, read at once. */
export async function readBills(
  dependencies: NumberDependencies,
  { id: orgId }: Organisation,
  months: { newest: Month; count: number },
  now: Date,
): Promise<{ months: MonthBills[]; teams: Team[] }> {
  const { warehouse } = dependencies;
  const { on } = noteUpdates(dependencies, orgId, await sealBills(warehouse, orgId, now));
  return warehouse.onOneState(async (session) => ({
    months: (await monthBills(on(session), orgId, months)).slice(1).reverse(),
    teams: (await listTeams(session, orgId)).sort(byName),
  }));
}
