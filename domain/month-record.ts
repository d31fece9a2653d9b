import Big from 'big.js';
import {
  addMonths,
  dayOf,
  firstDay,
  firstDayAfter,
  lastDay,
  settlesOn,
  type Day,
  type Month,
} from './calendar.ts';
import {
  changePercent,
  quotient,
  toWire,
  valueToWire,
  VALUE_DECIMALS,
  type DecimalText,
} from './decimals.ts';
import type { Aggregation } from './metric.ts';

/** Decimals to which a unit cost is divided and frozen; comparisons use them all, only the wire rounds to six. */
export const UNIT_COST_DECIMALS = 20;

export type MonthStatus = 'open' | 'partial' | 'ready_to_lock' | 'locked' | 'changed_since_lock';

/** The newest version of a locked month, frozen (spec §3). */
export interface MonthLock {
  version: number;
  cost: DecimalText;
  value: DecimalText;
  unitCost: DecimalText | null;
  lockedAt: string;
  lockedBy: { type: 'key'; id: string; name: string };
  /** How many changes of the month's values the version had seen. */
  valueChanges: number;
}

/** What the warehouse knows about one month of one metric. */
export interface MonthFacts {
  month: Month;
  /** The scope's spend over the month's days so far; null when no source has delivered any of them. */
  cost: DecimalText | null;
  /** Kinds of cost sources that the scope picks from and that have not delivered any of the month's days. */
  undelivered: string[];
  /** Tag keys and splits that the scope picks by and that have no data for days of the month, in words. */
  uncollected: string[];
  /** Σ of the month's values; null without any. */
  valueSum: DecimalText | null;
  /** How many periods of the month have a value. */
  valuePeriods: number;
  /** How many times a value of the month was added, replaced or removed. */
  valueChanges: number;
  /** Whether the month has settled; with team scope, whether the team's bill has sealed. */
  settled: boolean;
  /** With team scope: what the team's bill waits for in a month that has settled, in words. */
  waitingFor?: string[];
  lock: MonthLock | null;
}

/** What a month waits for is judged against: the organisation's sources and how long its bills move. */
export interface SettlementFacts {
  settleDays: number;
  /** Active sources only, with the last day each has delivered. */
  sources: { name: string; deliveredThrough: Day | null }[];
}

interface Numbers {
  cost: number | null;
  value: number | null;
  unit_cost: number | null;
}

/** A month of a metric as the API shows it (contract §3, Month). */
export interface MonthRecord extends Numbers {
  month: Month;
  status: MonthStatus;
  change_percent: number | null;
  above_target: boolean;
  version: number | null;
  locked: (Numbers & { version: number; locked_at: string; locked_by: MonthLock['lockedBy'] }) | null;
  current?: Numbers;
  reason: string | null;
  /** The last day of the month that every active source has delivered; null while there is none. */
  complete_through: Day | null;
}

/** Today's exact numbers of a month, before any rounding for the wire. */
export interface MonthNumbers {
  cost: Big | null;
  value: Big | null;
  unitCost: Big | null;
}

/**
 * Cost, value and unit cost of a month as of now. Total sums the values, Average is their mean over the
 * periods that have one (spec §2 rule 1); the unit cost is divided from the exact sums, once, and is null
 * without a value or with value 0 (design §2).
 */
export const currentNumbers = (facts: MonthFacts, aggregation: Aggregation): MonthNumbers => {
  const cost = facts.cost === null ? null : Big(facts.cost);
  if (facts.valueSum === null) return { cost, value: null, unitCost: null };
  const sum = Big(facts.valueSum);
  const periods = Big(aggregation === 'average' ? facts.valuePeriods : 1);
  return {
    cost,
    value: quotient(sum, periods, VALUE_DECIMALS),
    unitCost: cost === null || sum.eq(0) ? null : quotient(cost.times(periods), sum, UNIT_COST_DECIMALS),
  };
};

const numbersToWire = ({ cost, value, unitCost }: MonthNumbers): Numbers => ({
  cost: cost === null ? null : toWire(cost),
  value: value === null ? null : valueToWire(value),
  unit_cost: unitCost === null ? null : toWire(unitCost),
});

const frozenNumbers = (lock: MonthLock): MonthNumbers => ({
  cost: Big(lock.cost),
  value: Big(lock.value),
  unitCost: lock.unitCost === null ? null : Big(lock.unitCost),
});

/**
 * The state of a month (spec §3): late spend never moves a locked one, a changed value does, and a new pick without
 * data does not undo its lock. A month without all its tag or split data is partial for good.
 */
export const monthStatus = (facts: MonthFacts): MonthStatus => {
  if (facts.lock !== null)
    return facts.valueChanges === facts.lock.valueChanges ? 'locked' : 'changed_since_lock';
  if (facts.uncollected.length > 0) return 'partial';
  return facts.settled && facts.valueSum !== null && facts.cost !== null ? 'ready_to_lock' : 'open';
};

/** Spend by the kinds of sources that bring it, as people call it. */
const SPEND_IN_WORDS: Record<string, string> = {
  focus: 'cloud',
  opencost: 'Kubernetes',
  hosts: 'host',
  ai_tools: 'AI tool',
};

