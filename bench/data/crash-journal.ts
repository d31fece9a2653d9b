/** A value that a client sends. */
export interface SentValue {
  period: string;
  value: number;
}

/** What one client knows about its metric: what was acknowledged, and what was under way when the service died. */
export class CrashJournal {
  readonly #acknowledged = new Map<string, number>();
  #inDoubt: (readonly SentValue[])[] = [];
  #writes = 0;

  /** Writes that were answered with 200. */
  get writes(): number {
    return this.#writes;
  }

  acknowledge(batch: readonly SentValue[]): void {
    this.#writes += batch.length;
    this.#know(batch);
  }

  /** The request broke off: its batch is stored as a whole or not at all. */
  doubt(batch: readonly SentValue[]): void {
    this.#inDoubt.push(batch);
  }

  /**
   * Compares with what the restarted service has; answers what is wrong, in words. From then on a batch in doubt
   * counts as what it turned out to be: nothing that was seen may vanish, nothing that was not may come.
   */
  check(stored: ReadonlyMap<string, number>): string[] {
    const problems: string[] = [];
    for (const batch of this.#inDoubt) {
      const applied = batch.filter(({ period, value }) => stored.get(period) === value).length;
      if (applied === batch.length) this.#know(batch);
      else if (applied > 0) problems.push(`half a batch: ${applied} of ${batch.length} values are there`);
    }
    this.#inDoubt = [];
    for (const [period, value] of this.#acknowledged) {
      const found = stored.get(period);
      if (found !== value)
        problems.push(`${period}: acknowledged as ${value}, stored as ${found ?? 'nothing'}`);
    }
    for (const [period, value] of stored) {
      if (!this.#acknowledged.has(period))
        problems.push(`${period}: ${value} is stored, but was never known`);
    }
    return problems;
  }

  #know(batch: readonly SentValue[]): void {
    for (const { period, value } of batch) this.#acknowledged.set(period, value);
  }
}
