import type { MetricWithMonths } from '../organisation/client.ts';
import { amountText } from './table.ts';

/** Returns the newest unit cost of a metric as a line, with the numbers that it divides. */
export function firstUnitCost({ name, unit, months }: MetricWithMonths): string {
  const newest = months.find(({ unit_cost }) => unit_cost !== null);
  if (newest === undefined) return `First unit cost: ${name} has none yet`;
  const { month, cost, value, unit_cost: unitCost } = newest;
  const parts = `${amountText(cost)} USD / ${amountText(value, Number.isInteger(value) ? 0 : 1)}`;
  return `First unit cost: ${name} of ${month}, ${parts} = ${amountText(unitCost, 4)} USD per ${unit}`;
}
