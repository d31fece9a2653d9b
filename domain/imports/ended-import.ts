import { missingDaysInWords } from '../metrics/value-gap.ts';
import { addDays, type Day, type Month } from '../shared/calendar.ts';
import { PLATFORM_NAMES } from './connection.ts';
import { hasReadDay, hasReadIntoDay, hasReadMonth, type ImportReach } from './import-reach.ts';

/** An import that was disconnected on a day, and what it had read. */
export interface EndedImport {
  reach: ImportReach;
  disconnectedOn: Day;
}

/** Where the values of a month end. */
export interface LastValues {
  /** The last days of the month that lack values (value-gap.ts); null if none does. */
  missing: { from: Day; through: Day } | null;
  /** The last day whose value an import has recorded, and nobody since; null without one. */
  lastImported: Day | null;
}

/**
 * Returns why the values of a month are not complete, since their import was disconnected before it had read the month to its end;
 * null if they are. Its last days have no values, and nobody has recorded any since. Or its last value is of a day that was not
 * over.
 */
export const endedInWords = (
  { reach, disconnectedOn }: EndedImport,
  month: Month,
  { missing, lastImported }: LastValues,
): string | null => {
  if (reach.read.length + reach.readBefore.length === 0 || hasReadMonth(reach, month)) return null;
  const ended = `the import from ${PLATFORM_NAMES[reach.type]} was disconnected on ${disconnectedOn}`;
  if (missing !== null && missing.from <= addDays(disconnectedOn, 1))
    return `${ended}, and ${missingDaysInWords(missing)}`;
  return lastImported !== null && hasReadIntoDay(reach, lastImported) && !hasReadDay(reach, lastImported)
    ? `${ended}, and had read ${lastImported} only in part`
    : null;
};
