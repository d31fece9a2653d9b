import { BESIDE, BY_METRIC, type Touch } from './touched.ts';

/**
 * The revision of some tables of an organisation. While it stays the same, so do the rows. It means nothing to another process, or
 * after a restart.
 */
export type Revision = number;

/** What has a revision: a table, the rows of one metric in it, `ALL_SHOWN`, or `ALL_BUT_VALUES`. */
export type Part = string | { table: string; metric: string };

/** Returns the parts that hold the rows of one metric in some tables. */
export const ofMetric = (metric: string, tables: readonly string[]): Part[] =>
  tables.map((table) => ({ table, metric }));

/** Stands for everything that a cached response can show. */
export const ALL_SHOWN = 'all that is shown';

/** Stands for everything that a cached response can show, except the values of metrics. They change far more often than the rest. */
export const ALL_BUT_VALUES = 'all that is shown but values';

/** Returns which of `ALL_SHOWN` and `ALL_BUT_VALUES` a table belongs to. */
function shownWith(table: string): readonly string[] {
  if (BESIDE.has(table)) return [];
  return table === VALUES ? [ALL_SHOWN] : [ALL_SHOWN, ALL_BUT_VALUES];
}

const VALUES = 'metric_value_changes';

/** Returns the revisions of organisations' rows, as of the time when the warehouse gave it, or later. */
export type Revisions = Pick<RevisionLog, 'of'>;

/** Most places of which the last change is known one by one. Those that are forgotten count as changed. */
const MOST_PLACES = 200_000;

/**
 * Reports whether rows of an organisation have changed since they were last read (docs/design.md#answers-depend-on-a-revision). Every
 * commit takes the next number, and marks with it what it has written. A revision is the highest mark of its parts. So no two
 * revisions with a change between them are the same, even if something was forgotten.
 */
export class RevisionLog {
  #last = 0;
  /** Counts as the mark of everything that has none of its own. */
  #floor = 0;
  /** The last change of each place, the latest last. */
  readonly #marks = new Map<string, number>();
  readonly #mostPlaces: number;
  readonly #commits = new Set<{ touches: readonly Touch[]; ended: Promise<void> }>();

  constructor(mostPlaces = MOST_PLACES) {
    this.#mostPlaces = mostPlaces;
  }

  /** Returns a statement that tells other processes what a transaction writes; null if no other can read it. */
  announcement(_touches: readonly Touch[]): string | null {
    return null;
  }

  /** Releases what it needs to know of other processes. */
  close(): void {
    this.#marks.clear();
  }

  /**
   * Announces a commit before it begins. The caller ends it by the returned function, whether or not anything was stored. Until
   * then nobody gets a revision of what it writes, because nobody can tell whether a read sees it.
   */
  begin(touches: readonly Touch[]): () => void {
    let end = (): void => undefined;
    const commit = {
      touches,
      ended: new Promise<void>((resolve) => {
        end = resolve;
      }),
    };
    this.#commits.add(commit);
    return () => {
      this.#commits.delete(commit);
      this.mark(touches);
      end();
    };
  }

  /** Marks rows as changed, by this process or by another node. */
  mark(touches: readonly Touch[], isByOther = false): void {
    this.#last += 1;
    for (const { table, orgs, metric } of touches)
      for (const org of orgs ?? [ANY]) {
        this.#changed(placeOf(org, table));
        if (isByOther) this.#changed(placeOf(org, byOthers(table)));
        if (BY_METRIC.has(table)) this.#changed(placeOf(org, table, metric ?? ANY));
        for (const all of shownWith(table)) this.#changed(placeOf(org, all));
      }
  }

  /** Marks a place with the last commit. Forgets the place that changed the longest ago if there are too many. */
  #changed(place: string): void {
    this.#marks.delete(place);
    this.#marks.set(place, this.#last);
    if (this.#marks.size <= this.#mostPlaces) return;
    for (const [oldest, mark] of this.#marks) {
      this.#marks.delete(oldest);
      this.#floor = Math.max(this.#floor, mark);
      return;
    }
  }

  /** Marks everything as changed. */
  markAll(): void {
    this.#last += 1;
    this.#floor = this.#last;
  }

  /**
   * Returns the revision of some parts of an organisation, after all commits of this process that are under way. It is a promise only
   * if there are any, because every request asks for several revisions.
   */
  of(orgId: string, parts: readonly Part[]): Revision | Promise<Revision> {
    return this.#commits.size === 0
      ? this.now(orgId, parts)
      : this.#ended(orgId, parts).then(() => this.now(orgId, parts));
  }

  /** Returns the revision of some parts by the commits that have ended, without a wait for those under way. */
  now(orgId: string, parts: readonly Part[]): Revision {
    return parts.reduce((highest, part) => Math.max(highest, this.#markOf(orgId, part)), this.#floor);
  }

  /** Waits for the commits that write any of the parts. */
  async #ended(orgId: string, parts: readonly Part[]): Promise<void> {
    const tables = new Set(parts.map((part) => (typeof part === 'string' ? part : part.table)));
    for (;;) {
      const commit = [...this.#commits].find(({ touches }) =>
        touches.some(
          ({ table, orgs }) =>
            (orgs?.includes(orgId) ?? true) && [table, ...shownWith(table)].some((name) => tables.has(name)),
        ),
      );
      if (commit === undefined) return;
      await commit.ended;
    }
  }

  #markOf(orgId: string, part: Part): number {
    if (typeof part === 'string')
      return Math.max(this.#markAt(placeOf(orgId, part)), this.#markAt(placeOf(ANY, part)));
    const { table, metric } = part;
    return Math.max(
      this.#markAt(placeOf(orgId, table, metric)),
      this.#markAt(placeOf(orgId, table, ANY)),
      this.#markAt(placeOf(ANY, table, ANY)),
    );
  }

  #markAt(place: string): number {
    return this.#marks.get(place) ?? 0;
  }
}

/** The name of the rows of a table that other nodes have written. */
export const byOthers = (table: string): string => `${table} by others`;

/** Stands for all organisations, or for all metrics. */
const ANY = '*';

const placeOf = (...names: readonly string[]): string => names.join(' ');
