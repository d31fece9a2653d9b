import { LRUCache } from 'lru-cache';
import type { Revisions, Part, Revision, RevisionLog } from './revisions.ts';

/** Something that is derived from an organisation's rows, and from nothing else. */
export interface Derived<Value> {
  /** What it is; no other has the same. */
  name: string;
  /** What it is derived from. */
  from: readonly Part[];
  /** About how many bytes of memory a value takes. */
  bytesOf: (value: Value) => number;
}

/**
 * How a transaction changes something that is derived from its rows. It takes the place of a new derivation after the commit. The
 * rows of `parts` must change by no other transaction from its first read to its commit.
 */
export interface Amendment<Value = unknown> {
  derived: Pick<Derived<Value>, 'name'> & { bytesOf(value: Value): number };
  orgId: string;
  key: string;
  /** What the value is derived from. */
  parts: readonly Part[];
  /** Returns the value after the transaction; null if it must be derived anew. */
  amended(value: Value): Value | null;
}

/** What is known of something. */
export interface Found<Value> {
  /** What was derived before; null if that no longer holds. */
  known: Promise<Value> | null;
  /** Keeps what is derived now. */
  keep: (value: Promise<Value>) => void;
}

/** The cache of one organisation; see {@link DerivedCache.cached} and {@link DerivedCache.cachedEach}. */
export interface OrganisationCache {
  one: <Value>(derived: Derived<Value>, key: string, make: () => Promise<Value>) => Promise<Value>;
  each: <Value>(
    derived: Derived<Value>,
    keys: ReadonlyMap<string, readonly Part[]>,
    make: (missing: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
  ) => Promise<ReadonlyMap<string, Value>>;
}

/** Derives everything, for example within a transaction. */
export const NO_CACHE: OrganisationCache = {
  one: (_derived, _key, make) => make(),
  each: (_derived, keys, make) => make([...keys.keys()]),
};

interface Kept {
  revision: Revision;
  value: Promise<unknown>;
  /** The value, once it is derived. */
  derived?: { value: unknown };
}

/** A value that would take a larger part than one of these is not kept. */
const MOST_PARTS = 8;

/** What a key, a revision and the bookkeeping take, in bytes. */
const OVERHEAD_BYTES = 500;

/**
 * Keeps what was derived from the warehouse, until what it was derived from changes (RevisionLog). It forgets first what was not
 * asked for the longest. Each organisation has its own entries.
 */
export class DerivedCache {
  readonly #kept: LRUCache<string, Kept> | null;

  /** @param bytes the most that it keeps; 0 keeps nothing. */
  constructor(bytes: number) {
    this.#kept =
      bytes === 0 ? null : new LRUCache<string, Kept>({ maxSize: bytes, maxEntrySize: bytes / MOST_PARTS });
  }

  /**
   * Looks for something that was derived before.
   *
   * @param revisions begins after the request that the value answers.
   * @param key tells the values of an organisation apart, with all that they depend on besides rows, such as the day.
   */
  find<Value>(
    revisions: Revisions,
    derived: Derived<Value>,
    orgId: string,
    key: string,
  ): Found<Value> | Promise<Found<Value>> {
    const revision = revisions.of(orgId, derived.from);
    const findAt = (at: Revision): Found<Value> => this.#findAt(at, derived, orgId, key);
    return typeof revision === 'number' ? findAt(revision) : revision.then(findAt);
  }

  of(revisions: Revisions, orgId: string): OrganisationCache {
    return {
      one: (derived, key, make) => this.cached(revisions, derived, orgId, key, make),
      each: (derived, keys, make) => this.cachedEach(revisions, derived, orgId, keys, make),
    };
  }

