import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, bodyOf, dataOf, type Schema } from '../../http/api.ts';
import { listQuery } from '../../http/list-query.ts';
import type { Day } from '../../shared/calendar.ts';
import type { AuditAction } from './audit-actions.ts';

export type AuditRecord = Schema<'AuditRecord'>;

/** Which records to show. */
export interface AuditFilter {
  actor?: string | undefined;
  action?: AuditAction | undefined;
  target?: string | undefined;
  start?: Day | undefined;
  end?: Day | undefined;
}

/** The records of a filter in pages, newest first. The ones before stay while a changed filter is read. */
export const auditQuery = (filter: AuditFilter) => ({
  ...listQuery(['audit-log', filter], (at, signal) =>
    bodyOf(api.GET('/api/v1/audit-log', { params: { query: { ...filter, ...at } }, signal })),
  ),
  placeholderData: keepPreviousData,
  // Every page and every key may have added a record.
  staleTime: 0,
});

const MOST = 1_000;

/**
 * The newest records that name metrics, newest first. Most records of a metric have only its id. The list of metrics has the
 * names, too, but reading it would itself be a record of each revenue metric.
 */
export const metricNamesQuery = queryOptions({
  queryKey: ['audit-log', 'metric-names'],
  queryFn: async ({ signal }) => {
    const read = (action: AuditAction): Promise<AuditRecord[]> =>
      dataOf(api.GET('/api/v1/audit-log', { params: { query: { action, limit: MOST } }, signal }));
    const [updates, creations] = await Promise.all([read('metric.update'), read('metric.create')]);
    return [...updates, ...creations];
  },
});
