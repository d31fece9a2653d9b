import { queryOptions } from '@tanstack/react-query';
import { api, bodyOf, type Schema } from '../http/api.ts';

/** All teams, by as many pages as there are, to choose one from. */
export const teamNamesQuery = queryOptions({
  queryKey: ['teams', 'names'],
  queryFn: async ({ signal }) => {
    const teams: Schema<'Team'>[] = [];
    let cursor: string | null = null;
    do {
      const page: { data: Schema<'Team'>[]; next_cursor: string | null } = await bodyOf(
        api.GET('/api/v1/teams', {
          params: { query: { limit: 1000, ...(cursor === null ? {} : { cursor }) } },
          signal,
        }),
      );
      teams.push(...page.data);
      cursor = page.next_cursor;
    } while (cursor !== null);
    return teams;
  },
});
