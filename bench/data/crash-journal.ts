/** A value that a client sends. */
export interface SentValue {
  period: string;
  value: number;
}

/** A client's knowledge about its metric: acknowledged values, and values that it was sending when the service died. */
export class CrashJournal {
  readonly #acknowledged = new Map<string, number>();
  #inDoubt: (readonly SentValue[])[] = [];
  #writes = 0;

  /** The number of values that the service acknowledged with 200. */
  get writes(): number {
    return this.#writes;
  }

  acknowledge(batch: readonly SentValue[]): void {
    this.#writes += batch.length;
    this.#know(batch);
  }

  /** Records a batch whose request broke off. The service must have stored all of it or nothing. */
  doubt(batch: readonly SentValue[]): void {
    this.#inDoubt.push(batch);
  }

  /**
   * Compares the journal with the values of the restarted service, and returns the problems. From then on a batch in doubt counts
   * as stored or not stored, as found. A value that was found may not vanish, and one that was not may not appear.
   */
  check(stored: ReadonlyMap<string, number>): string[] {
    const problems: string[] = [];
    for (const batch of this.#inDoubt) {
      const applied = batch.filter(({ period, value }) => stored.get(period) === value).length;
      if (applied === batch.length) this.#know(batch);
      else if (applied > 0) problems.push(`half a batch: ${applied} of ${batch.length} values are stored`);
    }
    this.#inDoubt = [];
    for (const [period, value] of this.#acknowledged) {
      const found = stored.get(period);
      if (found !== value)
        problems.push(`${period}: acknowledged as ${value}, stored as ${found ?? 'nothing'}`);
    }
    for (const [period, value] of stored) {
      if (!this.#acknowledged.has(period))
        problems.push(`${period}: ${value} is stored, but was not expected`);
    }
    return problems;
  }

  #know(batch: readonly SentValue[]): void {
    for (const { period, value } of batch) this.#acknowledged.set(period, value);
  }
}
