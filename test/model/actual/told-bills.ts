import { fullyLoaded } from '../../../domain/teams/bill.ts';
import { listBillVersions, type Bill } from '../../../warehouse/teams/bills/bill-versions.ts';
import { monthBills, type MonthBills } from '../../../warehouse/teams/bills/bills.ts';
import type { ComputedSession } from '../../../warehouse/spend/compute-spend.ts';
import { decimalUnits } from '../expected/naive-decimals.ts';
import { moneyText } from '../expected/answers/naive-months.ts';
import { ALL_MONTHS } from '../expected/naive-sources.ts';
import type { ToldTeams } from './told-teams.ts';

/** Returns the product's answers about bills, in the form of the naive calculation. */
export async function toldBills(session: ComputedSession, orgId: string, teams: ToldTeams) {
  const months = await monthBills(session, orgId, {
    newest: ALL_MONTHS.at(-1) ?? '',
    count: ALL_MONTHS.length,
  });
  const answers = [];
  for (const ofMonth of months.slice(1)) {
    const versions = teams.ids.map(async (id, team) => {
      const listed =
        id === null || !ofMonth.settled ? [] : await listBillVersions(session, orgId, id, ofMonth.month);
      return [`Team ${team}`, listed.reverse().map((bill) => billAnswer(bill, teams))] as const;
    });
    answers.push([
      ofMonth.month,
      { ...monthAnswer(ofMonth, teams), versions: Object.fromEntries(await Promise.all(versions)) },
    ] as const);
  }
  return Object.fromEntries(answers);
}

const monthAnswer = ({ status, missing, bills, total, unallocated }: MonthBills, teams: ToldTeams) => ({
  status,
  missing: missing.map((words) => /"(.*?)"/.exec(words)?.[1] ?? words),
  bills:
    bills === null
      ? null
      : Object.fromEntries([...bills].map(([id, bill]) => [teams.nameOf(id), billAnswer(bill, teams)])),
  total,
  billsAndUnallocated:
    bills === null || unallocated === null
      ? null
      : moneyText(
          [...bills.values()].reduce(
            (sum, bill) => sum + decimalUnits(fullyLoaded(bill), 15),
            decimalUnits(unallocated, 15),
          ),
        ),
});

const billAnswer = (bill: Bill, teams: ToldTeams) => ({
  direct: bill.direct,
  shared: bill.shared,
  by_source: bill.by_source,
  shared_costs: bill.shared_costs.map(({ id, amount }) => [teams.sharedCostName(id), amount]),
  version: bill.version,
  sealedOn: bill.sealed_at?.slice(0, 10) ?? null,
  because: bill.sealed_because,
  fully_loaded: fullyLoaded(bill),
});
