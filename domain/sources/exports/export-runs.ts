import type { CostSet } from './cost-set.ts';
import { dayNumber, type Day } from '../../shared/calendar.ts';
import { pushTo } from '../../shared/push-to.ts';

/** A run of an export: all its data for a range of days, delivered to a separate folder. */
export interface ExportRun {
  folder: string;
  /** What the run reports on; null if it does not say so. */
  scope: string | null;
  /** The set of costs that it has, if it says so. The runs of two sets never replace each other. */
  costSet: CostSet | null;
  /** The folder that contains the exports. */
  root: string;
  /** The folder of the export's runs for this range. */
  rangeFolder: string;
  from: Day;
  to: Day;
  /** When it was started, in milliseconds; null if no manifest says so. */
  submitted: number | null;
}

export interface RunsThatCount {
  current: ExportRun[];
  /** Runs that current runs replace, because these are newer or have more days. */
  replaced: ExportRun[];
  /** Runs without a manifest beside runs with one. Their delivery has not ended. */
  unfinished: ExportRun[];
  /** Runs with the same days, if nothing states which is the newest. */
  undecided: ExportRun[];
}

/**
 * Two runs have the same spend if one is found under a name that the other looks under. If a run does not say what it reports on,
 * exports in the same root are assumed to report on the same.
 */
export const foundUnder = ({ scope, root, costSet }: ExportRun): string[] =>
  (scope === null ? [`root ${root}`, `unscoped ${root}`] : [`root ${root}`, `scope ${scope}`]).map(
    ofSet(costSet),
  );
export const looksUnder = ({ scope, root, costSet }: ExportRun): string[] =>
  (scope === null ? [`root ${root}`] : [`scope ${scope}`, `unscoped ${root}`]).map(ofSet(costSet));

const ofSet =
  (costSet: CostSet | null) =>
  (name: string): string =>
    costSet === null ? name : `${costSet} ${name}`;

/**
 * Decides which runs count, so that no day counts twice. A run replaces any run that it contains, even a newer one. Several runs
 * that together contain a run replace it too. Among equal ranges, and ranges that overlap in part, the newest run replaces the
 * others. Runs that only a replaced run had replaced count again.
 */
export function runsThatCount(runs: readonly ExportRun[]): RunsThatCount {
  const known = runs.filter(isKnown);
  const unknown = runs.filter((run) => !isKnown(run));
  const begun = new Set(known.map(({ rangeFolder }) => rangeFolder));
  const silent = unknown.filter(({ rangeFolder }) => !begun.has(rangeFolder));
  const current = currentOf(known);
  const counts = new Set(current);
  return {
    current: [...current, ...silent],
    replaced: known.filter((run) => !counts.has(run)),
    unfinished: unknown.filter(({ rangeFolder }) => begun.has(rangeFolder)),
    undecided: undecidedAmong(known, silent),
  };
}

const isKnown = ({ submitted }: ExportRun): boolean => submitted !== null;

/** A run with its days as numbers, because a folder can hold thousands of runs, and each is compared with many. */
interface NumberedRun {
  run: ExportRun;
  from: number;
  to: number;
  /** Its index among all runs, newest first. */
  age: number;
  /** Its index among all runs by first day, then the longest, then the newest. No run contains one before it. */
  order: number;
  /** Whether it is neither replaced nor chosen so far. */
  isLeft: boolean;
}

function numbered(runs: readonly ExportRun[]): NumberedRun[] {
  const newestFirst = [...runs].sort(
    (a, b) =>
      (b.submitted ?? 0) - (a.submitted ?? 0) || (a.folder === b.folder ? 0 : a.folder > b.folder ? -1 : 1),
  );
  const inOrder = newestFirst
    .map((run, age) => ({
      run,
      from: dayNumber(run.from),
      to: dayNumber(run.to),
      age,
      order: 0,
      isLeft: true,
    }))
    .sort((a, b) => a.from - b.from || b.to - a.to || a.age - b.age);
  for (const [order, run] of inOrder.entries()) run.order = order;
  return inOrder;
}

/** Finds the runs that have a run's spend and begin before it ends, in order. Only few of them end before it begins. */
type Near = (run: NumberedRun) => NumberedRun[];

