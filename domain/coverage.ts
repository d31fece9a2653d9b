import { addDays, lastDay, type Day, type Month } from './calendar.ts';
import { rangeInWords } from './day-ranges.ts';

/** Which days of a month a cost source covers (design §2, Coverage). */
export interface SourceMonth {
  month: Month;
  name: string;
  kind: string;
  /** Nothing waits for a source whose schedule is paused. */
  isActive: boolean;
  /** The first and the last day of the month that it does not cover; null when it covers them all. */
  missingFrom: Day | null;
  missingThrough: Day | null;
  /** The last day of the month that it covers; null without any. */
  lastCovered: Day | null;
  /** The same, or a day of the month that it has brought a part of: the day is not over. */
  lastKnown: Day | null;
  /** The first and the last day that it has ever brought; null before it has brought any. */
  deliversFrom: Day | null;
  deliversThrough: Day | null;
  /** Made after the month had settled: the organisation's month does not wait for it. */
  isLater: boolean;
}

/** What is known of a month for a scope, and which sources it waits for. */
export interface Coverage {
  /** Active sources that lack days of the month and that the scope waits for. */
  gaps: SourceMonth[];
  /** Sources made after the month had settled that lack days of it; only all spend can have any. */
  latecomers: SourceMonth[];
  /** Kinds that the scope picks from and of which no day is known. */
  undelivered: string[];
  /** The last day of the month of which something is known, by kind; kinds without any are not there. */
  lastKnown: ReadonlyMap<string, Day>;
  /** Up to this day of the month no source of the scope lacks a day; null when one lacks the first. */
  completeThrough: Day | null;
}

/** The coverage of a month: of all spend (`kinds` null), or of picks from some kinds of sources. */
export const coverageOf = (
  month: Month,
  all: readonly SourceMonth[],
  kinds: readonly string[] | null,
): Coverage => {
  const sources = kinds === null ? all : all.filter(({ kind }) => kinds.includes(kind));
  const lacking = sources.filter(({ isActive, missingFrom }) => isActive && missingFrom !== null);
  const isAwaited = ({ isLater }: SourceMonth): boolean => kinds !== null || !isLater;
  const gaps = lacking.filter(isAwaited);
  const lastKnown = new Map<string, Day>();
  for (const { kind, lastKnown: day } of sources)
    if (day !== null && day > (lastKnown.get(kind) ?? '')) lastKnown.set(kind, day);
  const undelivered = (kinds ?? []).filter((kind) => !lastKnown.has(kind));
  const covered = sources.flatMap(({ lastCovered }) => lastCovered ?? []).sort();
  return {
    gaps,
    latecomers: kinds === null ? lacking.filter(({ isLater }) => isLater) : [],
    undelivered,
    lastKnown,
    completeThrough:
      covered.length === 0 || undelivered.length > 0
        ? null
        : sources.some((source) => source.isActive && isAwaited(source))
          ? beforeGaps(month, gaps)
          : (covered.at(-1) ?? null),
  };
};

const beforeGaps = (month: Month, gaps: readonly SourceMonth[]): Day | null => {
  const [first] = gaps.flatMap(({ missingFrom }) => missingFrom ?? []).sort();
  if (first === undefined) return lastDay(month);
  const through = addDays(first, -1);
  return through.startsWith(month) ? through : null;
};

/** Whether sources let a month settle: none that is active lacks a day, and one covers its last. */
export const isCovered = (month: Month, sources: readonly SourceMonth[]): boolean =>
  coverageOf(month, sources, null).gaps.length === 0 &&
  sources.some(({ lastCovered }) => lastCovered === lastDay(month));

/** Which days a source lacks, and what it has instead, in words. */
export const gapInWords = (gap: SourceMonth): string => {
  const { name, missingFrom, missingThrough } = gap;
  const days = rangeInWords(missingFrom ?? '', missingThrough ?? '');
  return `cost source ${JSON.stringify(name)} has not delivered ${days} (${delivered(gap)})`;
};

const delivered = ({ month, missingFrom, missingThrough, deliversFrom, deliversThrough }: SourceMonth) => {
  if (deliversFrom === null || deliversThrough === null) return 'nothing so far';
  if ((missingFrom ?? '') < deliversFrom)
    return `it delivers from ${deliversFrom} on; set its starts_on if it had no spend before`;
  if (deliversThrough > (missingThrough ?? ''))
    return `it has later days, but no load of ${month} with these`;
  return `delivered through ${deliversThrough}`;
};

/** What to know of a month that had settled before a source was made, in words. */
export const latecomerInWords = ({ month, name, deliversFrom }: SourceMonth): string => {
  const delivers =
    deliversFrom === null ? 'it has delivered nothing yet' : `it delivers from ${deliversFrom} on`;
  return `cost source ${JSON.stringify(name)} was connected after ${month} had settled: ${delivers}`;
};
