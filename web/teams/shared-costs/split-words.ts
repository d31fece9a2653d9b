import { percentText } from '../../shared/numbers.ts';
import { sumOf } from '../../shared/sums.ts';
import type { SharedCost } from '../team-queries.ts';

export type Split = SharedCost['split'];

/** The names of teams or metrics by their ids. */
export type Names = ReadonlyMap<string, string>;

/** Returns the names of records by their ids. */
export const namesOf = (records: readonly { id: string; name: string }[]): Names =>
  new Map(records.map(({ id, name }) => [id, name]));

const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`;

/** Returns how a shared cost is split: `Evenly over Shop and Search.` */
export function splitWords(split: Split, teams: Names, metrics: Names): string {
  const team = (id: string): string => teams.get(id) ?? 'a deleted team';
  switch (split.type) {
    case 'even':
      return split.team_ids.length === 1
        ? `All to ${listed(split.team_ids.map(team))}.`
        : `Evenly over ${listed(split.team_ids.map(team))}.`;
    case 'fixed': {
      const parts = split.shares.map(({ team_id, percent }) => `${percentText(percent)} to ${team(team_id)}`);
      const rest = sumOf([100, ...split.shares.map(({ percent }) => -percent)]);
      return `${listed(parts)}.${rest > 0 ? ` ${percentText(rest)} stays unallocated.` : ''}`;
    }
    case 'metric': {
      const labels = Object.entries(split.labels).map(([label, id]) => `${label} to ${team(id)}`);
      const metric = metrics.get(split.metric_id);
      return `By the month’s values of ${metric === undefined ? 'a metric' : `the metric ${metric}`}: ${listed(labels)}. Other labels stay unallocated.`;
    }
  }
}
