import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { newestRunQuery, SPEND_CHANGES, type CostSource, type Run } from './sources-queries.ts';

const EVERY_MS = 1_500;

/**
 * The last run of a source. While it is under way, the service is asked for its progress. Once it has ended, everything is asked
 * again that its spend may have changed.
 */
export const useCurrentRun = ({ id, last_run: known }: CostSource): Run | null => {
  const queryClient = useQueryClient();
  const isRunning = known?.status === 'running';
  const { data } = useQuery({
    ...newestRunQuery(id),
    enabled: isRunning,
    refetchInterval: EVERY_MS,
  });
  const newest = isRunning && data?.run_id === known.run_id ? data : known;
  const hasEnded = isRunning && newest?.status !== 'running';
  useEffect(() => {
    if (!hasEnded) return;
    void queryClient.invalidateQueries({
      predicate: ({ queryKey: [subject] }) => SPEND_CHANGES.some((changed) => changed === subject),
    });
  }, [hasEnded, queryClient]);
  return newest;
};
