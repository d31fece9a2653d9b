/** Throws if the decision may no longer be made alone. A transaction asks it right before its commit. */
export type Confirm = () => Promise<void>;

/** How long a decision waits for one of another node, in seconds. */
export const PATIENCE_S = 60;

/**
 * Lets only one decision at a time be made about the same thing. A decision reads the warehouse, and then stores what follows from
 * what it has read. So whoever decides next sees that. Nobody else keeps two writers apart, because all tables are append-only.
 * These decisions are those of one process: the only one that can write a DuckDB file.
 */
export class Decisions {
  readonly #queues = new Map<string, Promise<unknown>>();

  /**
   * Runs `work` after all earlier work about any of the same things, which `about` names. Several must always be named in the same
   * order. `work` must not make another decision itself, because that would wait for it.
   */
  alone<Result>(
    about: readonly string[],
    work: (confirm: Confirm) => Promise<Result>,
    patienceS = PATIENCE_S,
  ): Promise<Result> {
    return about.reduceRight<() => Promise<Result>>(
      (inner, thing) => () => this.#inTurn(thing, inner),
      () => this.amongNodes(about, work, patienceS),
    )();
  }

  /** Gives back what the decisions need. */
  close(): void {
    this.#queues.clear();
  }

  /** Runs `work` while no other node decides about the same things. */
  protected amongNodes<Result>(
    _about: readonly string[],
    work: (confirm: Confirm) => Promise<Result>,
    _patienceS: number,
  ): Promise<Result> {
    return work(() => Promise.resolve());
  }

  async #inTurn<Result>(thing: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#queues.get(thing) ?? Promise.resolve();
    const mine = before.then(work, work);
    const settled = mine.then(
      () => undefined,
      () => undefined,
    );
    this.#queues.set(thing, settled);
    try {
      return await mine;
    } finally {
      if (this.#queues.get(thing) === settled) this.#queues.delete(thing);
    }
  }
}
