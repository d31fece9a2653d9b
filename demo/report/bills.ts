import type { Month } from '../../domain/shared/calendar.ts';
import type { Shop } from '../organisation/apply.ts';
import type { Bill, Named, SharedCost } from '../organisation/client.ts';
import { amountText, table } from './table.ts';

/** A team with its bills of the last twelve months, newest first. */
export interface TeamBills extends Named {
  bills: Bill[];
}

const billOf = ({ bills }: TeamBills, of: Month): Bill | undefined => bills.find(({ month }) => month === of);

/** Returns the teams' bills of some months as a table. With unallocated spend they add up to each month's total. */
export function billTable(teams: readonly TeamBills[], totals: ReadonlyMap<Month, number>): string[] {
  const shown = teams.flatMap(({ bills }) => bills.filter(({ month }) => totals.has(month)));
  const rows = [...totals].flatMap(([month, total]) => [
    ...teams.map((team, index) => {
      const bill = billOf(team, month);
      const amounts = [bill?.direct, bill?.shared, bill?.fully_loaded].map((amount) => amountText(amount));
      // Every team waits for the same.
      return [index === 0 ? month : '', team.name, ...amounts, bill ? statusText(bill, index === 0) : ''];
    }),
    ['', 'unallocated', '', '', amountText(shown.find((bill) => bill.month === month)?.unallocated)],
    ['', 'total', '', '', amountText(total)],
  ]);
  const FOLLOWS =
    '  follows today: loaded late, so it moves with spend and teams until an admin seals it by hand';
  const CHANGED = '  values changed: sealed again, because values that split a shared cost had changed';
  return [
    'Team bills (USD): what a team owns and its parts of shared costs; with unallocated they add up to the total',
    ...table(['month', 'team', 'direct', 'shared', 'fully loaded', 'status'], rows),
    ...(shown.some(({ follows_today }) => follows_today) ? [FOLLOWS] : []),
    ...(shown.some(({ sealed_because }) => sealed_because === 'values_changed') ? [CHANGED] : []),
  ];
}

const CAUSES = { settled: '', values_changed: ', values changed', backfill: '', resealed: ', by hand' };

function statusText(bill: Bill, withReasons: boolean): string {
  const { status, version, waiting_for, sealed_because, follows_today } = bill;
  const cause = follows_today ? ', follows today' : CAUSES[sealed_because ?? 'settled'];
  if (version !== null) return `${status} v${version}${cause}`;
  return withReasons && waiting_for.length > 0 ? `${status}: ${waiting_for.join('; ')}` : status;
}

/** Returns each team's part of every shared cost of a month as a table. */
export function sharedCostTable(month: Month, shop: Shop, teams: readonly TeamBills[]): string[] {
  const owners: Named[] = [...teams, shop.gatewayCalls];
  const nameOf = (id: string): string => owners.find((each) => each.id === id)?.name ?? id;
  const splitText = (split: SharedCost['split']): string => {
    if (split.type === 'even') return 'evenly';
    if (split.type === 'fixed')
      return split.shares.map(({ team_id, percent }) => `${nameOf(team_id)} ${percent} %`).join(', ');
    const labels = Object.entries(split.labels).map(([label, team]) => `${label} is ${nameOf(team)}'s`);
    return `by ${nameOf(split.metric_id)}: ${labels.join(', ')}`;
  };
  const rows = shop.sharedCosts.map(({ id, name, split }) => {
    const parts = teams.map((team) => billOf(team, month)?.shared_costs.find((one) => one.id === id)?.amount);
    return [name, ...parts.map((amount) => amountText(amount)), splitText(split)];
  });
  const header = ['shared cost', ...teams.map(({ name }) => name), 'split'];
  return [`Shared costs of ${month}, each team's part`, ...table(header, rows)];
}