const spendInWords = (kinds: readonly string[]): string =>
  [kinds.map((kind) => SPEND_IN_WORDS[kind] ?? kind).join(' or '), 'spend'].join(' ').trim();

const completeThrough = (month: Month, { sources }: SettlementFacts): Day | null => {
  const days = sources.map(({ deliveredThrough }) => deliveredThrough ?? '');
  const [through = ''] = [...days, lastDay(month)].sort();
  return sources.length === 0 || through < firstDay(month) ? null : through;
};

/** Why a month cannot be complete, in words; null when its picks have all their data. */
export const partialReason = ({
  uncollected,
  month,
}: Pick<MonthFacts, 'uncollected' | 'month'>): string | null =>
  uncollected.length === 0
    ? null
    : `${uncollected.join('; ')}: earlier days of ${month} have no such spend, and never will`;

/** What a month's settlement waits for, in words; empty when nothing is missing (design §2, Status). */
export const settlementReasons = (month: Month, settlement: SettlementFacts, today: Day): string[] => {
  const end = lastDay(month);
  if (today <= end) return ['the month has not ended'];
  const waits: string[] = [];
  const settles = settlesOn(month, settlement.settleDays);
  if (today < settles)
    waits.push(`cloud billing settles on ${settles}, ${settlement.settleDays} full days after the month`);
  const late = settlement.sources.filter(
    (source) => source.deliveredThrough === null || source.deliveredThrough < end,
  );
  for (const { name, deliveredThrough } of late) {
    const so = deliveredThrough === null ? 'nothing so far' : `delivered through ${deliveredThrough}`;
    waits.push(`cost source ${JSON.stringify(name)} has not delivered ${end} (${so})`);
  }
  return waits;
};

/** Why a month is open or partial, in words; null in any other state. */
const openReason = (facts: MonthFacts, settlement: SettlementFacts, today: Day): string | null => {
  const status = monthStatus(facts);
  if (status === 'partial') return partialReason(facts);
  if (status !== 'open') return null;
  const waits: string[] = [];
  const hasEnded = today > lastDay(facts.month);
  const { waitingFor = [] } = facts;
  if (waitingFor.length > 0) waits.push(...waitingFor);
  else if (!facts.settled || !hasEnded) {
    waits.push(...settlementReasons(facts.month, settlement, today));
    if (waits.length === 0 && facts.cost !== null) waits.push('waiting for the next daily settlement');
  }
  const missing = `no ${spendInWords(facts.undelivered)} has been ingested for ${facts.month}`;
  // A team's bill that waits says itself why there is no cost.
  if (facts.cost === null && waitingFor.length === 0) waits.push(missing);
  else if (facts.undelivered.length > 0) waits.push(`${missing}, its picks count 0`);
  if (facts.valueSum === null) waits.push(`no value has been recorded for ${facts.month}`);
  return waits.join('; ');
};

/**
 * Month records, newest first, from the facts of consecutive months, oldest first. The oldest month only
 * serves the change of the one after it and is left out.
 */
export const monthRecords = (
  facts: readonly MonthFacts[],
  metric: { aggregation: Aggregation; target: DecimalText | null },
  settlement: SettlementFacts,
  now: Date,
): MonthRecord[] => {
  const records: MonthRecord[] = [];
  const today = dayOf(now);
  let before: { month: Month; unitCost: Big | null } | null = null;
  for (const month of facts) {
    const status = monthStatus(month);
    const current = currentNumbers(month, metric.aggregation);
    const shown = month.lock === null ? current : frozenNumbers(month.lock);
    const isNext = before !== null && firstDayAfter(before.month) === firstDay(month.month);
    records.push({
      month: month.month,
      ...numbersToWire(shown),
      status,
      change_percent: changePercent(isNext ? (before?.unitCost ?? null) : null, shown.unitCost),
      above_target: metric.target !== null && shown.unitCost?.gt(metric.target) === true,
      version: month.lock?.version ?? null,
      locked:
        month.lock === null
          ? null
          : {
              version: month.lock.version,
              ...numbersToWire(shown),
              locked_at: month.lock.lockedAt,
              locked_by: month.lock.lockedBy,
            },
      ...(status === 'changed_since_lock' ? { current: numbersToWire(current) } : {}),
      reason: openReason(month, settlement, today),
      complete_through: month.lock === null ? completeThrough(month.month, settlement) : lastDay(month.month),
    });
    before = { month: month.month, unitCost: shown.unitCost };
  }
  return records.slice(1).reverse();
};

/** The newest month with a unit cost, for lists and headers (contract §3, `latest`). */
export const latestUnitCost = (
  records: readonly MonthRecord[],
): { month: Month; unit_cost: number; change_percent: number | null; status: MonthStatus } | null => {
  for (const { month, unit_cost, change_percent, status } of records) {
    if (unit_cost !== null) return { month, unit_cost, change_percent, status };
  }
  return null;
};

/** First day of the oldest month whose facts are needed to show `count` months ending with `newest`. */
export const factsFrom = (newest: Month, count: number): Day => firstDay(addMonths(newest, -count));
