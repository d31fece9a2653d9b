import type { Day } from '../../../domain/shared/calendar.ts';
import { decimalUnits } from './naive-decimals.ts';
import { unitRows, type FeedRows } from './naive-rows.ts';
import type { NaiveTwice } from './naive-twice.ts';
import type { Kind } from '../organisation-story.ts';

// What follows from a person's decisions about a unit of a source (docs/concepts.md, Charges that stand twice).
//
// 1. On days after its end, the rows of a unit do not count if another source of the kind has spend of it, and it has not ended
//    there. Without another one they count.
// 2. Charges that somebody calls right, in either source, are no doubt.

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
    const others = sources.filter(({ kind, name }) => kind === source.kind && name !== source.name);
    const isLeftOut = (unit: string, day: Day): boolean =>
      hasEnded(source, unit, day) &&
      costsOn(source, unit, day) &&
      others.some((other) => !hasEnded(other, unit, day) && costsOn(other, unit, day));
    const loads = [...source.loads].map(
      ([month, load]) => [month, { ...load, rows: without(load.rows, isLeftOut) }] as const,
    );
    return { ...source, loads: new Map(loads) };
  });

const hasEnded = (source: Decided, unit: string, day: Day): boolean => {
  const ended = endOf(source, unit);
  return ended !== null && ended < day;
};

/** Returns whether the rows of a unit on a day, without assets, add up to another amount than 0. */
const costsOn = <Load extends { rows: FeedRows }>(
  { kind, loads }: DecidedSource<Load>,
  unit: string,
  day: Day,
): boolean =>
  [...loads.values()]
    .flatMap(({ rows }) => unitRows(kind, { ...rows, assets: [] }))
    .filter((row) => row.unit === unit && row.day === day)
    .reduce((sum, { cost }) => sum + decimalUnits(cost, 15), 0n) !== 0n;

const without = (rows: FeedRows, isLeftOut: (unit: string, day: Day) => boolean): FeedRows => {
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
};
