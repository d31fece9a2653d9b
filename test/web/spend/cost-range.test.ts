import { describe, expect, it } from 'vitest';
import { narrowedTo, periodsOf, presetsOf, rangeOf } from '../../../web/spend/costs/cost-range.ts';

describe('the days of the costs page', () => {
  it('are those of the address, or else the running month and the one before', () => {
    expect(rangeOf({}, '2026-02-07')).toEqual({ start: '2026-01-01', end: '2026-02-07' });
    expect(rangeOf({ end: '2026-01-15' }, '2026-02-07')).toEqual({ start: '2025-12-01', end: '2026-01-15' });
    expect(rangeOf({ start: '2026-02-02' }, '2026-02-07')).toEqual({
      start: '2026-02-02',
      end: '2026-02-07',
    });
  });

  it('have presets around the end of a year', () => {
    expect(presetsOf('2026-01-10').map(({ label, value }) => [label, ...value])).toEqual([
      ['This month', '2026-01-01', '2026-01-10'],
      ['Last month', '2025-12-01', '2025-12-31'],
      ['Last 3 months', '2025-10-01', '2025-12-31'],
      ['This year so far', '2026-01-01', '2026-01-10'],
    ]);
  });

  it('are drawn one by one, or month by month', () => {
    const range = { start: '2026-01-30', end: '2026-02-02' };
    expect(periodsOf(range, 'day')).toEqual(['2026-01-30', '2026-01-31', '2026-02-01', '2026-02-02']);
    expect(periodsOf(range, 'month')).toEqual(['2026-01', '2026-02']);
  });

  it('have no bars if the API refuses them', () => {
    expect(periodsOf({ start: '2026-02-02', end: '2026-02-01' }, 'day')).toEqual([]);
    expect(periodsOf({ start: '2025-01-01', end: '2026-01-01' }, 'month')).toHaveLength(13);
    expect(periodsOf({ start: '2025-01-01', end: '2026-01-02' }, 'month')).toEqual([]);
    expect(periodsOf({ start: '2026-13-01', end: '2026-02-01' }, 'day')).toEqual([]);
  });

  it('are narrowed to a day, or to the days of a month that the range has', () => {
    const range = { start: '2026-01-10', end: '2026-03-05' };
    expect(narrowedTo('2026-01-31', range)).toEqual({ start: '2026-01-31', end: '2026-01-31' });
    expect(narrowedTo('2026-01', range)).toEqual({ start: '2026-01-10', end: '2026-01-31' });
    expect(narrowedTo('2026-02', range)).toEqual({ start: '2026-02-01', end: '2026-02-28' });
    expect(narrowedTo('2026-03', range)).toEqual({ start: '2026-03-01', end: '2026-03-05' });
  });
});
