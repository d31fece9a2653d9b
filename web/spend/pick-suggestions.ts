import { queryOptions, useQuery } from '@tanstack/react-query';
import type { SpendPick } from '../../domain/spend/spend-pick.ts';
import { api, dataOf, type Schema } from '../http/api.ts';
import { useSession } from '../http/session.ts';
import { addMonths, firstDay, lastDay, monthOf, type Month } from '../shared/calendar.ts';
import type { Group } from './costs-search.ts';
import { PICK_FIELDS, type FieldName, type FieldValues, type PickField } from './pick-kinds.ts';
import { accountKey, type AccountNames } from './pick-words.ts';

/** Most rows from which suggestions are taken, dearest first. */
const MOST_ROWS = 1000;

const rowsQuery = (month: Month, groups: readonly Group[]) =>
  queryOptions({
    queryKey: ['costs', 'suggestions', month, ...groups],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/costs/breakdown', {
          params: {
            query: {
              start_date: firstDay(month),
              end_date: lastDay(month),
              group_by: [...groups],
              limit: MOST_ROWS,
            },
          },
          signal,
        }),
      ),
    staleTime: Infinity,
  });

/** A value that a field may take, and what it is called. */
export interface Suggestion {
  value: string;
  name: string | null;
}

/** Returns what had spend in the last complete month, dearest first, for a field beside what the other fields say. */
export const useSuggestions = (field: FieldName, values: FieldValues): Suggestion[] => {
  const { today } = useSession();
  const { groups, column, within }: PickField = PICK_FIELDS[field];
  const { data: rows = [] } = useQuery(rowsQuery(addMonths(monthOf(today), -1), groups));
  const fitting = rows.filter((row) =>
    within.every(([other, otherColumn]) => [undefined, '', row[otherColumn]].includes(values[other])),
  );
  const found = new Map<string, Suggestion>();
  for (const row of fitting) {
    const value = row[column];
    if (typeof value !== 'string' || value === '') continue;
    found.set(value, { value, name: column === 'account' ? nameIn(row) : null });
  }
  return [...found.values()];
};

const nameIn = ({ account, account_name: name }: Schema<'BreakdownRow'>): string | null =>
  typeof name === 'string' && name !== account ? name : null;

/** Returns what the accounts of picks are called. Asks only if a pick has an account. */
export const useAccountNames = (picks: readonly SpendPick[]): AccountNames => {
  const { today } = useSession();
  const { data: rows = [] } = useQuery({
    ...rowsQuery(addMonths(monthOf(today), -1), PICK_FIELDS.account.groups),
    enabled: picks.some((pick) => pick.source === 'cloud' && pick.account !== undefined),
  });
  return new Map(
    rows.flatMap((row) => {
      const name = nameIn(row);
      return name === null ? [] : [[accountKey(String(row['cloud']), String(row['account'])), name]];
    }),
  );
};
