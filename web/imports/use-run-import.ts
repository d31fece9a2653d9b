import { api, dataOf } from '../http/api.ts';
import { NUMBERS_OF_METRICS } from '../metrics/metric-queries.ts';
import { useChange } from '../shared/forms/use-change.ts';
import { useStartedRun, type StartedRun } from '../shared/use-started-run.ts';
import { importOf } from './import-query.ts';

/** Runs the import of a metric from a month on, and follows the run. */
export const useRunImport = (metricId: string, month: string): StartedRun =>
  useStartedRun(
    useChange({
      send: () =>
        dataOf(
          api.POST('/api/v1/metrics/{id}/import/run', {
            params: { path: { id: metricId } },
            body: { start_month: month },
          }),
        ),
      changes: ['imports'],
      done: () => 'The import has started.',
    }),
    {
      key: ['imports', metricId, 'started'],
      newest: async (signal) => (await importOf(metricId, signal))?.last_run ?? null,
      changed: NUMBERS_OF_METRICS,
    },
  );
