import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../http/api.ts';

/** The organisation with its rules. */
export const organisationQuery = queryOptions({
  queryKey: ['organisation', 'rules'],
  queryFn: ({ signal }) => dataOf(api.GET('/api/v1/organisation', { signal })),
});

/** The calls of today, and how many the plan allows. */
export const quotaQuery = queryOptions({
  queryKey: ['organisation', 'quota'],
  queryFn: async ({ signal }) => (await dataOf(api.GET('/api/v1/auth/info', { signal }))).quota,
});
