import type { Day } from '../shared/calendar.ts';
import type { Definition } from './connection-rules.ts';
import type { Platform } from './platforms.ts';

/** A connection that a platform is asked about. */
export interface ConnectionToCheck<Of extends Platform = Platform> {
  definition: Definition<Of>;
  /** The credential as it is stored (connection-rules.ts). */
  credential: string;
  /** Whether the metric has a label key. */
  labelled: boolean;
  /** The days that the first run reads, both inclusive. */
  days: { start: Day; end: Day };
}

/** What a platform said of a connection. It can be imported if there are no problems. */
export interface CheckedConnection {
  /** What to change, in sentences. */
  problems: string[];
  /** Only of a query. */
  columns?: { name: string; type: string }[];
  /** Only of a query: the bytes that a first run reads; null if they cannot be estimated. */
  bytesProcessed?: number | null;
}
