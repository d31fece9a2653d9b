/**
 * What a statement does: reads rows, writes them, commits a transaction, or yields rows on demand. `other` is the rest, such as
 * temporary tables and the beginning of a transaction.
 */
export type StatementKind = 'read' | 'write' | 'commit' | 'stream' | 'other';

/** Observes the statements of a warehouse, for metrics and traces. It must not throw. */
export interface StatementObserver {
  /** Called when a statement begins. The caller calls the returned function when it has ended. */
  began: (kind: StatementKind, sql: string) => (hasFailed: boolean) => void;
  /** Called with the time for which a caller has waited for a session. */
  waited: (seconds: number) => void;
}

/** Observes nothing. */
export const UNOBSERVED: StatementObserver = {
  began: () => () => undefined,
  waited: () => undefined,
};
