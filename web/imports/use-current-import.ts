import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { NUMBERS_OF_METRICS } from '../metrics/metric-queries.ts';
import { importQuery, type Import } from './import-query.ts';

/**
 * The daily import of a metric. Once another run has ended, everything is asked again that its values may have changed.
 */
export const useCurrentImport = (metricId: string): UseQueryResult<Import | null> => {
  const queryClient = useQueryClient();
  const query = useQuery(importQuery(metricId));
  const run = query.data?.last_run ?? null;
  const isKnown = query.data !== undefined;
  const endedRun = run === null || run.status === 'running' ? null : run.run_id;
  const knownRun = useRef<string | null | undefined>(undefined);
  useEffect(() => {
    if (!isKnown) return;
    if (knownRun.current !== undefined && endedRun !== null && endedRun !== knownRun.current)
      void queryClient.invalidateQueries({
        predicate: ({ queryKey: [subject] }) => NUMBERS_OF_METRICS.some((changed) => changed === subject),
      });
    knownRun.current = endedRun;
  }, [isKnown, endedRun, queryClient]);
  return query;
};
