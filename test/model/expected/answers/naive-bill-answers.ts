import type { Day } from '../../../../domain/shared/calendar.ts';
import { fullyLoadedOf, type NaiveBill, type Seal } from '../naive-bills.ts';
import { costOf, moneyText } from './naive-months.ts';
import type { NaiveOrganisation } from '../naive-organisation.ts';
import { ALL_MONTHS } from '../naive-sources.ts';
import type { Spent } from '../naive-spend.ts';

/** Returns the expected bills of all months: of every team, with all sealed versions, oldest first. */
export const naiveBills = (naive: NaiveOrganisation, today: Day, spent: readonly Spent[]) =>
  Object.fromEntries(
    ALL_MONTHS.map((month) => {
      const { status, missing, bills } = naive.bills.ofMonth(month, today, spent);
      const versions = [...naive.teams.teams.keys()].map((team) => {
        const sealed = naive.bills.versions(month, team);
        return [
          teamName(team),
          sealed.map((bill, index) => billAnswer({ ...bill, version: index + 1 })),
        ] as const;
      });
      const total = naive.sources.hasDelivered(month) ? moneyText(costOf(spent, null, month, today)) : null;
      return [
        month,
        {
          status,
          missing: missing.map((metric) => `Metric ${metric}`),
          bills:
            bills === null
              ? null
              : Object.fromEntries([...bills].map(([team, bill]) => [teamName(team), billAnswer(bill)])),
          total,
          // Exactly the total, for any ownership.
          billsAndUnallocated: bills === null ? null : total,
          versions: Object.fromEntries(versions),
        },
      ];
    }),
  );

const teamName = (team: number): string => `Team ${team}`;

const billAnswer = (bill: NaiveBill & Seal) => ({
  ...bill,
  fully_loaded: moneyText(fullyLoadedOf(bill)),
  shared_costs: bill.shared_costs.map(([index, amount]) => [`Shared cost ${index}`, amount]),
});
