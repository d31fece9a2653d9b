import { KINDS } from '../kinds.ts';
import { SPEND, type UnitKind } from '../spend-sources.ts';

/** A day of the calendar, as a number (calendar.ts). */
type DayNumber = number;

/** Days without a unit's spend, although its rhythm promises some. */
export interface Absence {
  /** The last day with spend before. */
  lastSeen: DayNumber;
  /** The first day with spend after it; null if the unit has not returned. */
  seenAgain: DayNumber | null;
  /** The days that its rhythm promises, oldest first. */
  days: DayNumber[];
  /** Whether it had spend on every day that its rhythm promised before. */
  wasEveryDay: boolean;
}

/** The days of one unit, among the days that are known of its source. */
export interface UnitDays {
  kind: UnitKind;
  isPresent: (day: DayNumber) => boolean;
  /** Whether the day cost something. A day at 0 is present too. */
  hasSpend: (day: DayNumber) => boolean;
  /** Whether others of the source replace the unit, which stops on a day, as hosts often do. */
  isReplacedOn: (day: DayNumber) => boolean;
}

/** How many known days before, and after, an absence show the rhythm. */
const WINDOW = 28;

/** The share of days with spend that makes a rhythm of days, without the weekdays on which the unit rests. */
const NEARLY_ALL = 0.9;

/** Fewer known days show no rhythm of an account or tool, and no end of a host. */
const FEWEST_DAYS = 7;

/** With days without spend among them, it takes more days to know the rhythm. */
const FEWEST_DAYS_WITH_GAPS = 14;

/** A longer absence is no rest of a few days, such as a weekend. */
const LONGEST_REST = 3;

/**
 * Returns the absences of a unit that are no part of its rhythm, oldest first.
 *
 * An account or a tool has a rhythm if it had spend on nearly every day before. A hole also counts by the days after it. Days of
 * the week without any spend are rests, so that weekends raise no doubt. Clusters and hosts have spend on every day from their
 * first on.
 *
 * @param known the days that are known of the source, in order.
 */
export function absencesOf(unit: UnitDays, known: readonly DayNumber[]): Absence[] {
  const begin = known.findIndex(unit.isPresent);
  if (begin === -1) return [];
  const absences: Absence[] = [];
  const missing = new Set<DayNumber>();
  let from = begin;
  while (from < known.length) {
    const [first] = known.slice(from, from + 1);
    if (first === undefined || unit.isPresent(first)) {
      from += 1;
      continue;
    }
    let end = from;
    while (end < known.length && !unit.isPresent(known[end] ?? NaN)) end += 1;
    const before = known.slice(Math.max(begin, from - WINDOW), from).filter((day) => !missing.has(day));
    const after = known.slice(end, end + WINDOW);
    const rhythm = rhythmOf(unit, before, after);
    const absent = known.slice(from, end);
    const days = absent.filter((day) => rhythm?.rests.has(weekday(day)) !== true);
    const mayRest = absent.every((day) => rhythm?.mayRest.has(weekday(day)) === true);
    if (rhythm !== null && !mayRest && days.length > rhythm.mostDaysOff) {
      for (const day of days) missing.add(day);
      const lastSeen = known[from - 1] ?? first;
      absences.push({ lastSeen, seenAgain: after[0] ?? null, days, wasEveryDay: rhythm.isEveryDay });
    }
    from = end;
  }
  return absences;
}

/** When a unit has spend. */
interface Rhythm {
  /** The days of the week on which it rests. */
  rests: ReadonlySet<number>;
  /** The days of `rests`, and weekend days of which nothing is known yet. An absence of these alone is a rest. */
  mayRest: ReadonlySet<number>;
  /** A longer absence, without the rests, is no part of the rhythm. */
  mostDaysOff: number;
  isEveryDay: boolean;
}

const EVERY_DAY: ReadonlySet<UnitKind> = new Set(
  Object.values(KINDS)
    .filter(({ covers }) => covers === 'read days')
    .map(({ spend }) => SPEND[spend].unit),
);

const rhythmOf = (
  unit: UnitDays,
  before: readonly DayNumber[],
  after: readonly DayNumber[],
): Rhythm | null =>
  EVERY_DAY.has(unit.kind)
    ? everyDay(unit, before, after)
    : (nearlyEveryDay(unit, before) ?? nearlyEveryDay(unit, after));

