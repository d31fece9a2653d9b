import { LRUCache } from 'lru-cache';
import type { Look, Part, State } from './states.ts';

/** Something that is derived from an organisation's rows, and from nothing else. */
export interface Derived<Value> {
  /** What it is; no other has the same. */
  name: string;
  /** What it is derived from. */
  from: readonly Part[];
  /** About how many bytes of memory a value takes. */
  bytesOf: (value: Value) => number;
}

/** What is known of something. */
export interface Found<Value> {
  /** What was derived before; null if that no longer holds. */
  known: Promise<Value> | null;
  /** Keeps what is derived now. */
  keep: (value: Promise<Value>) => void;
}

/** Derives what belongs to one organisation, or recalls it; see {@link Memory.recall} and {@link Memory.recallEach}. */
export interface Recall {
  one: <Value>(derived: Derived<Value>, key: string, make: () => Promise<Value>) => Promise<Value>;
  each: <Value>(
    derived: Derived<Value>,
    keys: ReadonlyMap<string, readonly Part[]>,
    make: (missing: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
  ) => Promise<ReadonlyMap<string, Value>>;
}

/** Derives everything, for example within a transaction. */
export const AFRESH: Recall = {
  one: (_derived, _key, make) => make(),
  each: (_derived, keys, make) => make([...keys.keys()]),
};

interface Kept {
  state: State;
  value: Promise<unknown>;
}

/** A value that would take a larger part than one of these is not kept. */
const MOST_PARTS = 8;

/** What a key, a state and the bookkeeping take, in bytes. */
const OVERHEAD_BYTES = 500;

/**
 * Keeps what was derived from the warehouse, until what it was derived from changes (States). It forgets first what was not
 * asked for the longest. Each organisation has its own entries.
 */
export class Memory {
  readonly #kept: LRUCache<string, Kept> | null;

  /** @param bytes the most that it keeps; 0 keeps nothing. */
  constructor(bytes: number) {
    this.#kept =
      bytes === 0 ? null : new LRUCache<string, Kept>({ maxSize: bytes, maxEntrySize: bytes / MOST_PARTS });
  }

  /**
   * Looks for something that was derived before.
   *
   * @param look begins after the request that the value answers.
   * @param key tells the values of an organisation apart, with all that they depend on besides rows, such as the day.
   */
  find<Value>(
    look: Look,
    derived: Derived<Value>,
    orgId: string,
    key: string,
  ): Found<Value> | Promise<Found<Value>> {
    const state = look.of(orgId, derived.from);
    const findAt = (at: State): Found<Value> => this.#findAt(at, derived, orgId, key);
    return typeof state === 'number' ? findAt(state) : state.then(findAt);
  }

  /** Recalls what belongs to one organisation. */
  of(look: Look, orgId: string): Recall {
    return {
      one: (derived, key, make) => this.recall(look, derived, orgId, key, make),
      each: (derived, keys, make) => this.recallEach(look, derived, orgId, keys, make),
    };
  }

  /**
   * Returns what was derived before, or derives it by `make`; see {@link find}. Callers at the same time share a derivation, so
   * that `make` must not end when one of them leaves.
   */
  recall<Value>(
    look: Look,
    derived: Derived<Value>,
    orgId: string,
    key: string,
    make: () => Promise<Value>,
  ): Promise<Value> {
    const found = this.find(look, derived, orgId, key);
    const knownOrMade = ({ known, keep }: Found<Value>): Promise<Value> => {
      if (known !== null) return known;
      const value = make();
      keep(value);
      return value;
    };
    return found instanceof Promise ? found.then(knownOrMade) : knownOrMade(found);
  }

  /**
   * Does the same for many keys. What is missing of them is derived at once.
   *
   * @param keys with what each value is derived from, in addition to what all are derived from.
   */
  async recallEach<Value>(
    look: Look,
    derived: Derived<Value>,
    orgId: string,
    keys: ReadonlyMap<string, readonly Part[]>,
    make: (missing: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
  ): Promise<Map<string, Value>> {
    const shared = await look.of(orgId, derived.from);
    const found: (Found<Value> & { key: string })[] = [];
    for (const [key, parts] of keys) {
      const own = look.of(orgId, parts);
      // A thousand promises would take longer than what they wait for.
      const state = Math.max(shared, typeof own === 'number' ? own : await own);
      found.push({ key, ...this.#findAt(state, derived, orgId, key) });
    }
    const missing = found.filter(({ known }) => known === null);
    const made = missing.length === 0 ? null : make(missing.map(({ key }) => key));
    const valueOf = async (key: string): Promise<Value> => {
      const value = (await made)?.get(key);
      if (value === undefined) throw new Error(`${derived.name}: nothing was derived for ${key}`);
      return value;
    };
    const values = found.map(({ key, known, keep }) => {
      if (known !== null) return [key, known] as const;
      const value = valueOf(key);
      keep(value);
      return [key, value] as const;
    });
    const all = await Promise.all(values.map(([, value]) => value));
    return new Map(values.map(([key], index) => [key, all[index] as Value]));
  }

  #findAt<Value>(state: State, { name, bytesOf }: Derived<Value>, orgId: string, key: string): Found<Value> {
    const place = `${orgId} ${name} ${key}`;
    const known = this.#kept?.get(place);
    return {
      known: known?.state === state ? (known.value as Promise<Value>) : null,
      keep: (value) => {
        this.#keep(place, { state, value }, bytesOf);
      },
    };
  }

  /** Keeps a value while it is derived, and afterwards with its size. What could not be derived is not kept. */
  #keep<Value>(
    place: string,
    entry: { state: State; value: Promise<Value> },
    bytesOf: (value: Value) => number,
  ): void {
    const kept = this.#kept;
    if (kept === null) return;
    kept.set(place, entry, { size: OVERHEAD_BYTES });
    entry.value.then(
      (value) => {
        // The cache takes the size of a new object only.
        if (kept.peek(place) === entry)
          kept.set(place, { ...entry }, { size: OVERHEAD_BYTES + bytesOf(value) });
      },
      () => {
        if (kept.peek(place) === entry) kept.delete(place);
      },
    );
  }
}
