import { expect, it } from 'vitest';
import { labelPart } from '../../../domain/months/month-labels.ts';

it('divides the labels of an Average like the month, and returns their shares of the whole', () => {
  // 40 in all; over 4 days 10.
  const whole = { divisor: '4', total: '40.0000000000' };
  expect(labelPart({ ...whole, label: 'c', sum: '20.0000000000' })).toEqual({
    label: 'c',
    value: 5,
    share_percent: 50,
  });
  expect(labelPart({ ...whole, label: 'a', sum: '10.0000000000' })).toEqual({
    label: 'a',
    value: 2.5,
    share_percent: 25,
  });
});

it('rounds a value to ten decimals and a share to six, half up', () => {
  // 5 ÷ 3 = 1.666…; 5 ÷ 7 = 71.428571428… %; 1 ÷ 2 of the last place goes up.
  expect(labelPart({ label: 'a', sum: '5.0000000000', divisor: '3', total: '7.0000000000' })).toEqual({
    label: 'a',
    value: 1.6666666667,
    share_percent: 71.428571,
  });
  expect(labelPart({ label: 'a', sum: '0.0000000001', divisor: '2', total: '0.0000000001' })).toEqual({
    label: 'a',
    value: 1e-10,
    share_percent: 100,
  });
  // 1e15 + 0.5 of 3e15 + 1.5: no digit is lost.
  expect(
    labelPart({
      label: 'a',
      sum: '1000000000000000.5000000000',
      divisor: '1',
      total: '3000000000000001.5000000000',
    }),
  ).toEqual({ label: 'a', value: 1000000000000000.5, share_percent: 33.333333 });
});

it('returns no share if all labels are 0', () => {
  const none = '0.0000000000';
  expect(labelPart({ label: 'a', sum: none, divisor: '1', total: none })).toEqual({
    label: 'a',
    value: 0,
    share_percent: null,
  });
});
