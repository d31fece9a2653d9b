import { unavailable } from '../../domain/shared/errors.ts';

/** Bytes of answers that may lie unread at once. */
interface UnreadLimits {
  total: number;
  each: number;
  /** The longest that the making of one answer waits for its reader, in ms. */
  patienceMs: number;
}

/** Counts the bytes of answers that are made and not read, by organisation, so that slow readers cannot fill the disk. */
export class UnreadAnswers {
  readonly #limits: UnreadLimits;
  readonly #bytes = new Map<string, number>();
  #total = 0;
  #waiting: (() => void)[] = [];

  constructor(limits: UnreadLimits) {
    this.#limits = limits;
  }

  /** Throws `unavailable` if an organisation has to read its answers first, or nobody has room. */
  refuseMore(orgId: string): void {
    if (this.#isFull(orgId)) throw unavailable('earlier answers are not read yet; read them, and try again');
  }

  /** Adds bytes that are made, or takes away bytes that are read. */
  add(orgId: string, bytes: number): void {
    const sum = (this.#bytes.get(orgId) ?? 0) + bytes;
    this.#total += bytes;
    if (sum === 0) this.#bytes.delete(orgId);
    else this.#bytes.set(orgId, sum);
    if (bytes <= 0) for (const wake of this.#waiting.splice(0)) wake();
  }

  /**
   * Returns a function that waits until there is room for more bytes, or the caller has gone. It throws if one answer has waited for
   * too long in all.
   */
  waitingFor(orgId: string, closed: AbortSignal): () => Promise<void> {
    const { patienceMs } = this.#limits;
    let waitedMs = 0;
    return async () => {
      while (!closed.aborted && this.#isFull(orgId)) {
        const begun = performance.now();
        await this.#room(patienceMs - waitedMs);
        waitedMs += performance.now() - begun;
        if (waitedMs >= patienceMs) throw new Error('the caller reads its answers too slowly');
      }
    };
  }

  #room(mostMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, mostMs);
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #isFull(orgId: string): boolean {
    return this.#total >= this.#limits.total || (this.#bytes.get(orgId) ?? 0) >= this.#limits.each;
  }
}
