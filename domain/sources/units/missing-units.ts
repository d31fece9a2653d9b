import Big from 'big.js';
import { waysOut, type SourceDoubt } from '../doubts.ts';
import { dayAt, dayNumber, firstDay, lastDay, monthOf, type Day, type Month } from '../../shared/calendar.ts';
import type { DecimalText } from '../../shared/decimals.ts';
import { firstAndMore } from '../../shared/text/for-message.ts';
import { pushTo } from '../../shared/push-to.ts';
import type { UnitKind } from '../spend-sources.ts';
import { absencesOf, type Absence, type UnitDays } from './unit-rhythm.ts';

/** The days of one unit of a source, by billing period. Bit n is day n + 1 of the month. */
export interface UnitHistory {
  kind: UnitKind;
  unit: string;
  periods: readonly { month: Month; days: number; spendDays: number; cost: DecimalText }[];
}

/** The days that a source covers, by month, as bits. */
export type KnownDays = ReadonlyMap<Month, number>;

/** What people have decided about a source's units, and about its months. */
export interface UnitDecisions {
  /** The last day that counts, by unit. */
  endedOn: ReadonlyMap<string, Day>;
  /** Whether a month was settled, or locked without the unit, or had ended before the source was connected. */
  isClosed: (month: Month, unit: string) => boolean;
}

/** The days of one month that a unit lacks. */
export interface MissingUnit {
  month: Month;
  kind: UnitKind;
  unit: string;
  days: Day[];
  absence: Absence;
  /** What the days cost at the unit's average day before; null if that is not known. */
  estimate: { amount: DecimalText; ofDay: DecimalText } | null;
}

export interface UnitAbsences {
  unit: UnitHistory;
  absences: Absence[];
}

/**
 * Returns the units of a source that lack days of months from `first` to `last`, with all their absences: days that their rhythm
 * promises (unit-rhythm.ts). Days of months of which no load has units are not known.
 */
export function unitAbsences(
  units: readonly UnitHistory[],
  covered: KnownDays,
  { first, last }: { first: Month; last: Month },
): UnitAbsences[] {
  const described = new Set(units.flatMap(({ periods }) => periods.map(({ month }) => month)));
  const known = [...covered].filter(([month]) => described.has(month));
  const days = known.flatMap(daysOf).sort((a, b) => a - b);
  const asked = known.filter(([month]) => month >= first && month <= last);
  const lacking = units.filter(({ periods }) => {
    const begun = beginOf(periods);
    return begun !== null && lacksDays(periods, begun, asked);
  });
  const hosts = lacking.some(({ kind }) => kind === 'host') ? units : [];
  const isReplacedOn = replacements(hosts, days.at(-1) ?? NaN);
  return lacking.flatMap((unit) => {
    const present = daysIn(unit, 'days');
    let spent: ReadonlySet<number> | null = null;
    const unitDays: UnitDays = {
      kind: unit.kind,
      isPresent: (day) => present.has(day),
      // Only clusters and hosts ask for it.
      hasSpend: (day) => (spent ??= daysIn(unit, 'spendDays')).has(day),
      isReplacedOn,
    };
    const absences = absencesOf(unitDays, days);
    return absences.length === 0 ? [] : [{ unit, absences }];
  });
}

/** How many days before and after a host's last day another one may begin to replace it. */
const REPLACED_WITHIN = [-3, -2, -1, 0, 1, 2, 3];

/**
 * Returns whether hosts that begin replace those that stop at about the same time: they cost at least half as much on an average
 * day. Those of the last known day have not stopped.
 */
