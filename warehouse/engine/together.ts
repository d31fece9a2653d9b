/** One caller's part of what is done together. */
interface Waiting<Item, Result> {
  item: Item;
  done: (result: Result) => void;
  failed: (error: unknown) => void;
}

/** How items are done. */
export interface Doing<Item, Result> {
  /** Does several items, all or none, and returns a result for each, in their order. */
  all: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Returns the lock that an item needs. */
  lockOf: (item: Item) => string;
  /** Returns whether another holds a lock. */
  isHeld: (lock: string) => boolean;
  /** Returns whether the items may be done again, each alone, after an error of all together. */
  mayRepeat: (error: unknown) => boolean;
}

/**
 * Does together what many callers want at once. The first item is done without a wait. Those that come meanwhile are done next, all
 * together. What needs a lock that another holds waits apart, with others of that lock. If several fail, those of each lock are done
 * by themselves, and if these fail, each item, so that only what is wrong fails.
 */
export class Together<Item, Result> {
  readonly #doing: Doing<Item, Result>;
  readonly #most: number;
  readonly #whenIdle: () => void;
  #waiting: Waiting<Item, Result>[] = [];
  #isBusy = false;
  /** By lock: what waits for it. */
  readonly #heldUp = new Map<string, Together<Item, Result>>();

  /** @param most how many items are done together at most. */
  constructor(doing: Doing<Item, Result>, most: number, whenIdle: () => void = () => undefined) {
    this.#doing = doing;
    this.#most = most;
    this.#whenIdle = whenIdle;
  }

  do(item: Item): Promise<Result> {
    return new Promise((done, failed) => {
      this.#add({ item, done, failed });
    });
  }

  #add(waiting: Waiting<Item, Result>): void {
    this.#waiting.push(waiting);
    if (!this.#isBusy) void this.#doAll();
  }

  async #doAll(): Promise<void> {
    this.#isBusy = true;
    while (this.#waiting.length > 0) {
      const some = this.#waiting.splice(0, this.#most);
      const free = some.filter((waiting) => !this.#waitsApart(waiting));
      if (free.length > 0) await this.#together(free);
    }
    this.#isBusy = false;
    this.#whenIdle();
  }

  /** Returns whether an item waits for a lock that another holds. */
  #waitsApart(waiting: Waiting<Item, Result>): boolean {
    const lock = this.#doing.lockOf(waiting.item);
    let apart = this.#heldUp.get(lock);
    if (apart === undefined) {
      if (!this.#doing.isHeld(lock)) return false;
      const doing = { ...this.#doing, isHeld: () => false };
      apart = new Together(doing, this.#most, () => this.#heldUp.delete(lock));
      this.#heldUp.set(lock, apart);
    }
    apart.#add(waiting);
    return true;
  }

  async #together(some: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#doing.all(some.map(({ item }) => item));
      for (const [at, { done, failed }] of some.entries()) {
        const result = results[at];
        if (result === undefined) failed(new Error('expected a result for each item'));
        else done(result);
      }
    } catch (error) {
      if (some.length > 1 && this.#doing.mayRepeat(error)) this.#inParts(some);
      else for (const { failed } of some) failed(error);
    }
  }

  /** Does the items of each lock, or each item if all have one lock. Nobody waits for them. */
  #inParts(some: readonly Waiting<Item, Result>[]): void {
    const lockOf = ({ item }: Waiting<Item, Result>): string => this.#doing.lockOf(item);
    const locks = [...new Set(some.map(lockOf))];
    const parts =
      locks.length > 1
        ? locks.map((lock) => some.filter((waiting) => lockOf(waiting) === lock))
        : some.map((waiting) => [waiting]);
    for (const part of parts) void this.#together(part);
  }
}
