import { unavailable } from './errors.ts';

export interface PlaceLimits {
  /** Places in all. */
  total: number;
  /** Places that one owner has at most. */
  each: number;
  /** How many of one owner wait at most. */
  mostWaiting: number;
}

interface Owner {
  taken: number;
  waiting: (() => void)[];
}

/** A limited number of places. Each owner has a part of them at most, and owners that wait take turns. */
export class FairPlaces {
  readonly #limits: PlaceLimits;
  readonly #owners = new Map<string, Owner>();
  #taken = 0;

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  /**
   * Waits for a place. Returns what gives it back, once.
   *
   * @param signal aborts when nobody needs the place any more.
   * @throws ServiceError `unavailable` if too many of the owner wait already.
   */
  async take(owner: string, signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) throw unavailable();
    const places = this.#owners.get(owner) ?? { taken: 0, waiting: [] };
    this.#owners.set(owner, places);
    if (!this.#isFree(places)) {
      if (places.waiting.length >= this.#limits.mostWaiting) throw unavailable();
      await new Promise<void>((resolve, reject) => {
        const leave = (): void => {
          places.waiting.splice(places.waiting.indexOf(lend), 1);
          reject(unavailable());
        };
        const lend = (): void => {
          signal.removeEventListener('abort', leave);
          resolve();
        };
        signal.addEventListener('abort', leave, { once: true });
        places.waiting.push(lend);
      });
    } else this.#occupy(places);
    let isTaken = true;
    return () => {
      if (isTaken) this.#giveBack(owner, places);
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

  #giveBack(owner: string, places: Owner): void {
    places.taken -= 1;
    this.#taken -= 1;
    if (places.taken === 0 && places.waiting.length === 0) this.#owners.delete(owner);
    for (const [name, next] of this.#owners) {
      if (!this.#isFree(next)) continue;
      const lend = next.waiting.shift();
      if (lend === undefined) continue;
      this.#occupy(next);
      // Who has just had a turn is looked at last.
      this.#owners.delete(name);
      this.#owners.set(name, next);
      lend();
      return;
    }
  }
}
