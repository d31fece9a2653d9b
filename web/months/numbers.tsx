import type { ReactNode } from 'react';
import { ratioOf } from '../metrics/ratio-of.ts';
import { Money, Percent, Quantity, UnitCost } from '../shared/amounts.tsx';
import { noRatioReason, type Numbers } from './month-numbers.ts';

interface Shown {
  numbers: Numbers;
  /** Why the month is open or partial. */
  reason?: string | null;
}

/** The cost of a month. */
export const Cost = ({ numbers, reason }: Shown): ReactNode => (
  <Money value={numbers.cost} reason={reason ?? 'no spend has arrived for the month'} />
);

/** The value of a month: units, or revenue. */
export function Value({ numbers }: Shown): ReactNode {
  const Shape = 'unit_cost' in numbers ? Quantity : Money;
  return <Shape value={numbers.value} reason="no value has been recorded for the month" />;
}

/** The unit cost of a month, or its cost in percent of revenue. */
export function Ratio({ numbers, reason }: Shown): ReactNode {
  const Shape = 'unit_cost' in numbers ? UnitCost : Percent;
  return <Shape value={ratioOf(numbers)} reason={noRatioReason(numbers, reason ?? null)} />;
}
