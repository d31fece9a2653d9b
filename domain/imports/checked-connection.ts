import type { Day } from '../shared/calendar.ts';
import type { ImportDefinition } from './connection.ts';

/** A connection that a platform is asked about. */
export interface ConnectionToCheck {
  definition: ImportDefinition;
  /** The restricted key, or the JSON of the service account key. */
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
