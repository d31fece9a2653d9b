import { PLATFORM_NAMES } from '../imports/connection.ts';
import { behindInWords, hasReadMonth, type ImportReach } from '../imports/import-reach.ts';
import { missingDaysInWords } from '../metrics/value-gap.ts';
import { addDays, type Day, type Month } from '../shared/calendar.ts';
import { waysOut, type Doubt, type WayOut } from '../sources/doubts.ts';

/**
 * Returns the doubt about the values of a month that has ended, while the metric's import has not read it to its end; null if it
 * has (contract §3, Import).
 */
export const importDoubt = (metricId: string, reach: ImportReach, month: Month): Doubt | null =>
  hasReadMonth(reach, month)
    ? null
    : {
        code: 'import_behind',
        sentence: behindInWords(reach, month),
        amount: null,
        ways_out: [...waysForward(metricId, reach, month), ...waysOut('import_behind', null)],
      };

/**
 * Returns the doubt about a month whose values end with an import that was disconnected before it had read the month to its end;
 * null if someone has recorded values since, or if the metric often lacks as many days.
 *
 * @param missing the last days of the month that lack values (value-gap.ts).
 */
export const disconnectDoubt = (
  metricId: string,
  { reach, disconnectedOn }: { reach: ImportReach; disconnectedOn: Day },
  month: Month,
  missing: { from: Day; through: Day } | null,
): Doubt | null => {
  const hasRead = reach.read.length + reach.readBefore.length > 0;
  if (missing === null || !hasRead || hasReadMonth(reach, month) || missing.from > addDays(disconnectedOn, 1))
    return null;
  const connect: WayOut = {
    action: 'connect_import',
    sentence: 'connect the metric again, or record the values',
    metric_id: metricId,
  };
  return {
    code: 'import_behind',
    sentence: `the import from ${PLATFORM_NAMES[reach.type]} was disconnected on ${disconnectedOn}, and ${missingDaysInWords(missing)}`,
    amount: null,
    ways_out: [connect, ...waysOut('import_behind', null)],
  };
};

const waysForward = (metricId: string, { pausedReason, last }: ImportReach, month: Month): WayOut[] => {
  // Below its plan, an import neither runs nor connects.
  if (pausedReason !== null) return [];
  const run: WayOut = {
    action: 'run_import',
    sentence: `run the import from ${month} on`,
    metric_id: metricId,
  };
  const connect: WayOut = {
    action: 'connect_import',
    sentence: 'correct what the message says, or connect the metric again',
    metric_id: metricId,
  };
  return last?.status === 'failed' ? [connect, run] : [run];
};
