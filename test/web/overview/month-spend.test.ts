import { describe, expect, it } from 'vitest';
import { monthSpendOf } from '../../../web/overview/month-spend.ts';

/** Spend by day and source, as the API answers it. */
const row = (day: string, source: string, total: number) => ({ day, source, total });

const JANUARY = [
  row('2026-01-01', 'cloud', 10),
  row('2026-01-05', 'cloud', 30),
  row('2026-01-06', 'cloud', 99),
];

describe('spend of the running month against the same days of the month before', () => {
  it('counts the days up to which every source has delivered', () => {
    const data = [
      ...JANUARY,
      row('2026-02-01', 'cloud', 20),
      row('2026-02-05', 'hosts', 40),
      row('2026-02-06', 'cloud', 7),
    ];
    expect(monthSpendOf({ data, complete_through: '2026-02-05' }, '2026-02-07')).toMatchObject({
      through: '2026-02-05',
      isComplete: true,
      total: { now: 60, before: 40, change_percent: 50 },
      bySource: {
        cloud: { now: 20, before: 40, change_percent: -50 },
        hosts: { now: 40, before: 0, change_percent: null },
      },
    });
  });

  it('counts the days with spend where no day is complete, and says so', () => {
    const data = [...JANUARY, row('2026-02-05', 'cloud', 20)];
    expect(monthSpendOf({ data, complete_through: '2026-01-31' }, '2026-02-07')).toMatchObject({
      through: '2026-02-05',
      isComplete: false,
      total: { now: 20, before: 40 },
    });
  });

  it('has nothing to compare before anything of the month has arrived', () => {
    expect(monthSpendOf({ data: JANUARY, complete_through: null }, '2026-02-07')).toMatchObject({
      through: null,
      total: { now: 0, before: 0, change_percent: null },
    });
  });

  it('compares the 31st with the last day of a shorter month', () => {
    const data = [row('2026-02-28', 'cloud', 50), row('2026-03-31', 'cloud', 75)];
    expect(monthSpendOf({ data, complete_through: '2026-03-31' }, '2026-03-31')).toMatchObject({
      total: { now: 75, before: 50, change_percent: 50 },
    });
  });
});
