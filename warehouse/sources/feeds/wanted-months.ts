import { firstDay, type Month } from '../../../domain/shared/calendar.ts';
import { lastReadableDay } from './readable-limits.ts';
import type { Parameters } from '../../engine/sql/parameters.ts';

/** The months that a reading wants, and its time. */
export interface ReadingScope {
  /** The first and the last wanted month; null leaves the side open. */
  startMonth: Month | null;
  endMonth: Month | null;
  now: Date;
}

/** Returns the parameters that limit the wanted rows and the readable days. */
export const readingBounds = ({ startMonth, endMonth, now }: ReadingScope): Parameters => ({
  start: startMonth === null ? null : firstDay(startMonth),
  end: endMonth === null ? null : firstDay(endMonth),
  last_day: lastReadableDay(now),
});

/** Returns whether a day is in the wanted months, as SQL. A row without a day is wanted, because it must be reported. */
export const isWanted = (day: string): string => hasWantedDays(day, day);

/** Returns whether some day from `first` to `last` is in the wanted months, as SQL. */
export const hasWantedDays = (first: string, last: string): string =>
  `(${last} < $start::DATE OR ${first} > last_day($end::DATE)) IS NOT TRUE`;
