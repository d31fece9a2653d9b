import type { Day } from '../../../domain/shared/calendar.ts';
import type { Kind } from '../organisation-story.ts';

// Which days accounts, clusters, hosts and tools lack. Every function looks at all days again.

/** The days of one unit. */
export interface NaiveUnit {
  name: string;
  /** Days with rows. */
  rows: ReadonlySet<Day>;
  /** Days whose rows do not add up to nothing in each part. */
  costs: ReadonlySet<Day>;
  /** The cost of an average day with rows. */
  ofDay: bigint;
}

/** A day that a unit lacks, its last day with rows before, and whether it is back in the month in which the gap began. */
export interface LackingDay {
  unit: string;
  day: Day;
  seen: Day;
  isBack: boolean;
}

/** Returns the days that the units of a source lack. `known` are the days that are known of the source, in order. */
export const lackingDays = (kind: Kind, units: readonly NaiveUnit[], known: readonly Day[]): LackingDay[] =>
  units.flatMap((unit) => ofUnit(kind, unit, known, units));

function ofUnit(kind: Kind, unit: NaiveUnit, all: readonly Day[], units: readonly NaiveUnit[]): LackingDay[] {
  const known = all.slice(all.findIndex((day) => unit.rows.has(day)));
  if (!known.some((day) => unit.rows.has(day))) return [];
  const lacking: LackingDay[] = [];
  for (const gap of gapsIn(known, unit)) {
    const seen = known[known.indexOf(gap[0] ?? '') - 1] ?? '';
    const past = known.filter((day) => day <= seen).slice(-28);
    const before = past.filter((day) => !lacking.some((one) => one.day === day));
    const after = known.filter((day) => day > (gap.at(-1) ?? '')).slice(0, 28);
    const promised =
      kind === 'opencost' || kind === 'hosts'
        ? promisedByMachine(kind, unit, { before, gap, after }, isReplaced(units, seen, all.at(-1) ?? ''))
        : (promisedByUse(kind, unit, before, gap) ?? promisedByUse(kind, unit, after, gap) ?? []);
    const isBack = after[0]?.slice(0, 7) === promised[0]?.slice(0, 7);
    lacking.push(...promised.map((day) => ({ unit: unit.name, day, seen, isBack })));
  }
  return lacking;
}

/** Returns whether what begins within three days of a day costs at least half of what stops then, before the last day. */
function isReplaced(units: readonly NaiveUnit[], seen: Day, last: Day): boolean {
  const isNear = (day = ''): boolean => Math.abs(numberOf(day) - numberOf(seen)) <= 3;
  const sumOf = (some: readonly NaiveUnit[]): bigint => some.reduce((sum, { ofDay }) => sum + ofDay, 0n);
  const begun = units.filter(({ rows }) => isNear([...rows].sort()[0]));
  const stopped = units.filter(({ rows }) => {
    const end = [...rows].sort().at(-1) ?? '';
    return isNear(end) && end < last;
  });
  return begun.length > 0 && sumOf(begun) * 2n >= sumOf(stopped);
}

/** Returns the runs of known days without rows. */
function gapsIn(known: readonly Day[], { rows }: NaiveUnit): Day[][] {
  const gaps: Day[][] = [[]];
  for (const day of known)
    if (rows.has(day)) gaps.push([]);
    else gaps.at(-1)?.push(day);
  return gaps.filter((gap) => gap.length > 0);
}

/** Returns the days of the gap that an account or tool promises by some days; null if these promise nothing. */
function promisedByUse(kind: Kind, unit: NaiveUnit, days: readonly Day[], gap: readonly Day[]): Day[] | null {
  const isWithout = (day: Day): boolean => !unit.rows.has(day);
  if (days.length < (days.some(isWithout) ? 14 : 7)) return null;
  const off = daysOff(unit, days);
  if (off === null) return null;
  const working = days.filter((day) => !off.perhaps.includes(weekdayOf(day)));
  if (working.filter(isWithout).length * 10 > working.length) return null;
  const pauses = gapsIn(working, unit).map(({ length }) => length);
  return withoutRests(gap, off, Math.max(0, ...pauses, kind === 'ai_tools' ? 2 : 0));
}

/** Returns the days of the gap that a cluster or host promises. */
function promisedByMachine(
  kind: Kind,
  unit: NaiveUnit,
  { before, gap, after }: Record<'before' | 'gap' | 'after', readonly Day[]>,
  isReplacedByOthers: boolean,
): Day[] {
  const days = [before, after].flatMap((side) => {
    const long = gapsIn(side, unit).filter(({ length }) => length > 3);
    return side.filter((day) => !long.some((days) => days.includes(day)));
  });
  const paid = days.filter((day) => unit.costs.has(day));
  const steps = paid.slice(1).map((day, index) => numberOf(day) - numberOf(paid[index] ?? ''));
  if (paid.length < 3 && !steps.includes(1)) return [];
  const isPeriodic =
    steps.length >= 3 && Math.min(...steps) > 3 && Math.max(...steps) - Math.min(...steps) <= 3;
  if (isPeriodic) return [];
  const hasStopped = after.length === 0;
  if (kind === 'hosts' && hasStopped) {
    const isYoung = before.filter((day) => unit.rows.has(day)).length < 7;
    if (isYoung || isReplacedByOthers) return [];
  }
  const off = daysOff(unit, days);
  return off === null ? [] : withoutRests(gap, off, 0);
}

interface DaysOff {
  /** Days of the week without rows, of at least two. */
  surely: number[];
  /** And a Saturday or Sunday without rows. */
  perhaps: number[];
}

function daysOff({ rows }: NaiveUnit, days: readonly Day[]): DaysOff | null {
  const on = (weekday: number): Day[] => days.filter((day) => weekdayOf(day) === weekday);
  const free = [0, 1, 2, 3, 4, 5, 6].filter((weekday) => !on(weekday).some((day) => rows.has(day)));
  const surely = free.filter((weekday) => on(weekday).length >= 2);
  const perhaps = free.filter((weekday) => surely.includes(weekday) || weekday === 0 || weekday === 6);
  return perhaps.length > 2 ? null : { surely, perhaps };
}

/** Returns the days of a gap without the days off; none if the gap is a rest itself. */
function withoutRests(gap: readonly Day[], { surely, perhaps }: DaysOff, longestPause: number): Day[] {
  if (gap.every((day) => perhaps.includes(weekdayOf(day)))) return [];
  const working = gap.filter((day) => !surely.includes(weekdayOf(day)));
  return working.length > Math.max(longestPause, surely.length > 0 ? 4 : 0) ? working : [];
}

/** 0 is Sunday. */
const weekdayOf = (day: Day): number => new Date(`${day}T12:00:00Z`).getUTCDay();
const numberOf = (day: Day): number => Math.round(Date.parse(day) / 86_400_000);
