import type { SourceRules } from '../../egress/locations/source-rules.ts';
import type { LoadSessions } from '../../warehouse/engine/readers/load-sessions.ts';
import type { Load } from '../../warehouse/sources/publishing/load.ts';
import type { Attempt } from '../shared/with-heartbeats.ts';
import type { SourceFiles } from './source-files.ts';
import type { BigQueryReach } from './tables/bigquery-reach.ts';

/** What the reading of a source needs. */
export interface Reading {
  sessions: LoadSessions;
  load: Load;
  files: SourceFiles;
  /** The organisation's currency. */
  currency: string;
  rules: SourceRules;
  attempt: Attempt;
  bigQuery: BigQueryReach;
}
