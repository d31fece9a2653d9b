import type { Day, Month } from '../../../domain/shared/calendar.ts';
import { toWire, type DecimalText } from '../../../domain/shared/decimals.ts';
import { onDays } from './asset-notes.ts';

/** Whose run tells what counts twice, and of which months. */
export interface DoubledScope {
  org: string;
  source: string;
  months: readonly Month[];
}

/** What a source and another one both bring, on some days. */
export interface Doubled {
  days: number;
  first_day: Day;
  last_day: Day;
  cost: DecimalText;
}

/** `24 counts twice on 1 day, 2026-01-10`. */
export const twice = (doubled: Doubled): string =>
  `${String(toWire(doubled.cost))} counts twice ${onDays(doubled)}`;
