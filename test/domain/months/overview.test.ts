import { describe, expect, it } from 'vitest';
import type { MonthRecord } from '../../../domain/months/month-record.ts';
import { glanceAt } from '../../../domain/months/overview.ts';

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
});
