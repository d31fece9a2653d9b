import { queryOptions } from '@tanstack/react-query';
import { api, bodyOf, dataOf, type Schema } from '../../http/api.ts';
import { listQuery } from '../../http/list-query.ts';

export type Key = Schema<'Key'>;

const MOST = 1_000;

/** The keys of the organisation in pages, oldest first, with revoked ones. */
export const keysQuery = listQuery(['keys', 'pages'], (query, signal) =>
  bodyOf(api.GET('/api/v1/keys', { params: { query }, signal })),
);

/** As many keys as one request returns, for their names. */
export const keyNamesQuery = queryOptions({
  queryKey: ['keys', 'names'],
  queryFn: ({ signal }) => dataOf(api.GET('/api/v1/keys', { params: { query: { limit: MOST } }, signal })),
});
