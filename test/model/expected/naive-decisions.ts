import type { Day, Month } from '../../../domain/shared/calendar.ts';
import { decimalUnits } from './naive-decimals.ts';
import { unitRows, type FeedRows, type UnitRow } from './naive-rows.ts';
import { isSame, isSameBill, type NaiveTwice } from './naive-twice.ts';
import type { Kind } from '../organisation-story.ts';

// What follows from a person's decisions about a unit of a source (docs/concepts.md, Charges that stand twice).
//
// 1. On days after its end, the rows of a unit do not count if another source of the kind has spend of it, and it has not ended
//    there. Without another one they count.
// 2. If the two are one bill, and such a day has more in the ended source than in the others, the month is in doubt.
// 3. Charges that somebody calls right, in either source, are no doubt.

/** What a person has said about a unit up to a day. It replaces what was said before. */
export interface Decision {
  on: Day;
  unit: string;
  /** The last day that counts; null: it has not ended. */
  endedOn: Day | null;
  stands: boolean;
}

interface Decided {
  decisions: readonly Decision[];
}

interface DecidedSource<Load extends { rows: FeedRows }> extends Decided {
  name: string;
  kind: Kind;
  loads: ReadonlyMap<string, Load>;
}

/** Returns the day on which a unit has ended, by what was said before a day; null if it has not. */
export const endOf = ({ decisions }: Decided, unit: string, before: Day = '9'): Day | null =>
  decisions.findLast((one) => one.unit === unit && one.on < before)?.endedOn ?? null;

/** Returns whether somebody calls charges right that two sources have. */
export const standsBeside = (
  { source, other, unit }: NaiveTwice,
  sources: readonly (Decided & { name: string })[],
): boolean =>
  sources
    .filter(({ name }) => name === source || name === other)
    .some(({ decisions }) => decisions.findLast((one) => one.unit === unit)?.stands === true);

/** Returns the sources with only the rows that count. */
export const ofCountedDays = <Load extends { rows: FeedRows }, Source extends DecidedSource<Load>>(
  sources: readonly (Source & DecidedSource<Load>)[],
): (Source & { loads: Map<string, Load> })[] =>
  sources.map((source) => {
    const loads = [...source.loads].map(([month, load]) => {
      const isLeft = (unit: string, day: Day): boolean => isLeftOut(source, unit, day, sources);
      return [month, { ...load, rows: without(load.rows, isLeft) }] as const;
    });
    return { ...source, loads: new Map(loads) };
  });

/** Returns the units of ended sources that have more on a day than the sources that count instead, though both are one bill. */
export const leftOutIn = <Load extends { rows: FeedRows }>(
  sources: readonly DecidedSource<Load>[],
  months: readonly Month[],
): NaiveTwice[] =>
  sources.flatMap((source) => {
    const ended = [...new Set(source.decisions.map(({ unit }) => unit))].filter(
      (unit) => endOf(source, unit) !== null,
    );
    return ended.flatMap((unit) =>
      months
        .filter((month) => isMoreLeftOut(source, unit, month, sources))
        .map((month) => ({ month, unit, kind: source.kind, source: source.name, other: source.name })),
    );
  });

function isMoreLeftOut<Load extends { rows: FeedRows }>(
  source: DecidedSource<Load>,
  unit: string,
  month: Month,
  sources: readonly DecidedSource<Load>[],
): boolean {
  const ofMonth = spendOf(source).filter((row) => row.unit === unit && row.day.startsWith(month));
  const compared = [...new Set(ofMonth.map(({ day }) => day))].flatMap((day) => {
    const own = costOn(source, unit, day);
    const counted = othersOf(source, sources)
      .filter((other) => !isLeftOut(other, unit, day, sources))
      .map((other) => costOn(other, unit, day))
      .filter((cost) => cost !== 0n);
    if (own === 0n || counted.length === 0) return [];
    const theirs = counted.reduce((sum, cost) => sum + cost, 0n);
    return [{ isEqual: isSame(theirs, own), isMore: isLeftOut(source, unit, day, sources) && own > theirs }];
  });
  const equal = compared.filter(({ isEqual }) => isEqual);
  return isSameBill(equal.length, compared.length) && compared.some((one) => one.isMore && !one.isEqual);
}

const othersOf = <Load extends { rows: FeedRows }>(
  { kind, name }: DecidedSource<Load>,
  sources: readonly DecidedSource<Load>[],
): DecidedSource<Load>[] => sources.filter((other) => other.kind === kind && other.name !== name);

const isLeftOut = <Load extends { rows: FeedRows }>(
  source: DecidedSource<Load>,
  unit: string,
  day: Day,
  sources: readonly DecidedSource<Load>[],
): boolean =>
  hasEnded(source, unit, day) &&
  costOn(source, unit, day) !== 0n &&
  othersOf(source, sources).some((other) => !hasEnded(other, unit, day) && costOn(other, unit, day) !== 0n);

function hasEnded(source: Decided, unit: string, day: Day): boolean {
  const ended = endOf(source, unit);
  return ended !== null && ended < day;
}

/** Returns the rows of a source's units, without assets. */
const spendOf = <Load extends { rows: FeedRows }>({ kind, loads }: DecidedSource<Load>): UnitRow[] =>
  [...loads.values()].flatMap(({ rows }) => unitRows(kind, { ...rows, assets: [] }));

/** Returns what the rows of a unit on a day add up to. */
const costOn = <Load extends { rows: FeedRows }>(
  source: DecidedSource<Load>,
  unit: string,
  day: Day,
): bigint =>
  spendOf(source)
    .filter((row) => row.unit === unit && row.day === day)
    .reduce((sum, { cost }) => sum + decimalUnits(cost, 15), 0n);

function without(rows: FeedRows, isLeftOut: (unit: string, day: Day) => boolean): FeedRows {
  const ofUnit = <Row extends { day: Day }>(all: readonly Row[], unitOf: (row: Row) => string): Row[] =>
    all.filter((row) => !isLeftOut(unitOf(row), row.day));
  return {
    lines: ofUnit(rows.lines, ({ cloud, account }) => `${cloud}/${account}`),
    allocations: ofUnit(rows.allocations, ({ cluster }) => cluster),
    assets: ofUnit(rows.assets, ({ cluster }) => cluster),
    shares: ofUnit(rows.shares, ({ host }) => host),
    spend: ofUnit(rows.spend, ({ tool }) => tool),
    usage: ofUnit(rows.usage, ({ tool }) => tool),
  };
}
