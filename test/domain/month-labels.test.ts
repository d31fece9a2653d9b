import { expect, it } from 'vitest';
import { labelParts, NO_LABELS } from '../../domain/month-labels.ts';

it('orders the parts of a month by size, then by name', () => {
  const sums = [
    { label: 'b', sum: '10.0000000000' },
    { label: 'a', sum: '10.0000000000' },
    { label: 'c', sum: '20.0000000000' },
  ];
  // 40 in all; over 4 days 10.
  expect(labelParts({ divisor: 4, sums })).toEqual([
    { label: 'c', value: 5, share_percent: 50 },
    { label: 'a', value: 2.5, share_percent: 25 },
    { label: 'b', value: 2.5, share_percent: 25 },
  ]);
});

it('knows no share where all labels are 0, and no parts without values', () => {
  expect(labelParts({ divisor: 1, sums: [{ label: 'a', sum: '0.0000000000' }] })).toEqual([
    { label: 'a', value: 0, share_percent: null },
  ]);
  expect(labelParts(NO_LABELS)).toEqual([]);
});
