import { describe, expect, it } from 'vitest';
import { daysToAsk } from '../../../domain/sources/opencost-days.ts';

describe('the days to ask an OpenCost API for', () => {
  const now = new Date('2026-02-07T06:00:00Z');
  const ask = (changes: Partial<Parameters<typeof daysToAsk>[0]>) => {
    const days = daysToAsk({ startMonth: null, endMonth: null, lastDelivered: null, now, ...changes });
    return { first: days[0], last: days.at(-1), count: days.length };
  };

  it('are the last twelve months and this one up to yesterday, if nothing was loaded', () => {
    expect(ask({})).toEqual({ first: '2025-02-01', last: '2026-02-06', count: 365 + 6 });
  });

  it('begin two days before the last delivered one', () => {
    expect(ask({ lastDelivered: '2026-02-05' })).toEqual({
      first: '2026-02-03',
      last: '2026-02-06',
      count: 4,
    });
    expect(ask({ lastDelivered: '2026-02-02' })).toEqual({
      first: '2026-01-31',
      last: '2026-02-06',
      count: 7,
    });
  });

  it('are the ended days of the requested months', () => {
    expect(ask({ startMonth: '2026-01', endMonth: '2026-01', lastDelivered: '2026-02-05' })).toEqual({
      first: '2026-01-01',
      last: '2026-01-31',
      count: 31,
    });
    expect(ask({ startMonth: '2026-01' })).toEqual({ first: '2026-01-01', last: '2026-02-06', count: 37 });
    expect(ask({ endMonth: '2025-02' })).toEqual({ first: '2025-02-01', last: '2025-02-28', count: 28 });
    expect(ask({ startMonth: '2026-02', endMonth: '2026-12' })).toMatchObject({
      last: '2026-02-06',
      count: 6,
    });
  });

  it('are empty if no day has ended, or all were delivered', () => {
    expect(ask({ startMonth: '2026-03' })).toMatchObject({ count: 0 });
    expect(ask({ startMonth: '2026-02', now: new Date('2026-02-01T00:00:00Z') })).toMatchObject({ count: 0 });
    expect(ask({ endMonth: '2026-01', lastDelivered: '2026-02-05' })).toMatchObject({ count: 0 });
  });
});
