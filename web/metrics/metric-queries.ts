import { queryOptions } from '@tanstack/react-query';
import { api, bodyOf, dataOf, type Schema } from '../http/api.ts';
import { listQuery } from '../http/list-query.ts';

/** A metric with its last twelve months, whose numbers the key may see. */
export type ShownMetric = Schema<'MetricWithMonths'> | Schema<'RevenueMetricWithMonths'>;

/** A metric of the list. Of one that the key may not see, only id and name are there, and of revenue its kind. */
export type ListedMetric =
  Schema<'Metric'> | Schema<'RevenueMetric'> | Schema<'PrivateMetric'> | Schema<'FoundMetric'>;

const PAGE = 200;

/** The definitions of all metrics, by pages. */
export const metricsQuery = listQuery(['metric-list'], (at, signal) =>
  bodyOf(api.GET('/api/v1/metrics', { params: { query: { limit: PAGE, ...at } }, signal })),
);

/** One metric with its last twelve months. */
export const metricQuery = (id: string) =>
  queryOptions({
    queryKey: ['metrics', id],
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/metrics/{id}', { params: { path: { id } }, signal })),
  });

/** What a change of a metric's numbers may also change on shown pages (first parts of query keys). */
export const NUMBERS_OF_METRICS = [
  'metrics',
  'metric-list',
  'overview',
  'waiting',
  'teams',
  'values',
  'history',
  'versions',
  'imports',
];
