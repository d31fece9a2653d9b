import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';

/**
 * Asks again for everything that a run may have changed, once another run has ended.
 *
 * @param run the last run; undefined while it is not known.
 * @param changed the first parts of the query keys of what runs change.
 */
export function useRunEnd(
  run: { run_id: string; status: string } | null | undefined,
  changed: readonly unknown[],
): void {
  const queryClient = useQueryClient();
  const isKnown = run !== undefined;
  const endedRun = run == null || run.status === 'running' ? null : run.run_id;
  const knownRun = useRef<string | null | undefined>(undefined);
  useEffect(() => {
    if (!isKnown) return;
    if (knownRun.current !== undefined && endedRun !== null && endedRun !== knownRun.current)
      void queryClient.invalidateQueries({
        predicate: ({ queryKey: [subject] }) => changed.includes(subject),
      });
    knownRun.current = endedRun;
  }, [isKnown, endedRun, changed, queryClient]);
}
