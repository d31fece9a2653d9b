/** Leaves the queue. Does nothing the second time. */
export type Leave = () => void;

/** The queue of transactions that commit one after the other. */
export interface CommitQueue {
  /** Waits until the transaction is first in the queue. Returns how it leaves. */
  enter: () => Promise<Leave>;
  close: () => void;
}

/** No queue: DuckDB merges what transactions of one process write. */
export const NO_COMMIT_QUEUE: CommitQueue = {
  enter: () => Promise.resolve(() => undefined),
  close: () => undefined,
};
