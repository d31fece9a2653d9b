import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schema } from '../http/api.ts';
import { ApiError } from '../http/api-error.ts';

export type Import = Schema<'Import'>;

/** How often a running import is looked at. */
const WATCH_MS = 1_500;

/** Returns the daily import of a metric; null if none is connected. */
export async function importOf(id: string, signal: AbortSignal): Promise<Import | null> {
  try {
    return await dataOf(api.GET('/api/v1/metrics/{id}/import', { params: { path: { id } }, signal }));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** The daily import of a metric; null if none is connected. A running one is asked for again until it has ended. */
export const importQuery = (id: string) =>
  queryOptions({
    queryKey: ['imports', id],
    queryFn: ({ signal }) => importOf(id, signal),
    refetchInterval: ({ state }) => (state.data?.last_run?.status === 'running' ? WATCH_MS : false),
  });
