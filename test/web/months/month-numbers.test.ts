import { expect, it } from 'vitest';
import { ratioOf } from '../../../web/metrics/ratio-of.ts';
import { noRatioReason } from '../../../web/months/month-numbers.ts';

it('the ratio of a month is its unit cost, or its cost in percent of revenue', () => {
  expect(ratioOf({ unit_cost: 0.2 })).toBe(0.2);
  const revenue = { cost: 30, value: 120, cost_share_percent: 25, margin: 90, margin_percent: 75 };
  expect(ratioOf(revenue)).toBe(25);
});

it('a month without a ratio says what is missing first', () => {
  const count = { cost: 520, value: 0, unit_cost: null };
  expect(noRatioReason({ ...count, cost: null }, 'the bill is late')).toBe('the bill is late');
  expect(noRatioReason({ ...count, cost: null }, null)).toBe('no spend has arrived for the month');
  expect(noRatioReason({ ...count, value: null }, null)).toBe('no value has been recorded for the month');
  expect(noRatioReason(count, null)).toBe('the value is 0, so that nothing can be divided by it');
  const revenue = { cost: 30, value: -1, cost_share_percent: null, margin: -31, margin_percent: null };
  expect(noRatioReason(revenue, null)).toBe('revenue is 0 or less, so that nothing can be divided by it');
});
