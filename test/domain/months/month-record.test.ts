import { describe, expect, it } from 'vitest';
import { coverageOf, type SourceMonth } from '../../../domain/sources/coverage.ts';
import { currentNumbers } from '../../../domain/months/month-numbers.ts';
import { factsFrom } from '../../../domain/months/shown-months.ts';
import { latestUnitCost, monthRecords } from '../../../domain/months/month-record.ts';
import { monthStatus } from '../../../domain/months/month-status.ts';
import type { MonthFacts, MonthLock } from '../../../domain/months/month-facts.ts';
import type { SettlementFacts } from '../../../domain/months/settlement.ts';

const NOW = new Date('2026-02-07T06:00:00Z');
const SETTLEMENT: SettlementFacts = { settleDays: 5 };

/** A source that covers all of January, unless `changes` say otherwise. */
const source = (changes: Partial<SourceMonth> = {}): SourceMonth => ({
  month: '2026-01',
  id: 'src_1',
  name: 'Bill',
  kind: 'focus',
  isActive: true,
  missingFrom: null,
  missingThrough: null,
  lastCovered: '2026-01-31',
  lastKnown: '2026-01-31',
  deliversFrom: '2025-11-01',
  deliversThrough: '2026-02-06',
  isLater: false,
  missingUnits: [],
  doubts: [],
  ...changes,
});
const covered = (...sources: SourceMonth[]) => coverageOf('2026-01', sources, null);

/** January 2026: settled, 1,000 spent, 250 orders. */
const january = (changes: Partial<MonthFacts> = {}): MonthFacts => ({
  month: '2026-01',
  cost: '1000.000000000000000',
  team: false,
  coverage: covered(source()),
  uncollected: [],
  valueSum: '250.0000000000',
  valuePeriods: 31,
  valueChanges: 31,
  settled: true,
  lock: null,
  ...changes,
});

const lock = (changes: Partial<MonthLock> = {}): MonthLock => ({
  version: 1,
  cost: '900.000000000000000',
  value: '300.0000000000',
  unitCost: '3.000000',
  lockedAt: '2026-02-06T00:00:00.000Z',
  lockedBy: { type: 'key', id: 'key_1', name: 'Finance' },
  valueChanges: 31,
  isIncomplete: false,
  ...changes,
});

/** Returns the record of a month that follows a December without data. */
function recordOf(
  facts: MonthFacts,
  options: {
    target?: string;
    aggregation?: 'total' | 'average';
    settlement?: SettlementFacts;
    now?: Date;
  } = {},
) {
  const before = january({ month: '2025-12', cost: null, valueSum: null, valuePeriods: 0, settled: false });
  const [record] = monthRecords(
    [before, facts],
    { kind: 'count', aggregation: options.aggregation ?? 'total', target: options.target ?? null },
    options.settlement ?? SETTLEMENT,
    options.now ?? NOW,
  );
  if (record === undefined) throw new Error('no record');
  return record;
}

describe('numbers', () => {
  it('divide the cost by the sum of the values of a Total', () => {
    // 1000 ÷ 250 = 4
    expect(recordOf(january())).toMatchObject({ cost: 1000, value: 250, unit_cost: 4 });
  });

  it('divide the cost by the mean of an Average over the periods with a value', () => {
    // 250 ÷ 3 = 83.3333333333…; 1000 ÷ (250 ÷ 3) = 3000 ÷ 250 = 12 exactly, because it divides once.
    expect(recordOf(january({ valuePeriods: 3 }), { aggregation: 'average' })).toMatchObject({
      value: 83.3333333333,
      unit_cost: 12,
    });
    expect(recordOf(january({ valuePeriods: 3 }), { aggregation: 'total' })).toMatchObject({
      value: 250,
      unit_cost: 4,
    });
  });

  it('round a unit cost half away from zero to six decimals', () => {
    // 1 ÷ 3,000,000 = 0.000000333… ; 0.0000005 ÷ 1 = half a millionth
    expect(recordOf(january({ cost: '1', valueSum: '3000000' })).unit_cost).toBe(0);
    expect(recordOf(january({ cost: '0.000000500000000', valueSum: '1' })).unit_cost).toBe(0.000001);
    expect(recordOf(january({ cost: '-0.000000500000000', valueSum: '1' })).unit_cost).toBe(-0.000001);
  });

  it('have no unit cost if the value is 0, or the value or the cost is missing', () => {
    expect(recordOf(january({ valueSum: '0.0000000000' }))).toMatchObject({
      cost: 1000,
      value: 0,
      unit_cost: null,
    });
    expect(recordOf(january({ valueSum: null, valuePeriods: 0 }))).toMatchObject({
      value: null,
      unit_cost: null,
    });
    expect(recordOf(january({ cost: null }))).toMatchObject({ cost: null, value: 250, unit_cost: null });
  });

  it('distinguish a cost of 0 from no cost', () => {
    expect(recordOf(january({ cost: '0.000000000000000' }))).toMatchObject({ cost: 0, unit_cost: 0 });
  });

  it('are negative in a month of credits', () => {
    expect(recordOf(january({ cost: '-50.000000000000000' }))).toMatchObject({ cost: -50, unit_cost: -0.2 });
  });

  it('stay exact beyond the precision of doubles', () => {
    // 9007199254740993 (2^53 + 1) ÷ 3 = 3002399751580331; as a double the dividend would be one less.
    const { unitCost } = currentNumbers(
      january({ cost: '9007199254740993.000000000000000', valueSum: '3' }),
      { kind: 'count', aggregation: 'total' },
    );
    expect(unitCost?.toFixed()).toBe('3002399751580331');
  });
});

