import type { Credentials } from '../../domain/sources/credentials.ts';
import type { ReadingRecord, ReadingState } from '../../domain/sources/readings/reading-record.ts';
import type { SourceRules } from '../../egress/locations/source-rules.ts';
import type { LoadSessions } from '../../warehouse/engine/readers/load-sessions.ts';
import type { StoredReading } from '../../warehouse/sources/publishing/last-reading.ts';
import type { Load, StagedLoad } from '../../warehouse/sources/publishing/load.ts';
import type { Attempt } from '../shared/with-heartbeats.ts';
import type { SourceFiles } from './source-files.ts';

/** What the reading of a source needs. */
export interface Reading {
  sessions: LoadSessions;
  load: Load;
  files: SourceFiles;
  /** The organisation's currency. */
  currency: string;
  rules: SourceRules;
  /** The source's own; null without any. */
  credentials: Credentials | null;
  attempt: Attempt;
  /** The setting BIGQUERY_API_ENDPOINT. */
  bigQueryEndpoint?: string | undefined;
  /** How many of the newest days an API is asked for; by default all that the source lacks. */
  newestDays?: number;
  /** How many of the newest billing periods of a table are read, each of which is a query that is billed; by default all that have changed. */
  newestPeriods?: number;
  continued: ContinuedReading;
}

/** What decides what is read. */
interface ContinuedReading {
  /** What the current loads were read from; null if that is not known. */
  since: StoredReading | null;
  state: ReadingState;
  /** Whether everything is read, whatever has changed. */
  readAll: boolean;
}

/** What a reading brings. */
export interface SourceReading {
  /** Null if nothing had to be read. */
  staged: StagedLoad | null;
  /** What the loads are read from once they are published; null if that is not recorded, or has not changed. */
  record: ReadingRecord | null;
}
