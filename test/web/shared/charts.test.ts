import { describe, expect, it } from 'vitest';
import { largestSeries, stackedPeriods } from '../../../web/shared/charts/largest-series.ts';
import { sumOf } from '../../../web/shared/sums.ts';

const part = (id: string, total: number) => ({ id, name: `Team ${id}`, total });

describe('the series of a chart', () => {
  it('are the largest parts in their order, and one more for the rest', () => {
    const series = largestSeries([part('a', 1), part('b', 9), part('c', 5), part('d', 3)], 2);
    expect(series.map(({ name, label }) => [name, label])).toEqual([
      ['b', 'Team b'],
      ['c', 'Team c'],
      ['other', 'Other (2)'],
    ]);
    expect(new Set(series.map(({ color }) => color)).size).toBe(3);
  });

  it('keep the name of a rest of one part', () => {
    const series = largestSeries([part('a', 1), part('b', 9), part('c', 5)], 2);
    expect(series.map(({ label }) => label)).toEqual(['Team b', 'Team c', 'Team a']);
  });

  it('have no rest if there are few parts', () => {
    expect(largestSeries([part('a', 1)], 2).map(({ name }) => name)).toEqual(['a']);
    expect(largestSeries([], 2)).toEqual([]);
  });
});

describe('the bars of a chart', () => {
  const series = [
    { name: 'a', label: 'A', color: 'blue.6' },
    { name: 'other', label: 'Other (2)', color: 'gray.6' },
  ];

  it('sum each series in each period, and everything else as the rest', () => {
    const amounts = [
      { period: '2026-01', id: 'a', amount: 0.1 },
      { period: '2026-01', id: 'a', amount: 0.2 },
      { period: '2026-01', id: 'b', amount: 5 },
      { period: '2026-01', id: 'c', amount: -1 },
      { period: '2026-03', id: 'a', amount: 7 },
    ];
    expect(stackedPeriods(['2026-01', '2026-02', '2026-03'], series, amounts)).toEqual([
      { period: '2026-01', values: { a: 0.3, other: 4 } },
      { period: '2026-02', values: {} },
      { period: '2026-03', values: { a: 7 } },
    ]);
  });

  it('leave out periods that the chart does not show', () => {
    const amounts = [{ period: '2025-12', id: 'a', amount: 3 }];
    expect(stackedPeriods(['2026-01'], series, amounts)).toEqual([{ period: '2026-01', values: {} }]);
  });
});

it('a sum of amounts shows no rest of a binary fraction', () => {
  expect(sumOf([0.1, 0.2])).toBe(0.3);
  expect(sumOf([1.000001, -1])).toBe(0.000001);
  expect(sumOf([])).toBe(0);
});
