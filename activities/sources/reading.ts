import type { Credentials } from '../../domain/sources/credentials.ts';
import type { SourceRules } from '../../egress/locations/source-rules.ts';
import type { LoadSessions } from '../../warehouse/engine/readers/load-sessions.ts';
import type { Load } from '../../warehouse/sources/publishing/load.ts';
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
  /** How many of the newest days an API is asked for; by default all that the source lacks. */
  newestDays?: number;
}
