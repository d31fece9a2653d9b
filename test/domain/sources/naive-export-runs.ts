import { addDays, type Day } from '../../../domain/shared/calendar.ts';
import type { ExportRun } from '../../../domain/sources/exports/export-runs.ts';

// The runs of exports that count, by the words of the rule, without regard to speed.

const haveSameSpend = (one: ExportRun, other: ExportRun): boolean =>
  one.scope !== null && other.scope !== null ? one.scope === other.scope : one.root === other.root;

const overlap = (one: ExportRun, other: ExportRun): boolean =>
  one !== other && one.from <= other.to && other.from <= one.to && haveSameSpend(one, other);

function isNewer(one: ExportRun, other: ExportRun): boolean {
  const later = (one.submitted ?? 0) - (other.submitted ?? 0);
  return later > 0 || (later === 0 && one.folder > other.folder);
}

const contains = (one: ExportRun, other: ExportRun): boolean =>
  overlap(one, other) &&
  one.from <= other.from &&
  one.to >= other.to &&
  (one.from < other.from || one.to > other.to || isNewer(one, other));

function areContaining(run: ExportRun, runs: readonly ExportRun[]): boolean {
  const others = runs.filter((other) => overlap(run, other) && !contains(other, run));
  const follow = (next: Day, isBefore: boolean): boolean =>
    next > addDays(run.to, 1) ||
    (next > run.to && isBefore) ||
    others.some((other) => other.from === next && follow(addDays(other.to, 1), isBefore));
  return others.some(
    (first) => first.from <= run.from && follow(addDays(first.to, 1), first.from < run.from),
  );
}

/** Returns the runs that count. All given runs have a manifest. */
export function naiveRunsThatCount(runs: readonly ExportRun[]): ExportRun[] {
  let rest = [...runs];
  for (const run of [...runs].sort((a, b) => (isNewer(a, b) ? 1 : -1)))
    if (areContaining(run, rest)) rest = rest.filter((other) => other !== run);
  const current: ExportRun[] = [];
  while (rest.length > 0) {
    const outermost = rest.filter((run) => !rest.some((other) => contains(other, run)));
    const newest = outermost.reduce((one, other) => (isNewer(other, one) ? other : one));
    current.push(newest);
    rest = rest.filter((run) => run !== newest && !overlap(run, newest));
  }
  return current;
}

/** Returns the runs without a manifest that overlap another run, and the runs that these overlap. */
export const naiveUndecided = (runs: readonly ExportRun[]): ExportRun[] =>
  runs.filter((run) =>
    runs.some((other) => overlap(run, other) && (run.submitted === null || other.submitted === null)),
  );

/** Returns the days of a run that no current run has. */
export function naiveDaysLeftOut(run: ExportRun, current: readonly ExportRun[]): Day[] {
  const days: Day[] = [];
  for (let day = run.from; day <= run.to; day = addDays(day, 1)) days.push(day);
  return days.filter(
    (day) => !current.some((one) => haveSameSpend(one, run) && one.from <= day && day <= one.to),
  );
}
