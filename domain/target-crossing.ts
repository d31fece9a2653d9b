import type Big from 'big.js';
import { monthOf, type Day, type Month } from './calendar.ts';
import type { DecimalText } from './decimals.ts';
import type { Aggregation } from './metric.ts';
import { currentNumbers, missingSpend, shownUnitCost, type MonthFacts } from './month-record.ts';

/** A month whose unit cost is compared with the target of its metric. */
export interface ComparedMonth {
  month: Month;
  unitCost: Big | null;
  /** Whether it is over, has a unit cost, and lacks no spend; a team's bill must have sealed. */
  isComplete: boolean;
  above_target: boolean;
}

/**
 * The months of a metric as they are compared with its target: each by the unit cost that it shows, and the running month by
 * its days whose cost and values are complete (`sameDays`). While it has none, it is left out: nothing is known of it.
 */
export const comparedMonths = (
  facts: readonly MonthFacts[],
  { aggregation, target }: { aggregation: Aggregation; target: DecimalText | null },
  today: Day,
): ComparedMonth[] =>
  facts.flatMap((month) => {
    const isRunning = month.month === monthOf(today);
    const days = month.sameDays?.now;
    const unitCost = !isRunning
      ? shownUnitCost(month, aggregation)
      : days === undefined
        ? null
        : currentNumbers(days, aggregation).unitCost;
    if (isRunning && unitCost === null && target !== null) return [];
    const isSealed = !month.team || month.settled;
    const isWhole = month.lock !== null || (isSealed && missingSpend(month).length === 0);
    return [
      {
        month: month.month,
        unitCost,
        isComplete: !isRunning && unitCost !== null && isWhole,
        above_target: target !== null && unitCost?.gt(target) === true,
      },
    ];
  });

/** The months of which to tell although the target itself has changed: the running one and the newest that is complete. */
export const newsOfTarget = (months: readonly ComparedMonth[], today: Day): ReadonlySet<Month> => {
  const complete = months.filter(({ isComplete }) => isComplete).map(({ month }) => month);
  return new Set([monthOf(today), ...complete.sort().slice(-1)]);
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
