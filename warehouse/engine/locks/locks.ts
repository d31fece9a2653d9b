/** Throws if the locks are no longer held. A transaction calls it right before its commit. */
export type Confirm = () => Promise<void>;

/** How long work waits for a lock that another node holds, in seconds. */
export const PATIENCE_S = 60;

/**
 * Named locks. Work that reads the warehouse in order to decide what it stores holds a lock from its first read to its commit. So
 * the next work of the same lock sees what was stored. Nothing else keeps two writers apart, because all tables are append-only.
 * These locks are those of one process: the only one that can write a DuckDB file.
 */
export class Locks {
  readonly #queues = new Map<string, Promise<unknown>>();

  /**
   * Runs `work` while it holds some locks, after all earlier work of any of them. Several locks must always have the same order.
   * `work` must not take a lock itself, because that would wait for `work`.
   */
  hold<Result>(
    locks: readonly string[],
    work: (confirm: Confirm) => Promise<Result>,
    patienceS = PATIENCE_S,
  ): Promise<Result> {
    return locks.reduceRight<() => Promise<Result>>(
      (inner, lock) => () => this.#inTurn(lock, inner),
      () => this.amongNodes(locks, work, patienceS),
    )();
  }

  /** Whether work of this process holds a lock, or waits for it. */
  isHeld(lock: string): boolean {
    return this.#queues.has(lock);
  }

  /** Releases what the locks need. */
  close(): void {
    this.#queues.clear();
  }

  /** Runs `work` while no other node holds any of the locks. */
  protected amongNodes<Result>(
    _locks: readonly string[],
    work: (confirm: Confirm) => Promise<Result>,
    _patienceS: number,
  ): Promise<Result> {
    return work(() => Promise.resolve());
  }

  async #inTurn<Result>(lock: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#queues.get(lock) ?? Promise.resolve();
    const mine = before.then(work, work);
    const settled = mine.then(
      () => undefined,
      () => undefined,
    );
    this.#queues.set(lock, settled);
    try {
      return await mine;
    } finally {
      if (this.#queues.get(lock) === settled) this.#queues.delete(lock);
    }
  }
}
