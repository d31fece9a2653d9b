import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, bodyOf, dataOf, type Schema } from '../../http/api.ts';

export type Key = Schema<'Key'>;

const MOST = 1_000;

/** The keys of the organisation in pages, oldest first, with revoked ones. */
export const keysQuery = infiniteQueryOptions({
  queryKey: ['keys', 'pages'],
  queryFn: ({ pageParam, signal }) =>
    bodyOf(
      api.GET('/api/v1/keys', { params: { query: pageParam === null ? {} : { cursor: pageParam } }, signal }),
    ),
  initialPageParam: null as string | null,
  getNextPageParam: ({ next_cursor }) => next_cursor,
  select: ({ pages }) => pages.flatMap(({ data }) => data),
});

/** As many keys as one request returns, for their names. */
export const keyNamesQuery = queryOptions({
  queryKey: ['keys', 'names'],
  queryFn: ({ signal }) => dataOf(api.GET('/api/v1/keys', { params: { query: { limit: MOST } }, signal })),
});
