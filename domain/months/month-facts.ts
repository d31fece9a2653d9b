import type { Day, Month } from '../shared/calendar.ts';
import type { DecimalText } from '../shared/decimals.ts';
import type { Coverage } from '../sources/coverage.ts';

/** The newest version of a locked month, frozen (spec §3). */
export interface MonthLock {
  version: number;
  cost: DecimalText;
  value: DecimalText;
  unitCost: DecimalText | null;
  lockedAt: string;
  lockedBy: { type: 'key'; id: string; name: string };
  /** How many changes of the month's values the version had seen. */
  valueChanges: number;
  /** Whether it was locked without spend that sources had not delivered. */
  isIncomplete: boolean;
}

/** What the warehouse knows about one month of one metric. */
export interface MonthFacts {
  month: Month;
  /** The scope's spend over the month's days so far; null when no source covers any of them. */
  cost: DecimalText | null;
  /** Which days of the month the sources of the scope cover. */
  coverage: Coverage;
  /** Tag keys and splits that the scope picks by and that have no data for days of the month, in words. */
  uncollected: string[];
  /** Σ of the month's values; null without any. */
  valueSum: DecimalText | null;
  /** How many periods of the month have a value. */
  valuePeriods: number;
  /** How many times a value of the month was added, replaced or removed. */
  valueChanges: number;
  /** Whether the month has settled; with team scope, whether the team's bill has sealed. */
  settled: boolean;
  /** Whether the scope is a team, whose bill is the cost. */
  team: boolean;
  /** With team scope: what the team's bill waits for before it can seal, beside spend, in words. */
  waitingFor?: readonly string[];
  lock: MonthLock | null;
  /** Of the running month, where it can be compared. */
  sameDays?: SameDays;
}

/** What some days of a month come to: cost, and values as of a month. */
export type DaysFacts = Pick<MonthFacts, 'cost' | 'valueSum' | 'valuePeriods'>;

/**
 * The running month's days that are complete, the 1st to `through`, and the same days of the month before; null where its
 * days are not known. Values of a monthly metric are in neither.
 */
export interface SameDays {
  through: Day;
  now: DaysFacts;
  before: DaysFacts | null;
}
