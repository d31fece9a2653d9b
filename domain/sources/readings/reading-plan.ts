import { addDays, type Day } from '../../shared/calendar.ts';
import type {
  CollectedChoice,
  EdgePurchase,
  FoundPeriod,
  Readable,
  ReadingRecord,
  ReadingState,
  ReadPeriod,
} from './reading-record.ts';

/** What a reading has found. */
export interface Found {
  /** The billing periods of what was read, by name. */
  periodsOf: ReadonlyMap<string, readonly Day[]>;
  periods: readonly FoundPeriod[];
  isWhole: boolean;
}

const NOTHING_KNOWN = { things: [], periods: [], isWhole: false } as const;

/**
 * Decides what a run reads (docs/data-formats.md#what-a-run-reads). Files and billing periods hang together: a file can have rows
 * of several periods, and a period can lie in several files. If one of them has changed, all that hang together with it are read,
 * so that their periods are replaced as a whole. The rest keeps its loads.
 */
export class ReadingPlan<Thing extends Readable> {
  readonly #known: Pick<ReadingRecord, 'things' | 'periods' | 'isWhole'>;
  readonly #present: readonly Thing[];
  readonly #state: ReadingState;
  readonly #read: Set<string>;
  /** The periods of what is known, by name. */
  readonly #periodsOf: ReadonlyMap<string, readonly Day[]>;
  /** Whether the record of the last reading is no longer true. */
  readonly isStale: boolean;
  #widened = 0;

  /**
   * @param known what the last reading has recorded; null if everything must be read.
   * @param present all that the source has now.
   */
  constructor(known: ReadingRecord | null, present: readonly Thing[], state: ReadingState) {
    const isKnown = known !== null && known.settings === state.settings;
    this.#known = isKnown ? known : NOTHING_KNOWN;
    this.#present = present;
    this.#state = state;
    this.#periodsOf = new Map(this.#known.things.map(({ name, periods }) => [name, periods]));
    this.#read = isKnown ? this.#changed(known) : new Set(present.map(({ name }) => name));
    this.isStale = this.#read.size > 0 || this.#known.things.length !== present.length;
  }

  /** What to read, in the order of the source. */
  get read(): Thing[] {
    return this.#present.filter(({ name }) => this.#read.has(name));
  }

  /** The rows that the reading does not have, because their periods keep their loads. */
  get others(): { stored: number; rejected: number } {
    const kept = this.#keptPeriods();
    return {
      stored: kept.reduce((sum, { stored }) => sum + stored, 0),
      rejected: kept.reduce((sum, { rejected }) => sum + rejected, 0),
    };
  }

  /**
   * Adds what hangs together with what a reading has found. Returns whether there is more to read: then the reading begins again.
   * The second time it adds everything.
   */
  widen({ periods, isWhole }: Pick<Found, 'periods' | 'isWhole'>): boolean {
    const kept = this.#keptPeriods();
    const unread = this.#present.length - this.#read.size;
    if (unread === 0) return false;
    const found = new Set(periods.map(({ period }) => period));
    const met = kept.filter((one) => found.has(one.period) || periods.some((other) => areLinked(one, other)));
    if (!isWhole && met.length === 0) return false;
    this.#widened += 1;
    const all = isWhole || this.#widened > 1;
    const reached = this.#reach(met.map(({ period }) => period));
    for (const { name } of this.#present) if (all || this.#brings(name, reached)) this.#read.add(name);
    return true;
  }

  /** Returns the record of what the current loads were read from, once the reading is published. */
  record({ periodsOf, periods, isWhole }: Found): ReadingRecord {
    const { settings, choices, today } = this.#state;
    return {
      settings,
      choices,
      isWhole,
      things: this.#present.map(({ name, version, bytes, writtenAt }) => ({
        name,
        version,
        bytes,
        writtenAt,
        periods: (this.#read.has(name) ? periodsOf : this.#periodsOf).get(name) ?? [],
      })),
      periods: [...this.#keptPeriods(), ...periods.map((period) => ({ ...period, readOn: today }))],
    };
  }

