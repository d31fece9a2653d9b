import type { ApiActor } from '../organisations/actor.ts';
import type { Day, Month } from '../shared/calendar.ts';
import type { DecimalText } from '../shared/decimals.ts';
import type { Coverage } from '../sources/coverage.ts';
import type { Doubt } from '../sources/doubts.ts';

/** The newest version of a locked month, frozen (docs/concepts.md#a-month-and-its-states). */
export interface MonthLock {
  version: number;
  /** Null, as the value, if they are sealed and cannot be opened. */
  cost: DecimalText | null;
  value: DecimalText | null;
  unitCost: DecimalText | null;
  lockedAt: string;
  lockedBy: ApiActor;
  /** The month's `valueChanges` at the time of the lock. */
  valueChanges: number;
  /** Whether sources had not delivered all spend at the time of the lock. */
  isIncomplete: boolean;
}

/** What the warehouse knows about one month of one metric. */
export interface MonthFacts {
  month: Month;
  /** The scope's spend over the month's days so far; null if no source covers any of them. */
  cost: DecimalText | null;
  /** Which days of the month the sources of the scope cover. */
  coverage: Coverage;
  /** Picked tag keys and splits that lack data for days of the month, in words. */
  uncollected: string[];
  /** The sum of the month's values; null without values, or if one of them cannot be opened. */
  valueSum: DecimalText | null;
  /** That sealed values of the month cannot be opened; null or missing if they can. */
  unreadable?: Doubt | null;
  /** How many periods of the month have a value. */
  valuePeriods: number;
  /** What is not certain about the values, once the month has ended. */
  valueDoubts?: readonly Doubt[];
  /** The last days of the month that lack a value, once it has ended; null or missing without such days. */
  missingLastDays?: { from: Day; through: Day } | null;
  /** What else to know about the values, in words. */
  valueNotes?: readonly string[];
  /** How many times a value of the month was added, replaced or removed. */
  valueChanges: number;
  /** Whether the month has settled; with team scope, whether the team's bill has sealed. */
  settled: boolean;
  /** Whether the scope is a team. The cost is then its bill. */
  team: boolean;
  /** With team scope: what the team's bill waits for beside spend, in words. */
  waitingFor?: readonly string[];
  lock: MonthLock | null;
  /** Only for the running month, if it can be compared. */
  sameDays?: SameDays;
}

export type DaysFacts = Pick<MonthFacts, 'cost' | 'valueSum' | 'valuePeriods'>;

/**
 * The running month's complete days, the 1st to `through`, and the same days of the month before; null if its days are not known.
 * Neither includes values of a monthly metric.
 */
export interface SameDays {
  through: Day;
  now: DaysFacts;
  before: DaysFacts | null;
}
