import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../http/api.ts';
import { NUMBERS_OF_METRICS } from '../metrics/metric-queries.ts';
import { useChange } from '../shared/forms/use-change.ts';
import { useRunEnd } from '../shared/use-run-end.ts';
import { importQuery } from './import-query.ts';

interface RunImport {
  start: () => void;
  isRunning: boolean;
  /** Why the run that this page started has failed; null if it has not. */
  error: string | null;
}

/** Runs the import of a metric from a month on, and follows the run. Once it has ended, the metric's numbers are asked again. */
export const useRunImport = (metricId: string, month: string): RunImport => {
  const [isFollowed, setIsFollowed] = useState(false);
  const run = useChange({
    send: () =>
      dataOf(
        api.POST('/api/v1/metrics/{id}/import/run', {
          params: { path: { id: metricId } },
          body: { start_month: month },
        }),
      ),
    changes: ['imports'],
    done: () => 'The import has started.',
    onDone: () => {
      setIsFollowed(true);
    },
  });
  const { data } = useQuery({ ...importQuery(metricId), enabled: isFollowed });
  const last = isFollowed ? (data?.last_run ?? null) : null;
  useRunEnd(last, NUMBERS_OF_METRICS);
  return {
    start: () => {
      run.mutate(undefined);
    },
    isRunning: run.isPending || last?.status === 'running',
    error: last?.status === 'failed' ? (last.error ?? 'the run failed') : null,
  };
};
