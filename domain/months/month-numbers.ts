import Big from 'big.js';
import type { Aggregation, MetricKind } from '../metrics/metric.ts';
import {
  MONEY_DECIMALS,
  quotient,
  toWire,
  toWireText,
  valueToWire,
  valueToWireText,
  VALUE_DECIMALS,
  type DecimalText,
} from '../shared/decimals.ts';
import type { DaysFacts, MonthFacts, MonthLock } from './month-facts.ts';

/** Decimals of computed and frozen unit costs. Comparisons use all of them; only the wire rounds to six. */
export const UNIT_COST_DECIMALS = 20;

/** The numbers of a count metric's month on the wire. */
export interface CountNumbers {
  cost: number | null;
  value: number | null;
  unit_cost: number | null;
  cost_share_percent?: never;
}

/** The numbers of a revenue metric's month on the wire. `value` is the revenue, `margin` what the cost leaves of it. */
export interface RevenueNumbers {
  cost: number | null;
  value: number | null;
  cost_share_percent: number | null;
  margin: number | null;
  margin_percent: number | null;
  unit_cost?: never;
}

/** What decides how a metric's months are computed. */
export interface NumberRules {
  kind: MetricKind;
  aggregation: Aggregation;
}

/** Today's exact numbers of a month, before any rounding for the wire. */
export interface MonthNumbers {
  cost: Big | null;
  value: Big | null;
  /** The cost per unit; for revenue the cost in percent of it. */
  unitCost: Big | null;
}

/**
 * Returns today's cost, value and unit cost of a month. Total sums the values; Average is their mean over the periods that have
 * one (docs/concepts.md#value-and-unit-cost). The unit cost is divided once, from the exact sums. It is null if the cost or
 * value is missing, or the value is 0 (docs/concepts.md#value-and-unit-cost); for revenue also if the value is negative.
 */
export function currentNumbers(facts: DaysFacts, { kind, aggregation }: NumberRules): MonthNumbers {
  const cost = facts.cost === null ? null : Big(facts.cost);
  if (facts.valueSum === null) return { cost, value: null, unitCost: null };
  const sum = Big(facts.valueSum);
  const periods = Big(aggregation === 'average' ? facts.valuePeriods : 1);
  const factor = periods.times(kind === 'revenue' ? 100 : 1);
  const dividend = cost === null || factor.eq(1) ? cost : cost.times(factor);
  return {
    cost,
    value: quotient(sum, periods, kind === 'revenue' ? MONEY_DECIMALS : VALUE_DECIMALS),
    unitCost: dividend === null || sum.lte(0) ? null : quotient(dividend, sum, UNIT_COST_DECIMALS),
  };
}

/** Returns the numbers of a count metric's month as the API shows them. */
export const countsToWire = ({ cost, value, unitCost }: MonthNumbers): CountNumbers => ({
  cost: wired(cost),
  value: value === null ? null : valueToWire(value),
  unit_cost: wired(unitCost),
});

/** Returns the numbers of a revenue metric's month as the API shows them. */
export function revenueToWire(numbers: MonthNumbers): RevenueNumbers {
  const { margin, percent } = marginOf(numbers);
  return {
    cost: wired(numbers.cost),
    value: wired(numbers.value),
    cost_share_percent: wired(numbers.unitCost),
    margin: wired(margin),
    margin_percent: wired(percent),
  };
}

function marginOf({ cost, value }: MonthNumbers): { margin: Big | null; percent: Big | null } {
  const margin = value === null || cost === null ? null : value.minus(cost);
  const percent =
    margin === null || value === null || value.lte(0)
      ? null
      : quotient(margin.times(100), value, UNIT_COST_DECIMALS);
  return { margin, percent };
}

const wired = (amount: Big | null): number | null => (amount === null ? null : toWire(amount));

/** The numbers of a month of either kind, as exact texts. Those of the other kind are null. */
export type NumberTexts = Record<
  'cost' | 'value' | 'unit_cost' | 'cost_share_percent' | 'margin' | 'margin_percent',
  DecimalText | null
>;

/** Returns the numbers that the API shows, rounded alike, for formats with decimals. */
export const numbersToText =
  (kind: MetricKind) =>
  (numbers: MonthNumbers): NumberTexts => {
    const { cost, value, unitCost } = numbers;
    const isRevenue = kind === 'revenue';
    const { margin, percent } = isRevenue ? marginOf(numbers) : { margin: null, percent: null };
    return {
      cost: inText(cost),
      value: isRevenue || value === null ? inText(value) : valueToWireText(value),
      unit_cost: isRevenue ? null : inText(unitCost),
      cost_share_percent: isRevenue ? inText(unitCost) : null,
      margin: inText(margin),
      margin_percent: inText(percent),
    };
  };

const inText = (amount: Big | null): DecimalText | null => (amount === null ? null : toWireText(amount));

export const frozenNumbers = (lock: Pick<MonthLock, 'cost' | 'value' | 'unitCost'>): MonthNumbers => ({
  cost: lock.cost === null ? null : Big(lock.cost),
  value: lock.value === null ? null : Big(lock.value),
  unitCost: lock.unitCost === null ? null : Big(lock.unitCost),
});

/** Returns the unit cost that a month shows: frozen if the month is locked, today's otherwise. */
export const shownUnitCost = (facts: MonthFacts, rules: NumberRules): Big | null =>
  (facts.lock === null ? currentNumbers(facts, rules) : frozenNumbers(facts.lock)).unitCost;
