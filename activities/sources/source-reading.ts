import type { ObjectStorage } from '../../domain/sources/object-storage.ts';
import type { HeldFiles } from '../../egress/locations/held-files.ts';
import type { SourceRules } from '../../egress/locations/source-rules.ts';
import type { LoadSessions } from '../../warehouse/engine/readers/load-sessions.ts';
import type { LoadScope } from '../../warehouse/sources/publishing/load.ts';
import type { Publish } from '../../warehouse/sources/publishing/publish-load.ts';
import type { Attempt } from '../shared/with-heartbeats.ts';

/** Everything that an attempt to read a source needs. */
export interface SourceReading {
  sessions: LoadSessions;
  scope: LoadScope;
  /** The organisation's currency. */
  currency: string;
  rules: SourceRules;
  /** Keeps local files open until the reading has ended. */
  held: HeldFiles;
  objectStorage: ObjectStorage;
  attempt: Attempt;
  publish: Publish;
}
