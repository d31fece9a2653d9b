/** A limited number of places, lent in the order in which they are asked for. */
export class Places {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Waits for a place; whoever has one gives it back. */
  async take(): Promise<void> {
    if (this.#free === 0) return new Promise((lend) => this.#waiting.push(lend));
    this.#free -= 1;
  }

  giveBack(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
