import { queryOptions, useQuery } from '@tanstack/react-query';
import { accountKey, type AccountNames } from '../../domain/spend/pick-words.ts';
import type { SpendPick } from '../../domain/spend/spend-pick.ts';
import { api, dataOf } from '../http/api.ts';
import { useSession } from '../http/session.ts';
import { addMonths, firstDay, lastDay, monthOf, type Month } from '../shared/calendar.ts';

const accountsQuery = (month: Month) =>
  queryOptions({
    queryKey: ['costs', 'accounts', month],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/costs', {
          params: { query: { start_date: firstDay(month), end_date: lastDay(month) } },
          signal,
        }),
      ),
    staleTime: Infinity,
  });

/** Returns what the accounts of picks are called. Asks only if a pick has an account. */
export function useAccountNames(picks: readonly SpendPick[]): AccountNames {
  const { today } = useSession();
  const { data } = useQuery({
    ...accountsQuery(addMonths(monthOf(today), -1)),
    enabled: picks.some((pick) => pick.source === 'cloud' && pick.account !== undefined),
  });
  return new Map(
    (data?.by_account ?? []).flatMap(({ cloud, account, name }) =>
      name === null || name === account ? [] : [[accountKey(cloud, account), name]],
    ),
  );
}
