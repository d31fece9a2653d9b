import type { MissingUnit } from './units/missing-units.ts';
import { KINDS, type Kind } from './kinds.ts';
import { waysOut, type SourceDoubt } from './doubts.ts';
import type { SpendSource } from './spend-sources.ts';
import { addDays, lastDay, type Day, type Month } from '../shared/calendar.ts';
import { rangeInWords } from '../shared/day-ranges.ts';
import type { DecimalText } from '../shared/decimals.ts';

/** Which days of a month a cost source covers (docs/concepts.md#when-a-month-has-settled). */
export interface SourceMonth {
  month: Month;
  id: string;
  name: string;
  kind: Kind;
  /** Whether its lines name clusters and namespaces, so that a part of its spend is Kubernetes spend. */
  hasNamespaces?: boolean;
  /** False if its schedule is paused. Months then wait for it only as described at `holdingBack`. */
  isActive: boolean;
  /** The first and the last day of the month that it does not cover; null if it covers all days. */
  missingFrom: Day | null;
  missingThrough: Day | null;
  /** The last day of the month that it covers; null if it covers no day. */
  lastCovered: Day | null;
  /** The last day of the month that it covers, or a later day that is not over, of which it has delivered a part. */
  lastKnown: Day | null;
  /** The first and the last day that it has ever delivered; null before its first delivery. */
  deliversFrom: Day | null;
  deliversThrough: Day | null;
  /** The last day that its files have all of, if they were written before a later day of the month had ended. */
  writtenThrough?: Day | null;
  /** What the days that it lacks would cost at its average day; null if they are before its first, or if it has none. */
  missedCost?: DecimalText | null;
  /** Whether it was created after the month had settled. The organisation's month does not wait for it then. */
  isLater: boolean;
  /** The accounts, clusters, hosts and tools that lack days of the month. */
  missingUnits: readonly MissingUnit[];
  /** What is not certain about the days that it has brought. */
  doubts: SourceDoubt[];
}

/** The known days of a month for a scope, and the sources that the month waits for. */
export interface Coverage {
  /** The days that active sources lack of the month, if the scope waits for them. */
  gaps: SourceDoubt[];
  /** What is not certain about the spend of the scope. It counts whether or not the month waits for the source's days. */
  doubts: SourceDoubt[];
  /** What keeps the month from settling, for any scope: spend of one source can be cut out of another's spend. */
  holdingBack: SourceDoubt[];
  /** Sources created after the month had settled that lack days of it. For picked spend the list is empty. */
  latecomers: SourceMonth[];
  /** Picked spend without a known day in the month. */
  undelivered: SpendSource[];
  /** The last known day of the month, by spend. Spend without a known day has no entry. */
  lastKnown: ReadonlyMap<SpendSource, Day>;
  /** Up to this day of the month no source of the scope lacks a day; null if one lacks the first day. */
  completeThrough: Day | null;
}

/** Returns the coverage of a month: for all spend (`picked` null), or for what picks take spend from. */
export function coverageOf(
  month: Month,
  all: readonly SourceMonth[],
  picked: readonly SpendSource[] | null,
): Coverage {
  const sources =
    picked === null ? all : all.filter((source) => spendsOf(source).some((spend) => picked.includes(spend)));
  const isLatecomer = latecomersAmong(all);
  const isAwaited = (source: SourceMonth): boolean =>
    source.isActive && (picked !== null || !isLatecomer(source));
  const lacking = sources.filter(isLacking);
  const gaps = lacking.filter(isAwaited);
  const lastKnown = new Map<SpendSource, Day>();
  for (const source of sources)
    for (const spend of spendsOf(source)) {
      const day = source.lastKnown;
      if (day !== null && day > (lastKnown.get(spend) ?? '')) lastKnown.set(spend, day);
    }
  const undelivered = (picked ?? []).filter((spend) => !lastKnown.has(spend));
  const covered = sources.flatMap(({ lastCovered }) => lastCovered ?? []).sort();
  return {
    gaps: gaps.map(doubtOfGap),
    doubts: sources.flatMap(({ doubts }) => doubts),
    holdingBack: [
      ...holdingBack(month, all, isLatecomer).map(doubtOfGap),
      ...all.flatMap(({ doubts }) => doubts),
    ],
    latecomers: picked === null ? lacking.filter((source) => source.isActive && isLatecomer(source)) : [],
    undelivered,
    lastKnown,
    completeThrough:
      covered.length === 0 || undelivered.length > 0
        ? null
        : sources.some(isAwaited)
          ? beforeGaps(month, [
              ...gaps.map(({ missingFrom }) => missingFrom),
              ...sources.flatMap(daysInDoubt),
            ])
          : (covered.at(-1) ?? null),
  };
}