function nearAmong(inOrder: readonly NumberedRun[]): Near {
  const byName = new Map<string, NumberedRun[]>();
  let longest = 0;
  for (const run of inOrder) {
    longest = Math.max(longest, run.to - run.from);
    for (const name of foundUnder(run.run)) pushTo(byName, name, run);
  }
  return (run) => {
    const [near = [], others = []] = looksUnder(run.run).map((name) => {
      const runs = byName.get(name) ?? [];
      const first = firstNot(runs, (other) => other.from < run.from - longest);
      return runs.slice(
        first,
        firstNot(runs, (other) => other.from <= run.to),
      );
    });
    return others.length === 0 ? near : [...near, ...others].sort((a, b) => a.order - b.order);
  };
}

/** Returns the runs that count among those with a manifest. */
function currentOf(known: readonly ExportRun[]): ExportRun[] {
  const runs = numbered(known);
  const near = nearAmong(runs);
  // Oldest first and one by one, because groups of runs can contain each other.
  for (const run of [...runs].sort((a, b) => b.age - a.age))
    if (isContainedTogether(run, near(run))) run.isLeft = false;

  const current: ExportRun[] = [];
  const outermost: NumberedRun[] = [];
  const within = new Map<NumberedRun, NumberedRun[]>();
  let age = 0;
  const place = (run: NumberedRun): void => {
    const outer = near(run).find((other) => other.isLeft && other.order < run.order && other.to >= run.to);
    if (outer === undefined) {
      outermost[run.age] = run;
      age = Math.min(age, run.age);
    } else pushTo(within, outer, run);
  };
  for (const run of runs) if (run.isLeft) place(run);
  while (age < runs.length) {
    const newest = outermost[age];
    if (newest?.isLeft !== true) {
      age += 1;
      continue;
    }
    current.push(newest.run);
    const gone = near(newest).filter((run) => run.isLeft && run.to >= newest.from);
    for (const run of gone) run.isLeft = false;
    for (const run of gone) for (const inner of within.get(run) ?? []) if (inner.isLeft) place(inner);
  }
  return current;
}

/**
 * Whether other runs together have every day of a run, and more days. No two of them overlap, and no single one has all days.
 *
 * @param others the runs with the same spend that begin before the run ends, in order.
 */
function isContainedTogether(run: NumberedRun, others: readonly NumberedRun[]): boolean {
  // By day of the run: whether runs without a gap between them end on the day before, and whether they begin before the run.
  const reached = new Uint8Array(run.to - run.from + 2);
  const [IN_TIME, BEFORE] = [1, 2];
  for (const other of others) {
    if (!other.isLeft || other.to < run.from || (other.from <= run.from && other.to >= run.to)) continue;
    const begins = other.from - run.from;
    const begun = begins < 0 ? BEFORE : begins === 0 ? IN_TIME : (reached[begins] ?? 0);
    if (begun === 0) continue;
    if (other.to > run.to || (other.to === run.to && begun === BEFORE)) return true;
    const next = other.to + 1 - run.from;
    reached[next] = Math.max(begun, reached[next] ?? 0);
  }
  return false;
}

/** Returns the runs without a manifest that overlap another run, and the runs that they overlap. */
function undecidedAmong(known: readonly ExportRun[], silent: readonly ExportRun[]): ExportRun[] {
  const [ofAll, ofSilent] = [overlapsAmong([...known, ...silent]), overlapsAmong(silent)];
  // A run overlaps itself.
  return [...known.filter((run) => ofSilent(run) > 0), ...silent.filter((run) => ofAll(run) > 1)];
}

/** Returns a count of the runs that overlap a run: those that begin before it ends, less those that end before it begins. */
function overlapsAmong(runs: readonly ExportRun[]): (run: ExportRun) => number {
  const from = new Map<string, Day[]>();
  const to = new Map<string, Day[]>();
  for (const run of runs)
    for (const name of foundUnder(run)) {
      pushTo(from, name, run.from);
      pushTo(to, name, run.to);
    }
  for (const days of [...from.values(), ...to.values()]) days.sort();
  return (run) => {
    let count = 0;
    for (const name of looksUnder(run))
      count +=
        firstNot(from.get(name) ?? [], (day) => day <= run.to) -
        firstNot(to.get(name) ?? [], (day) => day < run.from);
    return count;
  };
}

/** Returns the index of the first item that fails a condition. The list must begin with all items that satisfy it. */
export function firstNot<Item>(items: readonly Item[], isBefore: (item: Item) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && isBefore(item)) low = middle + 1;
    else high = middle;
  }
  return low;
}
