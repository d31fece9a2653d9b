import type Big from 'big.js';
import { lastDay, monthOf, type Day, type Month } from '../shared/calendar.ts';
import type { DecimalText } from '../shared/decimals.ts';
import { currentNumbers, shownUnitCost, type NumberRules } from '../months/month-numbers.ts';
import type { MonthFacts } from '../months/month-facts.ts';
import { isSealedBill } from '../months/month-reasons.ts';

/** A month whose unit cost is compared with the target of its metric. */
export interface ComparedMonth {
  month: Month;
  /** Null only if the metric has no target. */
  unitCost: Big | null;
  above_target: boolean;
}

/**
 * Returns the months of a metric that can be compared with its target: the running month by its days with complete cost and
 * values (`sameDays`), and every month with complete numbers. Other months are left out, because nothing is known of them yet. If
 * the metric has no target, it returns all months as not above it.
 *
 * @param valuesThrough the last day up to which the metric's values are complete; null without values.
 */
export const comparedMonths = (
  facts: readonly MonthFacts[],
  { target, ...rules }: NumberRules & { target: DecimalText | null },
  { today, valuesThrough }: { today: Day; valuesThrough: Day | null },
): ComparedMonth[] =>
  facts.flatMap((month): ComparedMonth[] => {
    if (target === null) return [{ month: month.month, unitCost: null, above_target: false }];
    const unitCost = comparedUnitCost(month, rules, { today, valuesThrough });
    return unitCost === null ? [] : [{ month: month.month, unitCost, above_target: unitCost.gt(target) }];
  });

function comparedUnitCost(
  month: MonthFacts,
  rules: NumberRules,
  { today, valuesThrough }: { today: Day; valuesThrough: Day | null },
): Big | null {
  if (month.month === monthOf(today))
    return month.sameDays === undefined || month.coverage.doubts.length > 0
      ? null
      : currentNumbers(month.sameDays.now, rules).unitCost;
  return isComplete(month, valuesThrough) ? shownUnitCost(month, rules) : null;
}

/**
 * Whether an ended month has all of its spend and values, or has settled, because a settled month waits for nothing more. A
 * team's cost also needs the values that split its shared costs. Doubts about numbers that can still move hold events back.
 */
function isComplete(facts: MonthFacts, valuesThrough: Day | null): boolean {
  const { month, lock, settled, coverage, waitingFor = [], valueDoubts = [] } = facts;
  const end = lastDay(month);
  const hasValues = valuesThrough !== null && valuesThrough >= end;
  const hasCost = coverage.completeThrough === end && waitingFor.length === 0;
  const isCertain = valueDoubts.length === 0 && (coverage.doubts.length === 0 || isSealedBill(facts));
  return lock !== null || (isCertain && (settled || (hasCost && hasValues)));
}

/** Returns the months to report if the target itself has changed: the running month and the newest complete one. */
export function newsOfTarget(months: readonly ComparedMonth[], today: Day): ReadonlySet<Month> {
  const running = monthOf(today);
  const complete = months.map(({ month }) => month).filter((month) => month !== running);
  return new Set([running, ...complete.sort().slice(-1)]);
}

/** The recorded state of a month: whether it was above its metric's target, and how often it has gone above. */
export interface TargetState {
  month: Month;
  above: boolean;
  crossings: number;
}

/**
 * Returns the months whose state has changed, oldest first. A month that is above now, but was not or has no state yet, has
 * crossed its target once more. Each crossing has its own count, so that it raises one event
 * (docs/concepts.md#events-and-webhooks).
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
