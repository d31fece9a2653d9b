import type { Day, Month } from '../../../domain/shared/calendar.ts';
import { toWire, type DecimalText } from '../../../domain/shared/decimals.ts';
import { onDays } from './asset-notes.ts';

/** The source and the months of a run, which gets notes on spend that counts twice. */
export interface DoubledScope {
  org: string;
  source: string;
  months: readonly Month[];
}

/** Spend that two sources both count, on some days. */
export interface Doubled {
  days: number;
  first_day: Day;
  last_day: Day;
  cost: DecimalText;
}

/** Returns `24 counts twice on 1 day, 2026-01-10`. */
export const twice = (doubled: Doubled): string =>
  `${String(toWire(doubled.cost))} counts twice ${onDays(doubled)}`;