describe('status', () => {
  it('is ready to lock if the month has settled and has a value', () => {
    expect(recordOf(january())).toMatchObject({
      status: 'ready_to_lock',
      reason: null,
      version: null,
      locked: null,
    });
    expect(recordOf(january({ valueSum: '0' })).status).toBe('ready_to_lock');
  });

  it.each([
    ['not settled', { settled: false }],
    ['without a value', { valueSum: null }],
    ['without a cost', { cost: null }],
  ])('is open if the month is %s', (_, changes) => {
    expect(monthStatus(january(changes))).toBe('open');
  });

  it('is locked while the values are those of the version', () => {
    expect(monthStatus(january({ lock: lock() }))).toBe('locked');
  });

  it('stays locked whatever spend arrives', () => {
    const record = recordOf(january({ cost: '99999', lock: lock() }));
    expect(record).toMatchObject({ status: 'locked', cost: 900, value: 300, unit_cost: 3, reason: null });
    expect(record).not.toHaveProperty('current');
  });

  it('is changed since lock after any change of a value, and shows both numbers', () => {
    // The frozen 900 ÷ 300 = 3, and today's 1000 ÷ 250 = 4.
    expect(recordOf(january({ valueChanges: 32, lock: lock({ version: 2 }) }))).toEqual({
      month: '2026-01',
      cost: 900,
      change_basis: 'month',
      cost_change_percent: null,
      value: 300,
      unit_cost: 3,
      status: 'changed_since_lock',
      change_percent: null,
      above_target: false,
      version: 2,
      locked: {
        version: 2,
        cost: 900,
        value: 300,
        unit_cost: 3,
        locked_at: '2026-02-06T00:00:00.000Z',
        locked_by: { type: 'key', id: 'key_1', name: 'Finance' },
      },
      current: { cost: 1000, value: 250, unit_cost: 4 },
      reason: null,
      can_lock: 'now',
      missing: [],
      notes: [],
      complete_through: '2026-01-31',
    });
  });

  it('is changed since lock if every value was removed', () => {
    const record = recordOf(january({ valueChanges: 62, valueSum: null, valuePeriods: 0, lock: lock() }));
    expect(record).toMatchObject({
      status: 'changed_since_lock',
      value: 300,
      current: { cost: 1000, value: null, unit_cost: null },
    });
  });

  it('is locked again by a version with the change', () => {
    expect(monthStatus(january({ valueChanges: 32, lock: lock({ version: 2, valueChanges: 32 }) }))).toBe(
      'locked',
    );
  });

  it('stays locked if the month is no longer settled', () => {
    expect(monthStatus(january({ settled: false, lock: lock() }))).toBe('locked');
  });

  it('stays locked with a value of 0', () => {
    expect(recordOf(january({ lock: lock({ value: '0', unitCost: null }) }))).toMatchObject({
      status: 'locked',
      value: 0,
      unit_cost: null,
    });
  });
});

