import type { Day } from '../../shared/calendar.ts';

/** What a source can read as one: a file, or a month of a table. */
export interface Readable {
  /** Tells it from the others of the source. It holds no credential. */
  name: string;
  /** Differs once its content or its delivery does; null if nothing tells, so that it is read each time. */
  version: string | null;
  bytes: number | null;
  /** Milliseconds since 1970. */
  writtenAt: number | null;
}

/** What was read, and the billing periods that it has rows of, or repeats from others. */
interface ReadThing extends Readable {
  periods: readonly Day[];
}

/** A purchase at an edge of its billing period. It can count because of one on the day before or after, on another bill. */
export interface EdgePurchase {
  /** A short text for the account. */
  account: string;
  day: Day;
  /** Whether its own bill has none on the days beside it, and no usage on its day. */
  isAlone: boolean;
}

/** What a reading has found of a billing period. */
export interface FoundPeriod {
  period: Day;
  /** The last day of the period. */
  ends: Day;
  /** The last day of its rows. */
  lastDay: Day;
  stored: number;
  rejected: number;
  edges: readonly EdgePurchase[];
}

/** A billing period of a source, as its last reading found it. */
export interface ReadPeriod extends FoundPeriod {
  /** The day of the reading. */
  readOn: Day;
}

/** A choice by which loads divide spend, from its first day on. */
export interface CollectedChoice {
  kind: string;
  cloud: string;
  account: string;
  choice: string;
  first_day: Day;
}

/** Whatever changes the rows of a load beside the files. */
export interface ReadingState {
  /** A digest of the location, the options, the currency and the rules of reading. */
  settings: string;
  choices: readonly CollectedChoice[];
  today: Day;
}

/** What the current loads of a source were read from. */
export interface ReadingRecord {
  settings: string;
  choices: readonly CollectedChoice[];
  things: readonly ReadThing[];
  periods: readonly ReadPeriod[];
  /** Whether rows of one period depend on the files of the others, so that a change of one means to read all. */
  isWhole: boolean;
}
