import { expect, it } from 'vitest';
import { costSetOf } from '../../../../domain/sources/exports/cost-set.ts';

it('says the set of an export by its manifest, else by a whole word of its innermost name', () => {
  const names: Record<string, ReturnType<typeof costSetOf>> = {
    'daily/AmortizedCost/20260101-20260131/1/': 'amortised',
    'daily/amortised-cost/part.csv': 'amortised',
    'actual/daily/amortized.csv': 'amortised',
    'shop-actual-2026.csv': 'actual',
    'ActualCost.csv': 'actual',
    'factual/report.csv': null,
    'daily/part_0.csv': null,
  };
  expect(Object.fromEntries(Object.keys(names).map((name) => [name, costSetOf(null, name)]))).toEqual(names);
  // The manifest knows better than the name.
  expect(costSetOf('ActualCost', 'amortized/')).toBe('actual');
  expect(costSetOf('AmortizedCost', 'actual/')).toBe('amortised');
  expect(costSetOf('FocusCost', 'actual/')).toBeNull();
});
