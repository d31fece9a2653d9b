import { addDays, type Day } from './calendar.ts';

/** One run of an export: everything it has of the days of a range, delivered to a folder of its own. */
export interface ExportRun {
  folder: string;
  /** What the run reports on; null where it does not say so. */
  scope: string | null;
  /** The folder in which exports lie side by side. */
  root: string;
  /** The folder of the export's runs of this range. */
  rangeFolder: string;
  from: Day;
  to: Day;
  /** When it was started, in milliseconds; null without a manifest that says so. */
  submitted: number | null;
}

export interface RunsThatCount {
  current: ExportRun[];
  /** Runs of which a current one has the same days, newer or more of them. */
  replaced: ExportRun[];
  /** Runs without a manifest beside runs with one: their delivery has not ended. */
  unfinished: ExportRun[];
  /** Runs that hold the same days, and nobody can tell which is the newest. */
  undecided: ExportRun[];
}

/** Where a run does not say what it reports on, exports side by side are taken to report on the same. */
const haveSameSpend = (one: ExportRun, other: ExportRun): boolean =>
  one.scope !== null && other.scope !== null ? one.scope === other.scope : one.root === other.root;

/** Whether both bring the same spend of the same day, so that adding them up would count it twice. */
const overlap = (one: ExportRun, other: ExportRun): boolean =>
  one !== other && one.from <= other.to && other.from <= one.to && haveSameSpend(one, other);

const isNewer = (one: ExportRun, other: ExportRun): boolean => {
  const later = (one.submitted ?? 0) - (other.submitted ?? 0);
  return later > 0 || (later === 0 && one.folder > other.folder);
};

/** Whether a run has every day of another one, and more days or newer ones. */
const contains = (one: ExportRun, other: ExportRun): boolean =>
  overlap(one, other) &&
  one.from <= other.from &&
  one.to >= other.to &&
  (one.from < other.from || one.to > other.to || isNewer(one, other));

/** Whether other runs, of which no two overlap and none has all days, together have every day of a run, and more days. */
const isContainedTogether = (run: ExportRun, runs: readonly ExportRun[]): boolean => {
  const others = runs
    .filter((other) => overlap(run, other) && !contains(other, run))
    .sort((a, b) => a.from.localeCompare(b.from));
  const end = addDays(run.to, 1);
  // The days after runs that follow each other without a gap, and whether the first of them began before the run.
  const reached = new Map<Day, boolean>();
  for (const { from, to } of others) {
    const before = from <= run.from ? from < run.from : reached.get(from);
    if (before === undefined) continue;
    const next = addDays(to, 1);
    reached.set(next, before || reached.get(next) === true);
  }
  return [...reached].some(([next, before]) => next > end || (next === end && before));
};

/**
 * Which runs count, so that no day counts twice. Of runs that overlap, the one that contains the other replaces it,
 * however old. Several that together contain a run replace it, too. Of equal ranges, and of ranges that overlap in part,
 * the newest replaces the others. What only a replaced run had replaced counts again.
 */
export const runsThatCount = (runs: readonly ExportRun[]): RunsThatCount => {
  const [known, unknown] = [runs.filter(isKnown), runs.filter((run) => !isKnown(run))];
  const unfinished = unknown.filter((run) =>
    known.some(({ rangeFolder }) => rangeFolder === run.rangeFolder),
  );
  const silent = unknown.filter((run) => !unfinished.includes(run));
  const undecided = [...known, ...silent].filter((run) =>
    (isKnown(run) ? silent : [...known, ...silent]).some((other) => overlap(run, other)),
  );
  const current: ExportRun[] = [];
  let rest = known;
  // Oldest first and one by one: runs can contain each other together.
  for (const run of [...known].sort((a, b) => (isNewer(a, b) ? 1 : -1)))
    if (isContainedTogether(run, rest)) rest = rest.filter((other) => other !== run);
  while (rest.length > 0) {
    const outermost = rest.filter((run) => !rest.some((other) => contains(other, run)));
    const newest = outermost.reduce((one, other) => (isNewer(other, one) ? other : one));
    current.push(newest);
    rest = rest.filter((run) => run !== newest && !overlap(run, newest));
  }
  return {
    current: [...current, ...silent],
    replaced: known.filter((run) => !current.includes(run)),
    unfinished,
    undecided,
  };
};

const isKnown = ({ submitted }: ExportRun): boolean => submitted !== null;

/** The days of a replaced run that no current run of the same spend has. */
export const daysLeftOut = (replaced: ExportRun, current: readonly ExportRun[]): Day[] => {
  const days: Day[] = [];
  for (let day = replaced.from; day <= replaced.to; day = addDays(day, 1)) days.push(day);
  return days.filter(
    (day) => !current.some((run) => haveSameSpend(run, replaced) && run.from <= day && day <= run.to),
  );
};
