import { useQuery } from '@tanstack/react-query';
import { isConflict } from '../http/api-error.ts';
import type { Change } from './forms/use-change.ts';
import { useRunEnd } from './use-run-end.ts';

interface Run {
  run_id: string;
  status: 'running' | 'completed' | 'failed';
  error: string | null;
}

/** A button that starts a run. */
export interface StartedRun {
  start: () => void;
  isRunning: boolean;
  /** Why the run failed; null if it has not. */
  error: string | null;
}

const EVERY_MS = 1_500;

/**
 * Follows the run that a change starts, or the run that is under way already. Once it has ended, everything is asked again that
 * it may have changed.
 */
export function useStartedRun(
  change: Change<undefined, { run_id: string }>,
  {
    key,
    newest,
    changed,
  }: {
    /** The key of the query for the newest run. */
    key: readonly string[];
    newest: (signal: AbortSignal) => Promise<Run | null>;
    /** First parts of the query keys of what the run may change. */
    changed: readonly string[];
  },
): StartedRun {
  const isFollowed = change.isSuccess || isConflict(change.error);
  const { data, isPending } = useQuery({
    queryKey: [...key, change.data?.run_id ?? null, change.submittedAt],
    queryFn: ({ signal }) => newest(signal),
    enabled: isFollowed,
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? EVERY_MS : false),
  });
  const run = isFollowed ? (data ?? null) : null;
  useRunEnd(run, changed);
  return {
    start: () => {
      change.mutate(undefined);
    },
    isRunning: change.isPending || (isFollowed && (isPending || run?.status === 'running')),
    error: run?.status === 'failed' ? (run.error ?? 'the run failed') : null,
  };
}