function replacements(hosts: readonly UnitHistory[], lastKnown: number): UnitDays['isReplacedOn'] {
  const [begun, stopped] = [new Map<number, Big>(), new Map<number, Big>()];
  for (const { periods } of hosts) {
    const days = periods.flatMap(({ month, days: bits }) => daysOf([month, bits]));
    if (days.length === 0) continue;
    const ofDay = sumOf(periods.map(({ cost }) => cost)).div(new Set(days).size);
    const [begin, end] = [Math.min(...days), Math.max(...days)];
    begun.set(begin, sumOf([ofDay, begun.get(begin) ?? 0]));
    if (end < lastKnown) stopped.set(end, sumOf([ofDay, stopped.get(end) ?? 0]));
  }
  return (day) => {
    const near = (costs: ReadonlyMap<number, Big>): Big[] =>
      REPLACED_WITHIN.flatMap((after) => costs.get(day + after) ?? []);
    const others = near(begun);
    return (
      others.length > 0 &&
      sumOf(others)
        .times(2)
        .gte(sumOf(near(stopped)))
    );
  };
}

const sumOf = (costs: readonly Big.BigSource[]): Big =>
  costs.reduce<Big>((sum, cost) => sum.plus(cost), Big(0));

/**
 * Returns the days of months that units lack and that nobody has decided about. Days from a unit's end on are not missing.
 * Neither are days after a whole month without the unit that was closed so.
 */
export const missingUnits = (found: readonly UnitAbsences[], decisions: UnitDecisions): MissingUnit[] =>
  found.flatMap(({ unit, absences }) =>
    absences.flatMap((absence) => {
      const byMonth = new Map<Month, Day[]>();
      for (const day of absence.days.map(dayAt))
        if (!isDecided(unit.unit, absence, day, decisions)) pushTo(byMonth, monthOf(day), day);
      return [...byMonth].map(([month, days]) => ({
        month,
        kind: unit.kind,
        unit: unit.unit,
        days,
        absence,
        estimate: estimateOf(unit, absence, days.length),
      }));
    }),
  );

/** Whether the unit is back in the month in which the absence began, so that it had not ended. */
const isBackInMonth = ({ lastSeen, seenAgain, days: [first = lastSeen] }: Absence): boolean =>
  seenAgain !== null && monthOf(dayAt(seenAgain)) === monthOf(dayAt(first));

function isDecided(unit: string, absence: Absence, day: Day, { endedOn, isClosed }: UnitDecisions): boolean {
  const ended = endedOn.get(unit);
  const seen = dayAt(absence.lastSeen);
  if (ended !== undefined && !isBackInMonth(absence) && ended <= day && seen <= ended) return true;
  for (let month = monthAfter(monthOf(seen)); month < monthOf(day); month = monthAfter(month))
    if (isClosed(month, unit)) return true;
  return false;
}

const monthAfter = (month: Month): Month => monthOf(dayAt(dayNumber(lastDay(month)) + 1));

/** Costs the days at the average day of the month in which the unit was last seen. */
function estimateOf(unit: UnitHistory, { lastSeen }: Absence, days: number): MissingUnit['estimate'] {
  const seen = monthOf(dayAt(lastSeen));
  const periods = unit.periods.filter(({ month }) => month === seen);
  const count = bitsOf(periods.reduce((bits, period) => bits | period.days, 0)).length;
  if (count === 0) return null;
  const cost = sumOf(periods.map((period) => period.cost));
  return {
    amount: cost.times(days).div(count).round(2).toFixed(),
    ofDay: cost.div(count).round(2).toFixed(),
  };
}

/** The most units of a source that a month names one by one. */
const MOST_NAMED = 20;
const MOST_EXAMPLES = 3;

