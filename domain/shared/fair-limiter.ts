import { unavailable } from './errors.ts';

export interface FairLimits {
  /** The number of places. */
  total: number;
  /** The most places that one owner can hold. */
  each: number;
  /** The most calls of one owner that can wait. */
  mostWaiting: number;
}

interface Owner {
  taken: number;
  waiting: (() => void)[];
}

/** Limits how many calls run at once. Each owner can hold only a part of the places, and waiting owners get them in turn. */
export class FairLimiter {
  readonly #limits: FairLimits;
  readonly #owners = new Map<string, Owner>();
  #taken = 0;

  constructor(limits: FairLimits) {
    this.#limits = limits;
  }

  get total(): number {
    return this.#limits.total;
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return [...this.#owners.values()].reduce((sum, { waiting }) => sum + waiting.length, 0);
  }

  /**
   * Waits for a place. Returns a function that releases it. A second call of it does nothing.
   *
   * @param signal aborts if nobody needs the place any more.
   * @throws ServiceError `unavailable` if too many calls of the owner wait already, or if `signal` aborts.
   */
  async acquire(owner: string, signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) throw unavailable();
    const places = this.#owners.get(owner) ?? { taken: 0, waiting: [] };
    this.#owners.set(owner, places);
    if (!this.#isFree(places)) {
      if (places.waiting.length >= this.#limits.mostWaiting) throw unavailable();
      await new Promise<void>((resolve, reject) => {
        const leave = (): void => {
          places.waiting.splice(places.waiting.indexOf(grant), 1);
          reject(unavailable());
        };
        const grant = (): void => {
          signal.removeEventListener('abort', leave);
          resolve();
        };
        signal.addEventListener('abort', leave, { once: true });
        places.waiting.push(grant);
      });
    } else this.#occupy(places);
    let isTaken = true;
    return () => {
      if (isTaken) this.#release(owner, places);
      isTaken = false;
    };
  }

  #isFree({ taken }: Owner): boolean {
    return taken < this.#limits.each && this.#taken < this.#limits.total;
  }

  #occupy(places: Owner): void {
    places.taken += 1;
    this.#taken += 1;
  }

  #release(owner: string, places: Owner): void {
    places.taken -= 1;
    this.#taken -= 1;
    if (places.taken === 0 && places.waiting.length === 0) this.#owners.delete(owner);
    for (const [name, next] of this.#owners) {
      if (!this.#isFree(next)) continue;
      const grant = next.waiting.shift();
      if (grant === undefined) continue;
      this.#occupy(next);
      // An owner that gets a place moves to the end of the queue.
      this.#owners.delete(name);
      this.#owners.set(name, next);
      grant();
      return;
    }
  }
}
