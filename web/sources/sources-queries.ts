import { queryOptions } from '@tanstack/react-query';
import { api, bodyOf, dataOf, type Schema } from '../http/api.ts';
import { listQuery } from '../http/list-query.ts';

export type CostSource = Schema<'CostSource'>;
export type Run = Schema<'Run'>;

/** Why a source has no day through which it has delivered. */
export const NOTHING_DELIVERED = 'no whole day with spend has arrived yet';

const RUNS_ON_A_PAGE = 20;

/** The subjects whose answers are loaded again after a source or its spend has changed. */
export const SPEND_CHANGES = [
  'sources',
  'runs',
  'costs',
  'spend',
  'overview',
  'waiting',
  'metrics',
  'metric-list',
  'teams',
] as const;

/** Where spend comes from, page by page. */
export const sourcesQuery = listQuery(['sources', 'list'], (query, signal) =>
  bodyOf(api.GET('/api/v1/cost-sources', { params: { query }, signal })),
);

/** One source with its last run. */
export const sourceQuery = (id: string) =>
  queryOptions({
    queryKey: ['sources', 'one', id],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/cost-sources/{id}', { params: { path: { id } }, signal })),
  });

/** What the runs of a source did, newest first, page by page. */
export const runsQuery = (id: string) =>
  listQuery(['runs', id], (at, signal) =>
    bodyOf(
      api.GET('/api/v1/cost-sources/{id}/runs', {
        params: { path: { id }, query: { limit: RUNS_ON_A_PAGE, ...at } },
        signal,
      }),
    ),
  );

/** Returns the newest run of a source, with the rows that it has read so far; null before the first. */
export async function newestRun(id: string, signal: AbortSignal): Promise<Run | null> {
  const { data } = await bodyOf(
    api.GET('/api/v1/cost-sources/{id}/runs', { params: { path: { id }, query: { limit: 1 } }, signal }),
  );
  return data[0] ?? null;
}

/** The newest run of a source. */
export const newestRunQuery = (id: string) =>
  queryOptions({
    queryKey: ['runs', id, 'newest'],
    queryFn: ({ signal }) => newestRun(id, signal),
  });
