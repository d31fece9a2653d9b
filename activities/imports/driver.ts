import type { CheckedConnection, ConnectionToCheck } from '../../domain/imports/checked-connection.ts';
import type { ImportedValue } from '../../domain/imports/imported-value.ts';
import type { Platform } from '../../domain/imports/platforms.ts';
import type { Uncounted } from '../../domain/imports/uncounted.ts';

/** Where a platform is reached, and until when it is asked. */
export interface PlatformAccess {
  /** The base URL of its API, from the settings. */
  address: string;
  signal: AbortSignal;
}

/** A run that reads the values of a connection. */
interface Reading<Of extends Platform> extends ConnectionToCheck<Of> {
  runId: string;
  /** The metric's currency; null for counts. */
  currency: string | null;
  /** The state that an earlier attempt reported last; undefined without one. A driver checks it. */
  resume: unknown;
  /** Reports how many rows were read so far, and the state, as JSON, from which a later attempt can continue. */
  report: (rowsRead: number, state?: unknown) => void;
}

/** What a platform gives of a run's days. */
interface PlatformValues {
  /** The values, in parts. */
  parts: AsyncIterable<readonly ImportedValue[]> | readonly (readonly ImportedValue[])[];
  /** The rows that the platform gave, if they are not the values. */
  rows?: number;
  /** What does not count; null if the platform lists nothing of that kind. */
  uncounted: Uncounted | null;
}

/** How the service reads a platform. Nothing that a driver returns or throws holds a part of the credential. */
export interface Driver<Of extends Platform> {
  /**
   * Asks the platform whether a connection can be imported, without reading or paying anything (docs/concepts.md#daily-imports).
   * Throws Outage if the platform cannot be asked.
   */
  check: (connection: ConnectionToCheck<Of>, access: PlatformAccess) => Promise<CheckedConnection>;
  /**
   * Reads the values of the run's days, in constant memory. Throws `invalid` if a person must act, and Outage if the platform is
   * away. A later attempt of the run continues, and pays nothing twice.
   */
  values: (reading: Reading<Of>, access: PlatformAccess) => Promise<PlatformValues>;
}
