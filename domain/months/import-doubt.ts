import {
  behindInWords,
  endedInWords,
  hasReadMonth,
  type EndedImport,
  type ImportReach,
  type LastValues,
} from '../imports/import-reach.ts';
import type { Month } from '../shared/calendar.ts';
import { waysOut, type Doubt, type WayOut } from '../sources/doubts.ts';

/**
 * Returns the doubt about the values of a month that has ended, while the metric's import has not read it to its end; null if it
 * has (docs/concepts.md#daily-imports).
 */
export const importDoubt = (metricId: string, reach: ImportReach, month: Month): Doubt | null =>
  hasReadMonth(reach, month) ? null : doubt(behindInWords(reach, month), waysForward(metricId, reach, month));

/** Returns the doubt about a month whose values end with an import that was disconnected; null if they are complete. */
export function disconnectDoubt(
  metricId: string,
  ended: EndedImport,
  month: Month,
  values: LastValues,
): Doubt | null {
  const sentence = endedInWords(ended, month, values);
  return sentence === null
    ? null
    : doubt(sentence, [connect(metricId, 'connect the metric again, or record the values')]);
}

const doubt = (sentence: string, ways: readonly WayOut[]): Doubt => ({
  code: 'import_behind',
  sentence,
  amount: null,
  ways_out: [...ways, ...waysOut('import_behind', null)],
});

const connect = (metricId: string, sentence: string): WayOut => ({
  action: 'connect_import',
  sentence,
  metric_id: metricId,
});

function waysForward(metricId: string, { pausedReason, last }: ImportReach, month: Month): WayOut[] {
  // Below its plan, an import neither runs nor connects.
  if (pausedReason !== null) return [];
  const run: WayOut = {
    action: 'run_import',
    sentence: `run the import from ${month} on`,
    metric_id: metricId,
  };
  return last?.status === 'failed'
    ? [connect(metricId, 'correct what the message says, or connect the metric again'), run]
    : [run];
}
