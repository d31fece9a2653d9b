import { describe, expect, it } from 'vitest';
import type { MonthFacts } from '../../../domain/months/month-facts.ts';
import { monthRecords, type MonthRecord } from '../../../domain/months/month-record.ts';
import { glanceAt, glanceOf } from '../../../domain/months/overview.ts';
import { coverageOf } from '../../../domain/sources/coverage.ts';

const record = (
  month: string,
  cost: number | null,
  unitCost: number | null,
  more: Partial<Extract<MonthRecord, { unit_cost: number | null }>> = {},
): MonthRecord => ({
  month,
  cost,
  value: cost === null || unitCost === null ? null : cost / unitCost,
  unit_cost: unitCost,
  status: 'open',
  change_percent: null,
  change_basis: 'month',
  cost_change_percent: null,
  above_target: false,
  version: null,
  locked: null,
  reason: null,
  can_lock: 'no',
  missing: [],
  notes: [],
  complete_through: null,
  ...more,
});

describe('a metric at a glance', () => {
  it('shows its latest month, and that spend and unit cost move in opposite directions', () => {
    // Spend rises by 20 %, a unit falls from 2 to 1.5: opposite. The running month has no unit cost yet.
    const months = [
      record('2026-02', 30, null),
      record('2026-01', 120, 1.5, {
        change_percent: -25,
        cost_change_percent: 20,
        status: 'ready_to_lock',
        above_target: true,
      }),
      record('2025-12', 100, 2),
    ];
    expect(glanceAt(months)).toEqual({
      latest: {
        month: '2026-01',
        unit_cost: 1.5,
        change_percent: -25,
        change_basis: 'month',
        status: 'ready_to_lock',
      },
      change_basis: 'month',
      spend_change_percent: 20,
      unit_cost_change_percent: -25,
      opposite_directions: true,
      above_target: true,
      sparkline: [2, 1.5, null],
    });
  });

  it.each([
    ['both rise', 20, 50],
    ['spend stays', 0, 10],
    ['the unit cost stays', 20, 0],
  ])('has no opposite directions if %s', (_, cost_change_percent, change_percent) => {
    const months = [record('2026-01', 120, 3, { change_percent, cost_change_percent })];
    expect(glanceAt(months).opposite_directions).toBe(false);
  });

  it('compares nothing without a month before, or without a unit cost', () => {
    expect(glanceAt([record('2026-01', 120, 3)])).toMatchObject({
      spend_change_percent: null,
      unit_cost_change_percent: null,
      opposite_directions: false,
    });
    expect(glanceAt([record('2026-01', null, null)])).toMatchObject({
      latest: null,
      change_basis: null,
      spend_change_percent: null,
      above_target: false,
      sparkline: [null],
    });
  });

  it.each(['count', 'revenue'] as const)('shows of a %s what its months show', (kind) => {
    const month = (of: string, cost: string | null, valueSum: string | null): MonthFacts => ({
      month: of,
      cost,
      team: false,
      coverage: coverageOf(of, [], null),
      uncollected: [],
      valueSum,
      valuePeriods: 1,
      valueChanges: 1,
      settled: false,
      lock: null,
    });
    const metric = { kind, aggregation: 'total', target: '1.9' } as const;
    const facts = [
      month('2025-11', '100.000000000000000', '50.0000000000'),
      month('2025-12', '120.000000000000000', null),
      month('2026-01', '90.000000000000000', '45.0000000000'),
      month('2026-02', '60.000000000000000', '20.0000000000'),
    ];
    const running = {
      ...month('2026-03', '30.000000000000000', '10.0000000000'),
      sameDays: {
        through: '2026-03-06',
        now: { cost: '30.000000000000000', valueSum: '10.0000000000', valuePeriods: 1 },
        before: { cost: '20.000000000000000', valueSum: '5.0000000000', valuePeriods: 1 },
      },
    };
    const now = new Date('2026-03-07T06:00:00Z');
    for (const known of [facts, [...facts, running], [...facts, month('2026-03', null, null)]]) {
      const shown = glanceOf(known, metric, now);
      expect(shown).toEqual(glanceAt(monthRecords(known, metric, { settleDays: 5 }, now)));
    }
    // 90 ÷ 45 = 2 and 60 ÷ 20 = 3 are 50 % apart; 30 ÷ 10 = 3 and 20 ÷ 5 = 4 are -25 %, while 30 is 50 % more than 20.
    expect(glanceOf(facts, metric, now)).toMatchObject({ unit_cost_change_percent: 50, above_target: true });
    expect(glanceOf([...facts, running], metric, now)).toMatchObject({
      change_basis: 'same_days',
      unit_cost_change_percent: -25,
      spend_change_percent: 50,
      opposite_directions: true,
    });
  });
});
