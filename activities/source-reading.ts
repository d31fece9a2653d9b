import type { ObjectStorage } from '../domain/object-storage.ts';
import type { HeldFiles } from '../egress/held-files.ts';
import type { SourceRules } from '../egress/source-rules.ts';
import type { LoadSessions } from '../warehouse/load-sessions.ts';
import type { LoadScope, Publish } from '../warehouse/publish-load.ts';
import type { Attempt } from './with-heartbeats.ts';

/** What a source is read with. */
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
