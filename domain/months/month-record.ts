import Big from 'big.js';
import {
  addMonths,
  dayOf,
  firstDay,
  firstDayAfter,
  lastDay,
  monthOf,
  settlesOn,
  type Day,
  type Month,
} from '../shared/calendar.ts';
import { gapInWords, latecomerInWords, type Coverage } from '../sources/coverage.ts';
import {
  changePercent,
  quotient,
  toWire,
  valueToWire,
  VALUE_DECIMALS,
  type DecimalText,
} from '../shared/decimals.ts';
import type { Aggregation } from '../metrics/metric.ts';

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
  /** Whether it was locked without spend that sources had not delivered. */
  isIncomplete: boolean;
}

/** What the warehouse knows about one month of one metric. */
export interface MonthFacts {
  month: Month;
  /** The scope's spend over the month's days so far; null when no source covers any of them. */
  cost: DecimalText | null;
  /** Which days of the month the sources of the scope cover. */
  coverage: Coverage;
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
  /** Whether the scope is a team, whose bill is the cost. */
  team: boolean;
  /** With team scope: what the team's bill waits for before it can seal, beside spend, in words. */
  waitingFor?: string[];
  lock: MonthLock | null;
  /** Of the running month, where it can be compared. */
  sameDays?: SameDays;
}

/** What some days of a month come to: cost, and values as of a month. */
export type DaysFacts = Pick<MonthFacts, 'cost' | 'valueSum' | 'valuePeriods'>;

/**
 * The running month's days that are complete, the 1st to `through`, and the same days of the month before; null where its
 * days are not known. Values of a monthly metric are in neither.
 */
interface SameDays {
  through: Day;
  now: DaysFacts;
  before: DaysFacts | null;
}

/** Inputs of the settlement rule. */
export interface SettlementFacts {
  /** Full days after a month in which its bills still move. */
  settleDays: number;
}

interface Numbers {
  cost: number | null;
  value: number | null;
  unit_cost: number | null;
}

export type ChangeBasis = 'month' | 'same_days';

