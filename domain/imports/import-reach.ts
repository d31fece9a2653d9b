import { missingDaysInWords } from '../metrics/value-gap.ts';
import { addDays, lastDay, type Day, type Month } from '../shared/calendar.ts';
import { PLATFORMS, type Platform } from './platforms.ts';

/** Days that a run has read, both inclusive. It began on the last one, which was not over. */
export interface RunRange {
  start: Day;
  end: Day;
}

/** What the runs of a metric's connection have read, and how the newest one ended. */
export interface ImportReach {
  type: Platform;
  /** The first day that the import owns. Earlier values come from somebody else. */
  firstDay: Day;
  /** Why the imports of the metric pause; null if they go on. */
  pausedReason: string | null;
  /** What completed runs with this key, project or query have read. */
  read: readonly RunRange[];
  /** What completed runs with earlier ones have read. */
  readBefore: readonly RunRange[];
  /** The first day of this connection's first run; null before it. Earlier runs count only for the days before. */
  firstRunFrom: Day | null;
  /** The newest run; null before the first. */
  last: { status: 'running' | 'completed' | 'failed'; day: Day; error: string | null } | null;
}

/**
 * Whether a day's values are complete: a completed run has read the day, and began on a later UTC day. Runs read whole months up to
 * today, so that this also holds for the days of the month before it.
 */
export const hasReadDay = (reach: ImportReach, day: Day): boolean =>
  day < reach.firstDay || rangesOf(reach, day).some(({ start, end }) => start <= day && day < end);

/** Whether a completed run has read a day at least up to its own time. */
export const hasReadIntoDay = (reach: ImportReach, day: Day): boolean =>
  day < reach.firstDay || rangesOf(reach, day).some(({ start, end }) => start <= day && day <= end);

/** Whether completed runs have read only a part of a day: none began on a later UTC day. */
export const hasReadInPart = (reach: ImportReach, day: Day): boolean =>
  hasReadIntoDay(reach, day) && !hasReadDay(reach, day);

const rangesOf = ({ read, readBefore, firstRunFrom }: ImportReach, day: Day): readonly RunRange[] =>
  firstRunFrom !== null && day < firstRunFrom ? [...read, ...readBefore] : read;

/** Whether a month's values are complete, once it has ended. */
export const hasReadMonth = (reach: ImportReach, month: Month): boolean => hasReadDay(reach, lastDay(month));

/** Returns the last day whose values are complete. */
export function readThrough({ firstDay, read }: ImportReach): Day {
  const newest = read.reduce<Day>((last, { end }) => (end > last ? end : last), firstDay);
  return addDays(newest, -1);
}

/** Whether a run has begun after the end of a month, whatever came of it. The month is over then. */
const hasTriedAfter = ({ last }: ImportReach, month: Month): boolean =>
  last !== null && last.day > lastDay(month);

/** Returns why an import has not read all of a month, in words. */
export const behindInWords = (reach: ImportReach, month: Month): string =>
  `the import from ${PLATFORMS[reach.type].name} has not read ${month} to its end: ${reasonFor(reach, month)}`;

function reasonFor({ pausedReason, read, last }: ImportReach, month: Month): string {
  if (pausedReason !== null) return `it is paused, because ${pausedReason}`;
  if (last === null) return 'it has not run yet';
  if (last.status === 'failed')
    return `its last run, on ${last.day}, failed${last.error === null ? '' : `: ${last.error}`}`;
  const within = read.filter(({ start }) => start <= lastDay(month)).map(({ end }) => end);
  const newest = within.sort().at(-1);
  if (last.status === 'running') return `its run of ${last.day} is under way`;
  return newest === undefined
    ? `its runs have read later months only`
    : `its last run that has read the month was on ${newest}`;
}

/**
 * Returns why an import has not read a month that is over, in words; null if it has. Before the month has settled, only a run that
 * began after its end tells that the month is over.
 */
export const unreadInWords = (reach: ImportReach, month: Month, isSettled: boolean): string | null =>
  hasReadMonth(reach, month) || !(isSettled || hasTriedAfter(reach, month))
    ? null
    : behindInWords(reach, month);

/** An import that was disconnected on a day, and what it had read. */
export interface EndedImport {
  reach: ImportReach;
  disconnectedOn: Day;
}

/** Where the values of a month end. */
export interface LastValues {
  /** The last days of the month that lack values (value-gap.ts); null if none does. */
  missing: { from: Day; through: Day } | null;
  /** The last day whose value an import has recorded, and nobody since; null without one. */
  lastImported: Day | null;
}

/**
 * Returns why the values of a month are not complete, since their import was disconnected before it had read the month to its end;
 * null if they are. Its last days have no values, and nobody has recorded any since. Or its last value is of a day that was not
 * over.
 */
export function endedInWords(
  { reach, disconnectedOn }: EndedImport,
  month: Month,
  { missing, lastImported }: LastValues,
): string | null {
  if (reach.read.length + reach.readBefore.length === 0 || hasReadMonth(reach, month)) return null;
  const ended = `the import from ${PLATFORMS[reach.type].name} was disconnected on ${disconnectedOn}`;
  if (missing !== null && missing.from <= addDays(disconnectedOn, 1))
    return `${ended}, and ${missingDaysInWords(missing)}`;
  return lastImported !== null && hasReadInPart(reach, lastImported)
    ? `${ended}, and had read ${lastImported} only in part`
    : null;
}
