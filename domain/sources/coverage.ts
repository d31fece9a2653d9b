import { addDays, lastDay, type Day, type Month } from '../shared/calendar.ts';
import { rangeInWords } from '../shared/day-ranges.ts';

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
  /** Sources that the month waits for to settle, whatever the scope: what one brings can be cut out of another's spend. */
  holdingBack: SourceMonth[];
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
  const isLatecomer = latecomersAmong(all);
  const isAwaited = (source: SourceMonth): boolean =>
    source.isActive && (kinds !== null || !isLatecomer(source));
  const lacking = sources.filter(isLacking);
  const gaps = lacking.filter(isAwaited);
  const lastKnown = new Map<string, Day>();
  for (const { kind, lastKnown: day } of sources)
    if (day !== null && day > (lastKnown.get(kind) ?? '')) lastKnown.set(kind, day);
  const undelivered = (kinds ?? []).filter((kind) => !lastKnown.has(kind));
  const covered = sources.flatMap(({ lastCovered }) => lastCovered ?? []).sort();
  return {
    gaps,
    holdingBack: holdingBack(month, all, isLatecomer),
    latecomers: kinds === null ? lacking.filter((source) => source.isActive && isLatecomer(source)) : [],
    undelivered,
    lastKnown,
    completeThrough:
      covered.length === 0 || undelivered.length > 0
        ? null
        : sources.some(isAwaited)
          ? beforeGaps(month, gaps)
          : (covered.at(-1) ?? null),
  };
};

const isLacking = ({ missingFrom }: SourceMonth): boolean => missingFrom !== null;

/**
 * Which sources a month that has settled does not wait for: those made later, as long as a source made before knows of the month.
 * Where none does, it has been replaced, and what replaces it is waited for.
 */
const latecomersAmong = (all: readonly SourceMonth[]): ((source: SourceMonth) => boolean) => {
  const isKnownBySooner = all.some(({ isLater, lastCovered }) => !isLater && lastCovered !== null);
  return ({ isLater }) => isLater && isKnownBySooner;
};

/**
 * The sources that keep a month from settling: the active ones that lack a day; where there are none, and no source covers its
 * last day, all that lack it.
 */
const holdingBack = (
  month: Month,
  all: readonly SourceMonth[],
  isLatecomer: (source: SourceMonth) => boolean,
): SourceMonth[] => {
  const lacking = all.filter(isLacking);
  const awaited = lacking.filter((source) => source.isActive && !isLatecomer(source));
  const isReached = all.some(({ lastCovered }) => lastCovered === lastDay(month));
  return awaited.length > 0 || isReached ? awaited : lacking;
};

const beforeGaps = (month: Month, gaps: readonly SourceMonth[]): Day | null => {
  const [first] = gaps.flatMap(({ missingFrom }) => missingFrom ?? []).sort();
  if (first === undefined) return lastDay(month);
  const through = addDays(first, -1);
  return through.startsWith(month) ? through : null;
};

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
export const latecomerInWords = ({ month, name, ...days }: SourceMonth): string => {
  const { deliversFrom, missingFrom, missingThrough } = days;
  const delivers =
    deliversFrom === null ? 'it has delivered nothing yet' : `it delivers from ${deliversFrom} on`;
  const lacks =
    deliversFrom !== null && (missingThrough ?? '') >= deliversFrom
      ? `, and lacks ${rangeInWords(missingFrom ?? '', missingThrough ?? '')}`
      : '';
  return `cost source ${JSON.stringify(name)} was connected after ${month} had settled: ${delivers}${lacks}`;
};