  /** Returns the names of what has changed, and of all that hangs together with it. */
  #changed(known: ReadingRecord): Set<string> {
    const before = new Map(known.things.map((thing) => [thing.name, thing]));
    const isSame = ({ name, version }: Readable): boolean =>
      version !== null && before.get(name)?.version === version;
    const same = new Set(this.#present.filter(isSame).map(({ name }) => name));
    const gone = known.things.filter(({ name }) => !same.has(name));
    const chosenAnewFrom = firstDayOfOthers(known.choices, this.#state.choices);
    const due = known.periods.filter((period) => isDue(period, chosenAnewFrom, this.#state));
    if (gone.length === 0 && due.length === 0 && same.size === this.#present.length) return new Set();
    if (known.isWhole) return new Set(this.#present.map(({ name }) => name));
    const reached = this.#reach([
      ...gone.flatMap(({ periods }) => periods),
      ...due.map(({ period }) => period),
    ]);
    const read = this.#present.filter(({ name }) => !same.has(name) || this.#brings(name, reached));
    return new Set(read.map(({ name }) => name));
  }

  /** Returns the periods that hang together with some. */
  #reach(from: readonly Day[]): Set<Day> {
    const { things, periods } = this.#known;
    const reached = new Set<Day>();
    const open = [...from];
    for (let period = open.pop(); period !== undefined; period = open.pop()) {
      if (reached.has(period)) continue;
      reached.add(period);
      const own = period;
      for (const thing of things) if (thing.periods.includes(own)) open.push(...thing.periods);
      const edges = periods.find((one) => one.period === own);
      if (edges !== undefined)
        for (const other of periods) if (areLinked(edges, other)) open.push(other.period);
    }
    return reached;
  }

  #brings(name: string, periods: ReadonlySet<Day>): boolean {
    return this.#periodsOf.get(name)?.some((period) => periods.has(period)) === true;
  }

  /** The periods of what is not read. */
  #keptPeriods(): ReadPeriod[] {
    const unread = this.#present.filter(({ name }) => !this.#read.has(name));
    const kept = new Set(unread.flatMap(({ name }) => this.#periodsOf.get(name) ?? []));
    return this.#known.periods.filter(({ period }) => kept.has(period));
  }
}

/**
 * Whether a period is read again although its files are the same. The load of a period that had not ended says so, and a later
 * reading knows more. Choices divide the days from their first one on.
 */
const isDue = (
  { ends, readOn, lastDay }: ReadPeriod,
  chosenAnewFrom: Day | null,
  { today }: ReadingState,
): boolean => (readOn <= ends && readOn < today) || (chosenAnewFrom !== null && chosenAnewFrom <= lastDay);

/** Returns the first day of the choices that are only in one of two lists; null if the lists have the same. */
function firstDayOfOthers(before: readonly CollectedChoice[], now: readonly CollectedChoice[]): Day | null {
  const textOf = (one: CollectedChoice): string =>
    JSON.stringify([one.kind, one.cloud, one.account, one.choice, one.first_day]);
  const [old, current] = [new Set(before.map(textOf)), new Set(now.map(textOf))];
  const others = [
    ...before.filter((one) => !current.has(textOf(one))),
    ...now.filter((one) => !old.has(textOf(one))),
  ];
  return others.map(({ first_day }) => first_day).sort()[0] ?? null;
}

/** Whether a purchase of one bill counts because of one of another bill. */
const areLinked = (one: FoundPeriod, other: FoundPeriod): boolean =>
  one.period !== other.period && (hasBeside(one.edges, other.edges) || hasBeside(other.edges, one.edges));

const hasBeside = (edges: readonly EdgePurchase[], others: readonly EdgePurchase[]): boolean =>
  edges.some(
    ({ account, day, isAlone }) =>
      isAlone &&
      others.some(
        (other) =>
          other.account === account && (other.day === addDays(day, 1) || other.day === addDays(day, -1)),
      ),
  );
