import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, bodyOf, dataOf, type Schema } from '../../http/api.ts';
import { listQuery } from '../../http/list-query.ts';

export type Pick = Schema<'SpendPick'>;

/** Who would have the picks, for its conflicts. */
export interface PickUser {
  type: 'metric' | 'team' | 'shared_cost';
  id?: string;
}

/** The key of a pick within a list. */
export const keyOf = (pick: Pick): string => JSON.stringify(pick);

const PAGE = 30;

/** What can be picked, dearest first, by pages. */
export const optionsQuery = (source: Pick['source'] | null, q: string) => ({
  ...listQuery(['spend', 'options', source, q], (at, signal) =>
    bodyOf(
      api.GET('/api/v1/spend/options', {
        params: {
          query: { limit: PAGE, ...(source === null ? {} : { source }), ...(q === '' ? {} : { q }), ...at },
        },
        signal,
      }),
    ),
  ),
  placeholderData: keepPreviousData,
});

/** What picks cost together, what overlaps, and what will be partial. */
export const previewQuery = (spend: readonly Pick[], user: PickUser) =>
  queryOptions({
    queryKey: ['spend', 'preview', user, spend],
    queryFn: ({ signal }) =>
      dataOf(api.POST('/api/v1/spend/preview', { body: { spend: [...spend], user }, signal })),
    placeholderData: keepPreviousData,
  });
