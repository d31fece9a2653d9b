import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { NUMBERS_OF_METRICS } from '../metrics/metric-queries.ts';
import { useRunEnd } from '../shared/use-run-end.ts';
import { importQuery, type Import } from './import-query.ts';

/** The daily import of a metric. Once another run has ended, everything is asked again that its values may have changed. */
export function useCurrentImport(metricId: string): UseQueryResult<Import | null> {
  const query = useQuery(importQuery(metricId));
  useRunEnd(query.data === undefined ? undefined : (query.data?.last_run ?? null), NUMBERS_OF_METRICS);
  return query;
}