/** A month of a metric as the API shows it (contract §3, Month). */
export interface MonthRecord extends Numbers {
  month: Month;
  status: MonthStatus;
  change_percent: number | null;
  /** What the changes compare: whole months, or the running month's days so far with the same days before. */
  change_basis: ChangeBasis;
  cost_change_percent: number | null;
  above_target: boolean;
  version: number | null;
  locked: (Numbers & { version: number; locked_at: string; locked_by: MonthLock['lockedBy'] }) | null;
  current?: Numbers;
  reason: string | null;
  /** What to know before locking, in words. */
  notes: string[];
  /** The last day of the month up to which every source of the scope covers all days; null while there is none. */
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
export const currentNumbers = (facts: DaysFacts, aggregation: Aggregation): MonthNumbers => {
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

/** The unit cost that a month shows: as it was locked, or as of now. */
export const shownUnitCost = (facts: MonthFacts, aggregation: Aggregation): Big | null =>
  (facts.lock === null ? currentNumbers(facts, aggregation) : frozenNumbers(facts.lock)).unitCost;

/**
 * The state of a month (spec §3): late spend never moves a locked one, a changed value does, and a new pick without
 * data does not undo its lock. A month without all its tag or split data is partial for good.
 */
export const monthStatus = (facts: MonthFacts): MonthStatus => {
  if (facts.lock !== null)
    return facts.valueChanges === facts.lock.valueChanges ? 'locked' : 'changed_since_lock';
  if (facts.uncollected.length > 0) return 'partial';
  const isWhole = facts.valueSum !== null && facts.cost !== null && missingSpend(facts).length === 0;
  return facts.settled && isWhole ? 'ready_to_lock' : 'open';
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

/**
 * What sources have not delivered of a month, in words: of the scope, and until the month has settled of all that it waits for.
 * A team's bill that has sealed lacks nothing: it no longer moves.
 */
export const missingSpend = ({
  month,
  coverage: { gaps, holdingBack, undelivered },
  cost,
  settled,
  team,
}: Pick<MonthFacts, 'month' | 'coverage' | 'cost' | 'settled' | 'team'>): string[] => {
  if (team && settled) return [];
  const unknown = `no ${spendInWords(undelivered)} has been ingested for ${month}, its picks count 0`;
  const lacking = settled ? gaps : [...new Set([...gaps, ...holdingBack])];
  return [...lacking.map(gapInWords), ...(undelivered.length > 0 && cost !== null ? [unknown] : [])];
};

/** Why a month cannot be complete, in words; null when its picks have all their data. */
export const partialReason = ({
  uncollected,
  month,
}: Pick<MonthFacts, 'uncollected' | 'month'>): string | null =>
  uncollected.length === 0
    ? null
    : `${uncollected.join('; ')}: earlier days of ${month} have no such spend, and never will`;

/** What a month's settlement waits for beside its sources, in words; empty when the settle days have passed. */
const settleDayReasons = (month: Month, { settleDays }: SettlementFacts, today: Day): string[] => {
  if (today <= lastDay(month)) return ['the month has not ended'];
  const settles = settlesOn(month, settleDays);
  return today < settles
    ? [`cloud billing settles on ${settles}, ${settleDays} full days after the month`]
    : [];
};

/** What a month's settlement waits for, in words; empty when nothing is missing (design §2, Status). */
export const settlementReasons = (
  month: Month,
  settlement: SettlementFacts & Pick<Coverage, 'holdingBack'>,
  today: Day,
): string[] => {
  const waits = settleDayReasons(month, settlement, today);
  return today <= lastDay(month) ? waits : [...waits, ...settlement.holdingBack.map(gapInWords)];
};

/** Something that an open month waits for. */
interface Wait {
  reason: string;
  /** Whether it is spend that sources have not delivered, without which a person may lock the month all the same. */
  isMissingSpend: boolean;
}

/** Everything that an open month waits for (contract §3, Month). */
export const openWaits = (facts: MonthFacts, settlement: SettlementFacts, today: Day): Wait[] => {
  const { month, settled, cost, valueSum, coverage } = facts;
  const hasEnded = today > lastDay(month);
  const waitingFor = hasEnded ? (facts.waitingFor ?? []) : [];
  const isSettled = settled && hasEnded;
  const missing = missingSpend(
    hasEnded ? facts : { ...facts, coverage: { ...coverage, gaps: [], holdingBack: [] } },
  );
  const days = isSettled ? [] : settleDayReasons(month, settlement, today);
  const isDue = !isSettled && cost !== null && [...waitingFor, ...days, ...missing].length === 0;
  const unknown = [
    ...(isDue ? ['waiting for the next daily settlement'] : []),
    // A team's bill that waits says itself why there is no cost.
    ...(cost === null && waitingFor.length === 0
      ? [`no ${spendInWords(coverage.undelivered)} has been ingested for ${month}`]
      : []),
    ...(valueSum === null ? [`no value has been recorded for ${month}`] : []),
  ];
  const waits = (reasons: readonly string[], isMissingSpend: boolean): Wait[] =>
    reasons.map((reason) => ({ reason, isMissingSpend }));
  return [...waits([...days, ...waitingFor], false), ...waits(missing, true), ...waits(unknown, false)];
};

/** Why a month is open or partial, in words; null in any other state. */
const openReason = (facts: MonthFacts, settlement: SettlementFacts, today: Day): string | null => {
  const status = monthStatus(facts);
  if (status === 'partial') return partialReason(facts);
  if (status !== 'open') return null;
  return openWaits(facts, settlement, today)
    .map(({ reason }) => reason)
    .join('; ');
};

const changes = (
  basis: ChangeBasis,
  before: MonthNumbers | null,
  after: MonthNumbers | null,
): Pick<MonthRecord, 'change_percent' | 'change_basis' | 'cost_change_percent'> => ({
  change_percent: changePercent(before?.unitCost ?? null, after?.unitCost ?? null),
  change_basis: basis,
  cost_change_percent: changePercent(before?.cost ?? null, after?.cost ?? null),
});

/** The change of the running month's days from the same days of the month before; null where either is not known. */
const sameDaysChange = (days: SameDays | undefined, aggregation: Aggregation) => {
  const [before, now] = [days?.before ?? null, days?.now ?? null].map((facts) =>
    facts === null ? null : currentNumbers(facts, aggregation),
  );
  return changes('same_days', before ?? null, now ?? null);
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
  let before: (MonthNumbers & { month: Month }) | null = null;
  for (const month of facts) {
    const status = monthStatus(month);
    const current = currentNumbers(month, metric.aggregation);
    const shown = month.lock === null ? current : frozenNumbers(month.lock);
    const isNext = before !== null && firstDayAfter(before.month) === firstDay(month.month);
    records.push({
      month: month.month,
      ...numbersToWire(shown),
      status,
      ...(month.month === monthOf(today)
        ? sameDaysChange(month.sameDays, metric.aggregation)
        : changes('month', isNext ? before : null, shown)),
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
      notes: month.lock === null ? month.coverage.latecomers.map(latecomerInWords) : [],
      complete_through:
        month.lock === null || month.lock.isIncomplete
          ? month.coverage.completeThrough
          : lastDay(month.month),
    });
    before = { month: month.month, ...shown };
  }
  return records.slice(1).reverse();
};

export type LatestUnitCost = Pick<MonthRecord, 'month' | 'change_percent' | 'change_basis' | 'status'> & {
  unit_cost: number;
};

/** The newest month with a unit cost, for lists and headers (contract §3, `latest`). */
export const latestUnitCost = (records: readonly MonthRecord[]): LatestUnitCost | null => {
  for (const { month, unit_cost, change_percent, change_basis, status } of records) {
    if (unit_cost !== null) return { month, unit_cost, change_percent, change_basis, status };
  }
  return null;
};

/** First day of the oldest month whose facts are needed to show `count` months ending with `newest`. */
export const factsFrom = (newest: Month, count: number): Day => firstDay(addMonths(newest, -count));
