import { firstDay, type Month } from '../../../domain/shared/calendar.ts';
import { lastReadableDay } from './readable-limits.ts';
import type { Parameters } from '../../engine/session.ts';

/** Which months a reading is asked for, and when it takes place. */
export interface ReadingScope {
  /** Months outside these are left alone; null leaves the side open. */
  startMonth: Month | null;
  endMonth: Month | null;
  now: Date;
}

/** The parameters that decide which rows are wanted and which days a row may name. */
export const readingBounds = ({ startMonth, endMonth, now }: ReadingScope): Parameters => ({
  start: startMonth === null ? null : firstDay(startMonth),
  end: endMonth === null ? null : firstDay(endMonth),
  last_day: lastReadableDay(now),
});

/** Whether a day is of the months that were asked for, as SQL. A row without a day is wanted, because it must be reported. */
export const isWanted = (day: string): string =>
  `(${day} < $start::DATE OR ${day} > last_day($end::DATE)) IS NOT TRUE`;
