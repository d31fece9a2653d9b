import type { Month } from '../../domain/shared/calendar.ts';
import { alignedRows } from './aligned-rows.ts';
import { amountText } from './amount-text.ts';
import type { SharedCost } from './set-up-teams.ts';
import type { TeamBills } from './team-bills.ts';

/** Each team's part of every shared cost of a month, as a table for people. */
export const sharedCostTable = (
  month: Month,
  sharedCosts: readonly SharedCost[],
  teams: readonly TeamBills[],
  /** Names of teams and metrics by id. */
  names: ReadonlyMap<string, string>,
): string[] => {
  const partOf = ({ bills }: TeamBills, id: string): number | null =>
    bills.find((bill) => bill.month === month)?.shared_costs.find((cost) => cost.id === id)?.amount ?? null;
  return [
    `Shared costs of ${month}, each team's part`,
    ...alignedRows(
      [
        ['shared cost', ...teams.map(({ name }) => name), 'split'],
        ...sharedCosts.map(({ id, name, split }) => [
          name,
          ...teams.map((team) => amountText(partOf(team, id))),
          splitInWords(split, names),
        ]),
      ],
      new Set([0, teams.length + 1]),
    ),
  ];
};

const splitInWords = (split: SharedCost['split'], names: ReadonlyMap<string, string>): string => {
  const name = (id: string): string => names.get(id) ?? id;
  switch (split.type) {
    case 'even':
      return 'evenly';
    case 'fixed':
      return split.shares.map(({ team_id, percent }) => `${name(team_id)} ${percent} %`).join(', ');
    case 'metric':
      return `by ${name(split.metric_id)}: ${Object.entries(split.labels)
        .map(([label, team]) => `${label} is ${name(team)}'s`)
        .join(', ')}`;
  }
};
