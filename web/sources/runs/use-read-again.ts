import { api, dataOf } from '../../http/api.ts';
import { useChange } from '../../shared/forms/use-change.ts';
import { useStartedRun, type StartedRun } from '../../shared/use-started-run.ts';
import { newestRun, SPEND_CHANGES } from '../sources-queries.ts';

/** Reads all of a source again, and follows the run. */
export const useReadAgain = (sourceId: string): StartedRun =>
  useStartedRun(
    useChange({
      send: () =>
        dataOf(
          api.POST('/api/v1/cost-sources/{id}/ingest', { params: { path: { id: sourceId } }, body: {} }),
        ),
      changes: ['sources', 'runs'],
      done: () => 'A run of the source has started.',
    }),
    {
      key: ['runs', sourceId, 'started'],
      newest: (signal) => newestRun(sourceId, signal),
      changed: SPEND_CHANGES,
    },
  );