/** Returns the doubts about the units that a source lacks in a month, the dearest first. */
export function unitDoubts(
  source: { id: string; name: string },
  missing: readonly MissingUnit[],
): SourceDoubt[] {
  const cost = ({ estimate }: MissingUnit): Big => Big(estimate?.amount ?? 0);
  const dearest = [...missing].sort((a, b) => cost(b).cmp(cost(a)) || (a.unit < b.unit ? -1 : 1));
  const others = dearest.slice(MOST_NAMED);
  const doubts = dearest.slice(0, MOST_NAMED).map((unit): SourceDoubt => ({
    code: 'unit_missing',
    sentence: `${unitInWords(unit)} of cost source ${JSON.stringify(source.name)} ${absenceInWords(unit)}`,
    amount: unit.estimate?.amount ?? null,
    ways_out: waysOut('unit_missing', { source, unit: unit.unit }).filter(
      ({ action }) => action !== 'end_unit' || !isBackInMonth(unit.absence),
    ),
    from: unit.days[0] ?? null,
  }));
  if (others.length === 0) return doubts;
  const names = firstAndMore(others.map(unitInWords), MOST_EXAMPLES);
  const from = others.flatMap(({ days }) => days[0] ?? []).sort()[0] ?? null;
  return [
    ...doubts,
    {
      code: 'unit_missing',
      sentence: `${others.length} more of cost source ${JSON.stringify(source.name)} have no spend on days on which they had some before: ${names.join(', ')}`,
      amount: others.reduce((sum, unit) => sum.plus(cost(unit)), Big(0)).toFixed(),
      ways_out: waysOut('unit_missing', { source, unit: null }),
      from,
    },
  ];
}

/** Returns a unit in words: `account 1111 (aws)`, `cluster prod`. */
function unitInWords({ kind, unit }: Pick<UnitHistory, 'kind' | 'unit'>): string {
  const slash = unit.indexOf('/');
  return kind === 'account'
    ? `account ${unit.slice(slash + 1)} (${unit.slice(0, slash)})`
    : `${kind} ${unit}`;
}

function absenceInWords({ days, absence, estimate }: MissingUnit): string {
  const { lastSeen, seenAgain, wasEveryDay } = absence;
  const before = `after spend on ${wasEveryDay ? '' : 'nearly '}every day until ${dayAt(lastSeen)}`;
  const again = seenAgain === null ? '' : ` and again from ${dayAt(seenAgain)}`;
  const cost =
    estimate === null
      ? ''
      : `; at its average of ${estimate.ofDay} a day, that is an estimated ${estimate.amount}`;
  return `has no spend ${spanInWords(days)}, ${before}${again}${cost}`;
}

/** Returns the words for the days: a range from the first to the last, because rests between them are no days with spend. */
function spanInWords(days: readonly Day[]): string {
  const [first = '', last = ''] = [days[0], days.at(-1)];
  return first === last ? `on ${first}` : `from ${first} to ${last}`;
}

/** Whether a unit lacks any known day after its first: a quick test, because most units lack none. */
function lacksDays(
  periods: UnitHistory['periods'],
  begun: number,
  known: readonly (readonly [Month, number])[],
): boolean {
  const day = dayAt(begun);
  const first = monthOf(day);
  return known.some(([month, days]) => {
    if (month < first) return false;
    const since = month === first ? -1 << (Number(day.slice(8)) - 1) : -1;
    const present = periods.reduce((bits, period) => (period.month === month ? bits | period.days : bits), 0);
    return (days & since & ~present) !== 0;
  });
}

function beginOf(periods: UnitHistory['periods']): number | null {
  let [first, days]: [Month | null, number] = [null, 0];
  for (const period of periods) {
    if (period.days === 0 || (first !== null && period.month > first)) continue;
    days = period.month === first ? days | period.days : period.days;
    first = period.month;
  }
  return first === null ? null : dayNumber(firstDay(first)) + firstBit(days) - 1;
}

function daysIn({ periods }: UnitHistory, of: 'days' | 'spendDays'): ReadonlySet<number> {
  const found = new Set<number>();
  for (const { month, [of]: days } of periods) for (const day of daysOf([month, days])) found.add(day);
  return found;
}

function daysOf([month, days]: readonly [Month, number]): number[] {
  const before = dayNumber(firstDay(month)) - 1;
  return bitsOf(days).map((day) => before + day);
}

/** Returns the days of the month whose bits are set, in order. */
function bitsOf(days: number): number[] {
  const found: number[] = [];
  for (let rest = days; rest !== 0; rest &= rest - 1) found.push(firstBit(rest));
  return found;
}

/** Returns the first day of the month whose bit is set. */
const firstBit = (days: number): number => 32 - Math.clz32(days & -days);
