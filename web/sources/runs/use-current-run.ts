import { useQuery } from '@tanstack/react-query';
import { useRunEnd } from '../../shared/use-run-end.ts';
import { newestRunQuery, SPEND_CHANGES, type CostSource, type Run } from '../sources-queries.ts';

const EVERY_MS = 1_500;

/**
 * The last run of a source. While it is under way, the service is asked for its progress. Once another run has ended, everything
 * is asked again that its spend may have changed.
 */
export function useCurrentRun({ id, last_run: known }: CostSource): Run | null {
  const isRunning = known?.status === 'running';
  const { data } = useQuery({
    ...newestRunQuery(id),
    enabled: isRunning,
    refetchInterval: EVERY_MS,
  });
  const newest = isRunning && data?.run_id === known.run_id ? data : known;
  useRunEnd(newest, SPEND_CHANGES);
  return newest;
}
