import {
  dayOf,
  firstDay,
  firstDayAfter,
  lastDay,
  monthOf,
  type Day,
  type Month,
} from '../shared/calendar.ts';
import { latecomerInWords } from '../sources/coverage.ts';
import { changePercent, toWire, type DecimalText } from '../shared/decimals.ts';
import { missingDaysInWords } from '../metrics/value-gap.ts';
import type { Doubt } from '../sources/doubts.ts';
import type { MonthFacts, MonthLock, SameDays } from './month-facts.ts';
import { lockability, type Lockability } from './month-lockability.ts';
import {
  currentNumbers,
  frozenNumbers,
  countsToWire,
  revenueToWire,
  type CountNumbers,
  type RevenueNumbers,
  type MonthNumbers,
  type NumberRules,
} from './month-numbers.ts';
import { partialReason } from './month-reasons.ts';
import { monthStatus, type MonthStatus } from './month-status.ts';
import type { SettlementFacts } from './settlement.ts';
import { unreadableLock } from './unreadable-values.ts';

export type ChangeBasis = 'month' | 'same_days';

/** A month of a metric as the API shows it (docs/http.md#read-and-lock-months). */
export type MonthRecord = RecordWith<CountNumbers> | RecordWith<RevenueNumbers>;

type WireDoubt = Omit<Doubt, 'amount'> & { amount: number | null };

/** Returns a doubt as the API shows it. */
export const doubtToWire = ({ code, sentence, amount, ways_out }: Doubt): WireDoubt => ({
  code,
  sentence,
  ways_out,
  amount: amount === null ? null : toWire(amount),
});

/** A month as the API shows it, with its numbers in one of their forms. */
export type RecordWith<Numbers> = Numbers & {
  month: Month;
  status: MonthStatus;
  change_percent: number | null;
  /** What the changes compare: whole months, or the running month's days so far with the same days of the month before. */
  change_basis: ChangeBasis;
  cost_change_percent: number | null;
  above_target: boolean;
  version: number | null;
  locked: (Numbers & { version: number; locked_at: string; locked_by: MonthLock['lockedBy'] }) | null;
  current?: Numbers;
  reason: string | null;
  can_lock: Lockability['can_lock'];
  missing: WireDoubt[];
  /** What to know before locking, in words. */
  notes: string[];
  /** The day up to which every source of the scope covers all days of the month; null if there is no such day. */
  complete_through: Day | null;
};

/** Returns why a month is open or partial, or why the numbers of its lock are not known, in words; null in any other state. */
function reasonOf(facts: MonthFacts, status: MonthStatus, { waits }: Lockability): string | null {
  if (facts.lock !== null && facts.lock.value === null) return unreadableLock(facts.lock.version);
  if (status === 'partial') return partialReason(facts);
  return status === 'open' ? waits.join('; ') : null;
}

/** Returns what to know before a month is locked, in words. */
const notesOf = ({ month, coverage, missingLastDays, valueNotes = [] }: MonthFacts, today: Day): string[] => [
  ...coverage.latecomers.map(latecomerInWords),
  ...(missingLastDays != null && today > lastDay(month) ? [missingDaysInWords(missingLastDays)] : []),
  ...valueNotes,
];

const changes = (
  basis: ChangeBasis,
  before: MonthNumbers | null,
  after: MonthNumbers | null,
): Pick<MonthRecord, 'change_percent' | 'change_basis' | 'cost_change_percent'> => ({
  change_percent: changePercent(before?.unitCost ?? null, after?.unitCost ?? null),
  change_basis: basis,
  cost_change_percent: changePercent(before?.cost ?? null, after?.cost ?? null),
});

/** Returns the changes from the same days of the month before to the running month's days; null if either is not known. */
function sameDaysChange(days: SameDays | undefined, rules: NumberRules) {
  const [before, now] = [days?.before ?? null, days?.now ?? null].map((facts) =>
    facts === null ? null : currentNumbers(facts, rules),
  );
  return changes('same_days', before ?? null, now ?? null);
}

/** A month with its exact numbers, and those of the month before it. */
interface NumberedMonth {
  facts: MonthFacts;
  /** Today's numbers. */
  current: MonthNumbers;
  /** The numbers that the month shows: those of its lock, if it is locked. */
  shown: MonthNumbers;
  before: MonthNumbers | null;
}