/** The rhythm of an account or a tool by some days; null if they show none. */
function nearlyEveryDay(unit: UnitDays, days: readonly DayNumber[]): Rhythm | null {
  const hasGaps = days.some((day) => !unit.isPresent(day));
  if (days.length < (hasGaps ? FEWEST_DAYS_WITH_GAPS : FEWEST_DAYS)) return null;
  const rests = restsAmong(unit, days);
  if (rests === null) return null;
  const working = days.filter((day) => !rests.mayRest.has(weekday(day)));
  const absent = working.filter((day) => !unit.isPresent(day)).length;
  if (working.length - absent < working.length * NEARLY_ALL) return null;
  const mostDaysOff = Math.max(
    longestAbsence(unit, working),
    rests.mostDaysOff,
    unit.kind === 'tool' ? MOST_DAYS_OFF_OF_TOOL : 0,
  );
  return { ...rests, mostDaysOff, isEveryDay: absent === 0 };
}

/** Nobody may use a tool on a few days, such as holidays. */
const MOST_DAYS_OFF_OF_TOOL = 2;

/** The rhythm of a cluster or host; null if it has too few days, ends as hosts do, or has spend weekly or monthly. */
function everyDay(unit: UnitDays, before: readonly DayNumber[], after: readonly DayNumber[]): Rhythm | null {
  const days = [...withoutLongAbsences(unit, before), ...withoutLongAbsences(unit, after)];
  const spent = days.filter(unit.hasSpend);
  const isDaily = spent.length >= 3 || spent.some((day, index) => day - (spent[index - 1] ?? NaN) === 1);
  if (!isDaily || isPeriodic(spent)) return null;
  const [last] = before.slice(-1);
  if (unit.kind === 'host' && after.length === 0 && last !== undefined)
    if (before.filter(unit.isPresent).length < FEWEST_DAYS || unit.isReplacedOn(last)) return null;
  const rests = restsAmong(unit, days);
  if (rests === null) return null;
  const isEveryDay = before.every((day) => unit.isPresent(day) || rests.mayRest.has(weekday(day)));
  return { ...rests, isEveryDay };
}

/** The days off of a unit that rests on some days of the week: less than a working week. */
const MOST_DAYS_OFF_IN_WEEK = 4;

/**
 * Returns the days of the week on which a unit rests: those without any spend that came at least twice. A Saturday or Sunday
 * without any may be one. Null if these are more than two, because its rhythm is not one of days then.
 */
function restsAmong(unit: UnitDays, days: readonly DayNumber[]): Omit<Rhythm, 'isEveryDay'> | null {
  const seen = Array.from({ length: 7 }, () => 0);
  const present = new Set<number>();
  for (const day of days) {
    seen[weekday(day)] = (seen[weekday(day)] ?? 0) + 1;
    if (unit.isPresent(day)) present.add(weekday(day));
  }
  const [rests, mayRest] = [new Set<number>(), new Set<number>()];
  for (const [day, count] of seen.entries()) {
    if (present.has(day)) continue;
    if (count >= 2) rests.add(day);
    if (count >= 2 || WEEKEND.has(day)) mayRest.add(day);
  }
  return mayRest.size > 2
    ? null
    : { rests, mayRest, mostDaysOff: rests.size === 0 ? 0 : MOST_DAYS_OFF_IN_WEEK };
}

/** 0 is Thursday, the weekday of day 0 (1970-01-01). */
const weekday = (day: DayNumber): number => ((day % 7) + 7) % 7;
const WEEKEND: ReadonlySet<number> = new Set([2, 3]);

function longestAbsence(unit: UnitDays, days: readonly DayNumber[]): number {
  let [longest, length] = [0, 0];
  for (const day of days) {
    length = unit.isPresent(day) ? 0 : length + 1;
    longest = Math.max(longest, length);
  }
  return longest;
}

function withoutLongAbsences(unit: UnitDays, days: readonly DayNumber[]): DayNumber[] {
  const kept: DayNumber[] = [];
  let absent: DayNumber[] = [];
  for (const day of days) {
    if (!unit.isPresent(day)) {
      absent.push(day);
      continue;
    }
    if (absent.length <= LONGEST_REST) kept.push(...absent);
    kept.push(day);
    absent = [];
  }
  return absent.length <= LONGEST_REST ? [...kept, ...absent] : kept;
}

/** Whether spend comes weekly or monthly: at least four times, days apart, at nearly equal distances. */
function isPeriodic(spent: readonly DayNumber[]): boolean {
  const distances = spent.slice(1).map((day, index) => day - (spent[index] ?? NaN));
  const shortest = Math.min(...distances);
  return distances.length >= 3 && shortest > LONGEST_REST && Math.max(...distances) - shortest <= 3;
}
