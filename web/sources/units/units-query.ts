import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schema } from '../../http/api.ts';

export type Unit = Schema<'CostSourceUnit'>;

/** The accounts, clusters, hosts or tools of a source, and the days that they lack. */
export const unitsQuery = (id: string) =>
  queryOptions({
    queryKey: ['sources', 'units', id],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/cost-sources/{id}/units', { params: { path: { id } }, signal })),
  });