/** The parts of the total that a source fills. */
const spendsOf = ({ kind, hasNamespaces = false }: SourceMonth): SpendSource[] => [
  KINDS[kind].spend,
  ...(hasNamespaces ? (['kubernetes'] as const) : []),
];

const isLacking = ({ missingFrom }: SourceMonth): boolean => missingFrom !== null;

/**
 * Returns a test for sources that a settled month does not wait for. They are sources created later, as long as an earlier one
 * covers any of the month. If no earlier source does, the later ones replace it, and the month waits for them. It also waits for
 * a later one that has brought days of the month and then stops, because a part of its spend counts.
 */
function latecomersAmong(all: readonly SourceMonth[]): (source: SourceMonth) => boolean {
  const isCoveredByEarlier = all.some(({ isLater, lastCovered }) => !isLater && lastCovered !== null);
  return (source) => source.isLater && isCoveredByEarlier && !hasStopped(source);
}

const hasStopped = ({ deliversFrom, lastCovered, missingThrough }: SourceMonth): boolean =>
  deliversFrom !== null &&
  lastCovered !== null &&
  lastCovered >= deliversFrom &&
  (missingThrough ?? '') > lastCovered;

/**
 * Returns the sources that keep a month from settling: the active ones that lack a day. If there are none, and no source covers
 * the month's last day, it returns all sources that lack a day.
 */
function holdingBack(
  month: Month,
  all: readonly SourceMonth[],
  isLatecomer: (source: SourceMonth) => boolean,
): SourceMonth[] {
  const lacking = all.filter(isLacking);
  const awaited = lacking.filter((source) => source.isActive && !isLatecomer(source));
  const isReached = all.some(({ lastCovered }) => lastCovered === lastDay(month));
  return awaited.length > 0 || isReached ? awaited : lacking;
}

const daysInDoubt = ({ doubts }: SourceMonth): (Day | null)[] => doubts.map(({ from }) => from);

function beforeGaps(month: Month, gaps: readonly (Day | null)[]): Day | null {
  const [first] = gaps.filter((day) => day !== null).sort();
  if (first === undefined) return lastDay(month);
  const through = addDays(first, -1);
  return through.startsWith(month) ? through : null;
}

/** Returns the doubt about the days that a source lacks. */
const doubtOfGap = (gap: SourceMonth): SourceDoubt => ({
  code: 'not_delivered',
  sentence: gapInWords(gap),
  amount: gap.missedCost ?? null,
  ways_out: waysOut('not_delivered', { source: gap, unit: null }),
  from: gap.missingFrom,
});

/** Returns the days that a source lacks, and what it has delivered, in words. */
function gapInWords(gap: SourceMonth): string {
  const { name, missingFrom, missingThrough } = gap;
  const days = rangeInWords(missingFrom ?? '', missingThrough ?? '');
  return `cost source ${JSON.stringify(name)} has not delivered ${days} (${delivered(gap)})`;
}

function delivered({
  month,
  missingFrom,
  missingThrough,
  deliversFrom,
  deliversThrough,
  writtenThrough,
}: SourceMonth): string {
  if (deliversFrom === null || deliversThrough === null) return 'nothing so far';
  if (missingFrom !== null && writtenThrough != null && addDays(writtenThrough, 1) === missingFrom)
    return `its files were written before ${missingFrom} had ended`;
  if ((missingFrom ?? '') < deliversFrom)
    return `it delivers from ${deliversFrom} on; set its starts_on if it had no spend before`;
  if (deliversThrough > (missingThrough ?? ''))
    return `it has later days, but no load of ${month} with these`;
  return `delivered through ${deliversThrough}`;
}

/** Returns the note on a source that was created after the month had settled. */
export function latecomerInWords({ month, name, ...days }: SourceMonth): string {
  const { deliversFrom, missingFrom, missingThrough } = days;
  const delivers =
    deliversFrom === null ? 'it has delivered nothing yet' : `it delivers from ${deliversFrom} on`;
  const lacks =
    deliversFrom !== null && (missingThrough ?? '') >= deliversFrom
      ? `, and lacks ${rangeInWords(missingFrom ?? '', missingThrough ?? '')}`
      : '';
  return `cost source ${JSON.stringify(name)} was connected after ${month} had settled: ${delivers}${lacks}`;
}
