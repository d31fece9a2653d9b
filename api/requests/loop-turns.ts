/** Lets each owner start one request in a turn of the event loop, so that the requests of others come between. */
export class LoopTurns {
  /** Has the owners who have started a request in this turn, with those of their requests that wait. */
  readonly #started = new Map<string, (() => void)[]>();

  /** Waits for a turn in which no other request of the owner has started. */
  async take(owner: string): Promise<void> {
    const waiting = this.#started.get(owner);
    if (waiting !== undefined) {
      await new Promise<void>((start) => waiting.push(start));
      return;
    }
    this.#started.set(owner, []);
    this.#passTo(owner);
  }

  #passTo(owner: string): void {
    setImmediate(() => {
      const start = this.#started.get(owner)?.shift();
      if (start === undefined) {
        this.#started.delete(owner);
        return;
      }
      start();
      this.#passTo(owner);
    });
  }
}
