import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schema } from '../http/api.ts';

/** A metric at a glance whose numbers the key may see. */
export type Glance = Schema<'Glance'>;

/** A metric of the overview. Of revenue that the key may not see, only the metric is there. */
export type OverviewRow = Glance | { metric: Schema<'PrivateMetric'> };

export const overviewQuery = queryOptions({
  queryKey: ['overview'],
  queryFn: ({ signal }) => dataOf(api.GET('/api/v1/overview', { signal })),
});

export const waitingQuery = queryOptions({
  queryKey: ['waiting'],
  queryFn: ({ signal }) => dataOf(api.GET('/api/v1/waiting', { signal })),
});
