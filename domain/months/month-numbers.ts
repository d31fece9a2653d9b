import Big from 'big.js';
import type { Aggregation } from '../metrics/metric.ts';
import { quotient, toWire, valueToWire, VALUE_DECIMALS } from '../shared/decimals.ts';
import type { DaysFacts, MonthFacts, MonthLock } from './month-facts.ts';

/** Decimals of computed and frozen unit costs. Comparisons use all of them; only the wire rounds to six. */
export const UNIT_COST_DECIMALS = 20;

/** A month's numbers on the wire. */
export interface Numbers {
  cost: number | null;
  value: number | null;
  unit_cost: number | null;
}

/** Today's exact numbers of a month, before any rounding for the wire. */
export interface MonthNumbers {
  cost: Big | null;
  value: Big | null;
  unitCost: Big | null;
}

/**
 * Returns today's cost, value and unit cost of a month. Total sums the values; Average is their mean over the periods that have
 * one (spec §2 rule 1). The unit cost is divided once, from the exact sums. It is null if the cost or value is missing, or the
 * value is 0 (design §2).
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

export const numbersToWire = ({ cost, value, unitCost }: MonthNumbers): Numbers => ({
  cost: cost === null ? null : toWire(cost),
  value: value === null ? null : valueToWire(value),
  unit_cost: unitCost === null ? null : toWire(unitCost),
});

export const frozenNumbers = (lock: MonthLock): MonthNumbers => ({
  cost: Big(lock.cost),
  value: Big(lock.value),
  unitCost: lock.unitCost === null ? null : Big(lock.unitCost),
});

/** Returns the unit cost that a month shows: frozen if the month is locked, today's otherwise. */
export const shownUnitCost = (facts: MonthFacts, aggregation: Aggregation): Big | null =>
  (facts.lock === null ? currentNumbers(facts, aggregation) : frozenNumbers(facts.lock)).unitCost;