describe('reasons', () => {
  const reasonOf = (facts: Partial<MonthFacts>, settlement = SETTLEMENT, now = NOW) =>
    recordOf(january({ settled: false, ...facts }), { settlement, now }).reason;

  it('name the running month', () => {
    expect(reasonOf({ month: '2026-01' }, SETTLEMENT, new Date('2026-01-31T23:59:59.999Z'))).toBe(
      'the month has not ended',
    );
  });

  it('name the day on which billing settles', () => {
    const early = new Date('2026-02-05T23:59:59Z');
    expect(reasonOf({}, SETTLEMENT, early)).toBe(
      'cloud billing settles on 2026-02-06, 5 full days after the month',
    );
  });

  it('name every late source, and the last day that it has delivered', () => {
    const last = { missingFrom: '2026-01-31', missingThrough: '2026-01-31' };
    const coverage = covered(
      source({ name: 'AWS', ...last, deliversThrough: '2026-01-30' }),
      source({ name: 'Azure "EU"', ...last, deliversFrom: null, deliversThrough: null }),
      source({ name: 'Oracle' }),
    );
    expect(reasonOf({ coverage })).toBe(
      'cost source "AWS" has not delivered 2026-01-31 (delivered through 2026-01-30); ' +
        'cost source "Azure \\"EU\\"" has not delivered 2026-01-31 (nothing so far)',
    );
  });

  it('name the daily settlement if nothing else is missing', () => {
    expect(reasonOf({})).toBe('waiting for the next daily settlement');
  });

  it('name missing spend and missing values', () => {
    expect(reasonOf({ settled: true, valueSum: null })).toBe('no value has been recorded for 2026-01');
    expect(reasonOf({ settled: true, cost: null })).toBe('no spend has been ingested for 2026-01');
    expect(reasonOf({ cost: null, valueSum: null })).toBe(
      'no spend has been ingested for 2026-01; no value has been recorded for 2026-01',
    );
  });
});

describe('locking', () => {
  const lockOf = (facts: Partial<MonthFacts>, now = NOW) => {
    const { status, can_lock, missing } = recordOf(january(facts), { now });
    return { status, can_lock, missing: missing.map(({ sentence }) => sentence) };
  };
  const LAST = { missingFrom: '2026-01-31', missingThrough: '2026-01-31', deliversThrough: '2026-01-30' };
  const lastDayMissing = covered(source({ name: 'AWS', ...LAST }));
  const MISSING = ['cost source "AWS" has not delivered 2026-01-31 (delivered through 2026-01-30)'];

  it('is possible now for a month that is ready, with any value', () => {
    const now = { status: 'ready_to_lock', can_lock: 'now', missing: [] };
    expect(lockOf({})).toEqual(now);
    expect(lockOf({ valueSum: '0' })).toEqual(now);
  });

  it('is possible only without the missing spend if a month is open for nothing else', () => {
    const without = { status: 'open', can_lock: 'without_missing', missing: MISSING };
    expect(lockOf({ coverage: lastDayMissing })).toEqual(without);
    expect(lockOf({ coverage: lastDayMissing, settled: false })).toEqual(without);
  });

  it('is not possible for a month that is open for another reason, whatever spend is missing', () => {
    const not = { status: 'open', can_lock: 'no', missing: [] as string[] };
    expect(lockOf({ settled: false })).toEqual(not); // waits for the next daily settlement
    const running = new Date('2026-01-31T23:59:59.999Z');
    for (const coverage of [covered(source()), lastDayMissing]) {
      expect(lockOf({ coverage, settled: false }, running)).toEqual(not);
      not.missing = coverage === lastDayMissing ? MISSING : [];
      expect(lockOf({ coverage, valueSum: null })).toEqual(not);
      expect(lockOf({ coverage, cost: null })).toEqual(not);
      expect(lockOf({ coverage, settled: false }, new Date('2026-02-05T23:59:59.999Z'))).toEqual(not);
      const waitingFor = ['metric "Requests", by which a shared cost is split, has no value for 2026-01'];
      expect(lockOf({ coverage, settled: false, team: true, waitingFor })).toEqual(not);
    }
  });

  it('is never possible for a partial month', () => {
    const uncollected = ['tag "team" is collected since 2026-01-20'];
    expect(lockOf({ uncollected })).toEqual({ status: 'partial', can_lock: 'no', missing: [] });
  });

  it('is not possible for a locked month whose values have not changed', () => {
    const not = { status: 'locked', can_lock: 'no', missing: [] };
    expect(lockOf({ lock: lock() })).toEqual(not);
    expect(lockOf({ lock: lock({ isIncomplete: true }), coverage: lastDayMissing })).toEqual(not);
  });

  it('is possible again once a value has changed, if the month has its numbers', () => {
    const changed = (facts: Partial<MonthFacts>) => lockOf({ lock: lock(), valueChanges: 32, ...facts });
    const status = 'changed_since_lock';
    expect(changed({})).toEqual({ status, can_lock: 'now', missing: [] });
    expect(changed({ settled: false })).toEqual({ status, can_lock: 'now', missing: [] });
    // A new version needs the acceptance again.
    const without = { status, can_lock: 'without_missing', missing: MISSING };
    expect(changed({ coverage: lastDayMissing })).toEqual(without);
    const not = { status, can_lock: 'no', missing: [] };
    expect(changed({ valueSum: null, coverage: lastDayMissing })).toEqual({ ...not, missing: MISSING });
    expect(changed({ cost: null })).toEqual(not);
    expect(changed({ uncollected: ['tag "team" is collected since 2026-01-20'] })).toEqual(not);
  });
});

