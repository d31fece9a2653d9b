import type { SourceRules } from '../../egress/locations/source-rules.ts';
import type { LoadSessions } from '../../warehouse/engine/readers/load-sessions.ts';
import type { LoadScope } from '../../warehouse/sources/publishing/load.ts';
import type { Attempt } from '../shared/with-heartbeats.ts';
import type { SourceFiles } from './source-files.ts';

/** What the reading of a source needs. */
export interface Reading {
  sessions: LoadSessions;
  scope: LoadScope;
  files: Pick<SourceFiles, 'at'>;
  /** The organisation's currency. */
  currency: string;
  rules: SourceRules;
  attempt: Attempt;
}
