import { api, bodyOf } from '../../http/api.ts';
import { listQuery } from '../../http/list-query.ts';

/** Which changes to show: of periods from start to end, and made at or after an instant. */
export interface HistoryFilter {
  start?: string;
  end?: string;
  since?: string;
}

/** The changes of a metric's values, newest first, by pages. */
export const historyQuery = (id: string, filter: HistoryFilter = {}) =>
  listQuery(['history', id, filter], (at, signal) =>
    bodyOf(
      api.GET('/api/v1/metrics/{id}/history', {
        params: { path: { id }, query: { ...filter, ...at } },
        signal,
      }),
    ),
  );