describe('several months', () => {
  const month = (name: string, cost: string | null, valueSum: string | null): MonthFacts =>
    january({ month: name, cost, valueSum });

  it('come newest first, and the oldest one only serves the change of the next', () => {
    const records = monthRecords(
      [month('2025-11', '100', '50'), month('2025-12', '150', '50'), month('2026-01', '75', '50')],
      { kind: 'count', aggregation: 'total', target: null },
      SETTLEMENT,
      NOW,
    );
    // Unit costs 2, 3 and 1.5: +50 % and −50 %.
    expect(
      records.map(({ month: name, unit_cost, change_percent }) => [name, unit_cost, change_percent]),
    ).toEqual([
      ['2026-01', 1.5, -50],
      ['2025-12', 3, 50],
    ]);
  });

  it('have no change after a month without a unit cost, or across a gap', () => {
    const records = monthRecords(
      [month('2025-10', '100', '50'), month('2025-11', null, '50'), month('2025-12', '150', '50')],
      { kind: 'count', aggregation: 'total', target: null },
      SETTLEMENT,
      NOW,
    );
    expect(records.map(({ change_percent }) => change_percent)).toEqual([null, null]);
    const gap = monthRecords(
      [month('2025-10', '100', '50'), month('2025-12', '150', '50')],
      { kind: 'count', aggregation: 'total', target: null },
      SETTLEMENT,
      NOW,
    );
    expect(gap.map(({ change_percent }) => change_percent)).toEqual([null]);
  });

  it('compare with the frozen unit cost of a locked month', () => {
    const records = monthRecords(
      [january({ month: '2025-12', lock: lock({ unitCost: '8.000000' }) }), january()],
      { kind: 'count', aggregation: 'total', target: null },
      SETTLEMENT,
      NOW,
    );
    expect(records[0]?.change_percent).toBe(-50); // from the frozen 8, not from today's 4
  });

  it('are above the target only if their unit cost is higher', () => {
    const above = (target: string) => recordOf(january(), { target }).above_target;
    expect(above('4')).toBe(false);
    expect(above('3.999999')).toBe(true);
    expect(above('4.0000000001')).toBe(false);
    expect(recordOf(january({ valueSum: null }), { target: '0' }).above_target).toBe(false);
    expect(recordOf(january({ lock: lock() }), { target: '3.5' }).above_target).toBe(false); // frozen at 3
  });

  it('have as latest the newest month with a unit cost', () => {
    const records = monthRecords(
      [month('2025-11', '100', '50'), month('2025-12', '150', '50'), month('2026-01', '75', null)],
      { kind: 'count', aggregation: 'total', target: null },
      SETTLEMENT,
      NOW,
    );
    expect(latestUnitCost(records)).toEqual({
      month: '2025-12',
      unit_cost: 3,
      change_basis: 'month',
      change_percent: 50,
      status: 'ready_to_lock',
    });
    expect(latestUnitCost([])).toBeNull();
  });

  it('need the facts of one more month than they show', () => {
    expect(factsFrom('2026-02', 12)).toBe('2025-02-01');
    expect(factsFrom('2026-01', 1)).toBe('2025-12-01');
  });
});
