import type { Day, Month } from '../shared/calendar.ts';
import type { Doubt, WayOut } from '../sources/doubts.ts';

/** Why a sealed number is not known, for whoever reads it. */
export const UNREADABLE = 'the master key of the service does not open it';

/**
 * Returns the doubt about a month some of whose values are sealed and cannot be opened; null without such values. Nobody can lock
 * the month meanwhile, because its sum is not known. An import records its values again.
 */
export function unreadableDoubt(
  metricId: string,
  month: Month,
  days: readonly Day[],
  isConnected: boolean,
): Doubt | null {
  const [first] = [...days].sort();
  if (first === undefined) return null;
  const others = days.length === 1 ? '' : ` and of ${days.length - 1} other days`;
  const again: WayOut = isConnected
    ? { action: 'run_import', sentence: `run the import from ${month} on`, metric_id: metricId }
    : { action: 'record_values', sentence: 'record these values again', metric_id: metricId };
  return {
    code: 'values_unreadable',
    sentence:
      `the value of ${first}${others} cannot be opened: ${again.sentence}, ` +
      'or ask the operator for the MASTER_KEY that sealed it',
    amount: null,
    ways_out: [again],
  };
}

/** Returns why the frozen numbers of a locked month are not known, and what to do. */
export const unreadableLock = (version: number): string =>
  `version ${version} cannot be opened: lock the month again, or ask the operator for the MASTER_KEY that sealed it`;