  /**
   * Returns what was derived before, or derives it by `make`; see {@link find}. Callers at the same time share a derivation, so
   * that `make` must not end when one of them leaves.
   */
  cached<Value>(
    revisions: Revisions,
    derived: Derived<Value>,
    orgId: string,
    key: string,
    make: () => Promise<Value>,
  ): Promise<Value> {
    const found = this.find(revisions, derived, orgId, key);
    const knownOrMade = ({ known, keep }: Found<Value>): Promise<Value> => {
      if (known !== null) return known;
      const value = make();
      keep(value);
      return value;
    };
    return found instanceof Promise ? found.then(knownOrMade) : knownOrMade(found);
  }

  /**
   * Returns what was derived before for many keys. `make` derives all missing values at once.
   *
   * @param keys with what each value is derived from, in addition to what all are derived from.
   */
  async cachedEach<Value>(
    revisions: Revisions,
    derived: Derived<Value>,
    orgId: string,
    keys: ReadonlyMap<string, readonly Part[]>,
    make: (missing: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
  ): Promise<Map<string, Value>> {
    const shared = await revisions.of(orgId, derived.from);
    const found: (Found<Value> & { key: string })[] = [];
    for (const [key, parts] of keys) {
      const own = revisions.of(orgId, parts);
      // A thousand promises would take longer than what they wait for.
      const revision = Math.max(shared, typeof own === 'number' ? own : await own);
      found.push({ key, ...this.#findAt(revision, derived, orgId, key) });
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

  /**
   * Finds what a transaction amends, before it commits. A value that is derived by then has seen nothing of it. The returned function
   * runs `mark`, which marks the rows as changed, and then keeps the amended values.
   */
  prepare(log: Pick<RevisionLog, 'now'>, amendments: readonly Amendment[]): (mark: () => void) => void {
    const revisionOf = ({ orgId, parts }: Amendment): Revision => log.now(orgId, parts);
    const found = amendments.flatMap((amendment) => {
      const place = placeOf(amendment.orgId, amendment.derived, amendment.key);
      const kept = this.#kept?.peek(place);
      return kept?.derived === undefined || kept.revision !== revisionOf(amendment)
        ? []
        : [{ amendment, place, kept, value: kept.derived.value }];
    });
    return (mark) => {
      const valid = found.filter(
        ({ amendment, place, kept }) =>
          this.#kept?.peek(place) === kept && kept.revision === revisionOf(amendment),
      );
      mark();
      // Several changes of one value follow one another.
      const values = new Map<string, unknown>(valid.map(({ place, value }) => [place, value]));
      for (const { amendment, place } of valid) {
        const before = values.get(place);
        const value = before === null ? null : amendment.amended(before);
        values.set(place, value);
        if (value === null) this.#kept?.delete(place);
        else {
          const entry = { revision: revisionOf(amendment), value: Promise.resolve(value) };
          this.#keep(place, entry, (amended) => amendment.derived.bytesOf(amended));
        }
      }
    };
  }

  #findAt<Value>(revision: Revision, derived: Derived<Value>, orgId: string, key: string): Found<Value> {
    const place = placeOf(orgId, derived, key);
    const known = this.#kept?.get(place);
    return {
      known: known?.revision === revision ? (known.value as Promise<Value>) : null,
      keep: (value) => {
        this.#keep(place, { revision, value }, derived.bytesOf);
      },
    };
  }

  /** Keeps a value while it is derived, and afterwards with its size. What could not be derived is not kept. */
  #keep<Value>(
    place: string,
    entry: { revision: Revision; value: Promise<Value> },
    bytesOf: (value: Value) => number,
  ): void {
    const kept = this.#kept;
    if (kept === null) return;
    kept.set(place, entry, { size: OVERHEAD_BYTES });
    entry.value.then(
      (value) => {
        // The cache takes the size of a new object only.
        if (kept.peek(place) === entry)
          kept.set(place, { ...entry, derived: { value } }, { size: OVERHEAD_BYTES + bytesOf(value) });
      },
      () => {
        if (kept.peek(place) === entry) kept.delete(place);
      },
    );
  }
}

const placeOf = (orgId: string, { name }: Pick<Derived<never>, 'name'>, key: string): string =>
  `${orgId} ${name} ${key}`;
