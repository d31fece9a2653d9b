import type Big from 'big.js';
import { lastDay, monthOf, type Day, type Month } from '../shared/calendar.ts';
import type { DecimalText } from '../shared/decimals.ts';
import type { Aggregation } from '../metrics/metric.ts';
import { currentNumbers, shownUnitCost } from '../months/month-numbers.ts';
import type { MonthFacts } from '../months/month-facts.ts';

/** A month whose unit cost is compared with the target of its metric. */
export interface ComparedMonth {
  month: Month;
  /** Null only if the metric has no target. */
  unitCost: Big | null;
  above_target: boolean;
}

/**
 * The months of a metric that can be compared with its target: the running month by its days whose cost and values are
 * complete (`sameDays`), and every month whose own numbers are complete. The others are left out, because nothing is known
 * of them yet. Without a target each month is there, and above none.
 *
 * @param valuesThrough the day through which the metric's values are complete; null without values.
 */
export const comparedMonths = (
  facts: readonly MonthFacts[],
  { aggregation, target }: { aggregation: Aggregation; target: DecimalText | null },
  { today, valuesThrough }: { today: Day; valuesThrough: Day | null },
): ComparedMonth[] =>
  facts.flatMap((month): ComparedMonth[] => {
    if (target === null) return [{ month: month.month, unitCost: null, above_target: false }];
    const unitCost = comparedUnitCost(month, aggregation, { today, valuesThrough });
    return unitCost === null ? [] : [{ month: month.month, unitCost, above_target: unitCost.gt(target) }];
  });

const comparedUnitCost = (
  month: MonthFacts,
  aggregation: Aggregation,
  { today, valuesThrough }: { today: Day; valuesThrough: Day | null },
): Big | null => {
  if (month.month === monthOf(today))
    return month.sameDays === undefined ? null : currentNumbers(month.sameDays.now, aggregation).unitCost;
  return isComplete(month, valuesThrough) ? shownUnitCost(month, aggregation) : null;
};

/**
 * Whether an ended month has all of its spend and values, or has settled: a settled month waits for nothing more. A team's
 * cost also needs the values that its shared costs are split by.
 */
const isComplete = (
  { month, lock, settled, coverage, waitingFor = [] }: MonthFacts,
  valuesThrough: Day | null,
): boolean => {
  const end = lastDay(month);
  const hasValues = valuesThrough !== null && valuesThrough >= end;
  const hasCost = coverage.completeThrough === end && waitingFor.length === 0;
  return lock !== null || settled || (hasCost && hasValues);
};

/** The months to report although the target itself has changed: the running one and the newest that is complete. */
export const newsOfTarget = (months: readonly ComparedMonth[], today: Day): ReadonlySet<Month> => {
  const running = monthOf(today);
  const complete = months.map(({ month }) => month).filter((month) => month !== running);
  return new Set([running, ...complete.sort().slice(-1)]);
};

/** What was last seen of a month: whether it was above its metric's target, and how often it has gone there. */
export interface TargetState {
  month: Month;
  above: boolean;
  crossings: number;
}

/**
 * The months whose state has changed, oldest first. One that is above now and was not, or was never seen, has crossed
 * its target once more: its count tells this crossing from the one before, so that each is told once (spec §1 rule 7).
 */
export const changedTargetStates = (
  months: readonly { month: Month; above_target: boolean }[],
  seen: ReadonlyMap<Month, TargetState>,
): TargetState[] =>
  months
    .flatMap(({ month, above_target: above }) => {
      const before = seen.get(month) ?? { above: false, crossings: 0 };
      if (above === before.above) return [];
      return [{ month, above, crossings: before.crossings + (above ? 1 : 0) }];
    })
    .sort((a, b) => a.month.localeCompare(b.month));