/** Returns the numbers of consecutive months, oldest first. The oldest month only serves the change of the month after it. */
export function numberedMonths(facts: readonly MonthFacts[], rules: NumberRules): NumberedMonth[] {
  const months: NumberedMonth[] = [];
  for (const month of facts) {
    const last = months.at(-1);
    const isNext = last !== undefined && firstDayAfter(last.facts.month) === firstDay(month.month);
    const current = currentNumbers(month, rules);
    months.push({
      facts: month,
      current,
      shown: month.lock === null ? current : frozenNumbers(month.lock),
      before: isNext ? last.shown : null,
    });
  }
  return months.slice(1);
}

/** Returns the changes of a month from the month before; of the running month, from the same days of it. */
export const changesOf = ({ facts, shown, before }: NumberedMonth, rules: NumberRules, today: Day) =>
  facts.month === monthOf(today) ? sameDaysChange(facts.sameDays, rules) : changes('month', before, shown);

/** Whether a month's unit cost, or cost share of revenue, is above the target of its metric. */
export const isAboveTarget = ({ shown }: NumberedMonth, target: DecimalText | null): boolean =>
  target !== null && shown.unitCost?.gt(target) === true;

/**
 * Returns month records, newest first, from the facts of consecutive months, oldest first. The oldest month has no record: it
 * only serves the change of the month after it.
 */
export const monthRecords = (
  facts: readonly MonthFacts[],
  metric: NumberRules & { target: DecimalText | null },
  settlement: SettlementFacts,
  now: Date,
): MonthRecord[] =>
  metric.kind === 'revenue'
    ? recordsWith(revenueToWire, facts, metric, settlement, now)
    : recordsWith(countsToWire, facts, metric, settlement, now);

/** Returns the records of months with the numbers that `shownAs` makes of the exact ones. */
export function recordsWith<Numbers>(
  shownAs: (numbers: MonthNumbers) => Numbers,
  facts: readonly MonthFacts[],
  metric: NumberRules & { target: DecimalText | null },
  settlement: SettlementFacts,
  now: Date,
): RecordWith<Numbers>[] {
  const today = dayOf(now);
  const records = numberedMonths(facts, metric).map((numbered): RecordWith<Numbers> => {
    const { facts: month, current, shown } = numbered;
    const status = monthStatus(month);
    const lockable = lockability(month, settlement, today, status);
    return {
      month: month.month,
      ...shownAs(shown),
      status,
      ...changesOf(numbered, metric, today),
      above_target: isAboveTarget(numbered, metric.target),
      version: month.lock?.version ?? null,
      locked:
        month.lock === null
          ? null
          : {
              version: month.lock.version,
              ...shownAs(shown),
              locked_at: month.lock.lockedAt,
              locked_by: month.lock.lockedBy,
            },
      ...(status === 'changed_since_lock' ? { current: shownAs(current) } : {}),
      reason: reasonOf(month, status, lockable),
      can_lock: lockable.can_lock,
      missing: lockable.missing.map(doubtToWire),
      notes: month.lock === null ? notesOf(month, today) : [],
      complete_through:
        month.lock === null || month.lock.isIncomplete
          ? month.coverage.completeThrough
          : lastDay(month.month),
    };
  });
  return records.reverse();
}

export type LatestUnitCost = Pick<MonthRecord, 'month' | 'change_percent' | 'change_basis' | 'status'> &
  ({ unit_cost: number; cost_share_percent?: never } | { cost_share_percent: number; unit_cost?: never });

/** What a list or a header shows of a month. */
export type NumbersAtGlance = Pick<
  MonthRecord,
  'month' | 'change_percent' | 'change_basis' | 'status' | 'unit_cost' | 'cost_share_percent'
>;

/** Returns the newest month with a unit cost or cost share, for lists and headers (docs/http.md#define-a-metric). */
export function latestUnitCost(records: readonly NumbersAtGlance[]): LatestUnitCost | null {
  const found = records.find(
    ({ unit_cost, cost_share_percent }) =>
      typeof unit_cost === 'number' || typeof cost_share_percent === 'number',
  );
  if (found === undefined) return null;
  const { month, change_percent, change_basis, status, unit_cost, cost_share_percent } = found;
  const latest = { month, change_percent, change_basis, status };
  if (typeof unit_cost === 'number') return { ...latest, unit_cost };
  return typeof cost_share_percent === 'number' ? { ...latest, cost_share_percent } : null;
}
