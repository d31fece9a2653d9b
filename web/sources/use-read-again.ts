import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../http/api.ts';
import { useChange } from '../shared/forms/use-change.ts';
import { useRunEnd } from '../shared/use-run-end.ts';
import { newestRunQuery, SPEND_CHANGES } from './sources-queries.ts';

const EVERY_MS = 1_500;

interface ReadAgain {
  start: () => void;
  isRunning: boolean;
  /** Why the run that this page started has failed; null if it has not. */
  error: string | null;
}

/** Reads all of a source again, and follows the run. Once it has ended, everything is asked again that it may have changed. */
export const useReadAgain = (sourceId: string): ReadAgain => {
  const [started, setStarted] = useState<string | null>(null);
  const ingest = useChange({
    send: () =>
      dataOf(api.POST('/api/v1/cost-sources/{id}/ingest', { params: { path: { id: sourceId } }, body: {} })),
    changes: ['sources', 'runs'],
    done: () => 'A run of the source has started.',
    onDone: ({ run_id }) => {
      setStarted(run_id);
    },
  });
  const { data: newest } = useQuery({
    ...newestRunQuery(sourceId, started),
    enabled: started !== null,
    refetchInterval: ({ state: { data } }) => (data?.status === 'running' ? EVERY_MS : false),
  });
  const run = started === null ? null : (newest ?? null);
  useRunEnd(run, SPEND_CHANGES);
  return {
    start: () => {
      ingest.mutate(undefined);
    },
    isRunning: ingest.isPending || (started !== null && (run === null || run.status === 'running')),
    error: run?.status === 'failed' ? (run.error ?? 'the run failed') : null,
  };
};
