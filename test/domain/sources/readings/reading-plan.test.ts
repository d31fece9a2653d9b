import { describe, expect, it } from 'vitest';
import { ReadingPlan, type Found } from '../../../../domain/sources/readings/reading-plan.ts';
import type {
  EdgePurchase,
  FoundPeriod,
  Readable,
  ReadingRecord,
  ReadingState,
} from '../../../../domain/sources/readings/reading-record.ts';
import type { Day } from '../../../../domain/shared/calendar.ts';

const [NOV, DEC, JAN] = ['2025-11-01', '2025-12-01', '2026-01-01'] as const;
const ENDS: Record<Day, Day> = { [NOV]: '2025-11-30', [DEC]: '2025-12-31', [JAN]: '2026-01-31' };
const STATE: ReadingState = { settings: 'one', choices: [], today: '2026-02-07' };

const file = (name: string, version: string | null = '1'): Readable => ({
  name,
  version,
  bytes: 100,
  writtenAt: null,
});

const period = (start: Day, edges: readonly EdgePurchase[] = []): FoundPeriod => ({
  period: start,
  ends: ENDS[start] ?? start,
  lastDay: ENDS[start] ?? start,
  stored: 10,
  rejected: 1,
  edges,
});

/** What a reading has found: the periods of each file. */
const found = (
  periodsOf: Record<string, readonly Day[]>,
  { isWhole = false, edges = {} }: { isWhole?: boolean; edges?: Record<Day, EdgePurchase[]> } = {},
): Found => ({
  periodsOf: new Map(Object.entries(periodsOf)),
  periods: [...new Set(Object.values(periodsOf).flat())].map((start) => period(start, edges[start])),
  isWhole,
});

const FILES = ['n.csv', 'd.csv', 'j.csv'].map((name) => file(name));

/** The record of a first reading of three files with a month each, at `state`. */
const recorded = (
  what: Found = found({ 'n.csv': [NOV], 'd.csv': [DEC], 'j.csv': [JAN] }),
  state = STATE,
): ReadingRecord => new ReadingPlan(null, FILES, state).record(what);

const namesOf = (things: readonly Readable[]): string[] => things.map(({ name }) => name);
const read = (record: ReadingRecord | null, present: readonly Readable[], state = STATE): string[] =>
  namesOf(new ReadingPlan(record, present, state).read);

describe('a plan of a reading', () => {
  it('has everything without a record, and after a change of the settings', () => {
    expect(read(null, FILES)).toEqual(['n.csv', 'd.csv', 'j.csv']);
    expect(read(recorded(), FILES, { ...STATE, settings: 'another' })).toEqual(['n.csv', 'd.csv', 'j.csv']);
  });

  it('has nothing if nothing has changed, and then the record stays', () => {
    const plan = new ReadingPlan(recorded(), FILES, STATE);
    expect([plan.read, plan.isStale]).toEqual([[], false]);
  });

  it.each<[what: string, present: Readable[], expected: string[]]>([
    ['another version', [file('n.csv'), file('d.csv', '2'), file('j.csv')], ['d.csv']],
    ['no version', [file('n.csv'), file('d.csv', null), file('j.csv')], ['d.csv']],
    ['a new file', [...FILES, file('new.csv')], ['new.csv']],
    ['a file that is gone', FILES.slice(1), []],
  ])('has only what has changed: %s', (_, present, expected) => {
    const plan = new ReadingPlan(recorded(), present, STATE);
    expect(namesOf(plan.read)).toEqual(expected);
    expect(plan.isStale).toBe(true);
  });

  it('has all that hangs together by shared periods, also over several files', () => {
    const record = recorded(found({ 'n.csv': [NOV, DEC], 'd.csv': [DEC, JAN], 'j.csv': [JAN] }));
    expect(read(record, [file('n.csv', '2'), ...FILES.slice(1)])).toEqual(['n.csv', 'd.csv', 'j.csv']);
    expect(read(record, FILES.slice(1))).toEqual(['d.csv', 'j.csv']);
  });

  it('has everything if rows depend on all files', () => {
    const record = recorded(found({ 'n.csv': [NOV], 'd.csv': [DEC], 'j.csv': [JAN] }, { isWhole: true }));
    expect(read(record, FILES)).toEqual([]);
    expect(read(record, [...FILES, file('new.csv')])).toHaveLength(4);
  });

  it('has a period that had not ended when it was read, on each later day', () => {
    const record = recorded(undefined, { ...STATE, today: '2026-01-31' });
    expect(read(record, FILES, { ...STATE, today: '2026-01-31' })).toEqual([]);
    expect(read(record, FILES)).toEqual(['j.csv']);
    expect(read(recorded(), FILES, { ...STATE, today: '2026-03-01' })).toEqual([]);
  });

  it('has the periods with days that a new or a former choice divides', () => {
    const choices = [{ kind: 'tag', cloud: 'aws', account: '', choice: 'team', first_day: '2025-12-31' }];
    const chosen = { ...STATE, choices };
    expect(read(recorded(), FILES, chosen)).toEqual(['d.csv', 'j.csv']);
    expect(read(recorded(undefined, chosen), FILES, chosen)).toEqual([]);
    expect(read(recorded(undefined, chosen), FILES)).toEqual(['d.csv', 'j.csv']);
  });

  it('widens to the files of periods that it finds, and the second time to everything', () => {
    const plan = new ReadingPlan(recorded(), [...FILES, file('new.csv')], STATE);
    expect(plan.others).toEqual({ stored: 30, rejected: 3 });
    expect(plan.widen(found({ 'new.csv': [DEC] }))).toBe(true);
    expect(namesOf(plan.read)).toEqual(['d.csv', 'new.csv']);
    expect(plan.others).toEqual({ stored: 20, rejected: 2 });
    expect(plan.widen(found({ 'new.csv': [DEC], 'd.csv': [DEC] }))).toBe(false);
    expect(plan.widen(found({ 'new.csv': [DEC], 'd.csv': [JAN] }))).toBe(true);
    expect(plan.read).toHaveLength(4);
    expect(plan.widen(found({ 'new.csv': [DEC] }, { isWhole: true }))).toBe(false);
  });

  it('widens to a bill whose last purchase lies beside a lonely first one', () => {
    const beside = { [DEC]: [{ account: 'a', day: '2025-12-31', isAlone: false }] };
    const record = recorded(found({ 'n.csv': [NOV], 'd.csv': [DEC] }, { edges: beside }));
    const plan = new ReadingPlan(record, [...FILES.slice(0, 2), file('j.csv', '2')], STATE);
    const lonely = (account: string) =>
      found({ 'j.csv': [JAN] }, { edges: { [JAN]: [{ account, day: '2026-01-01', isAlone: true }] } });
    expect(plan.widen(lonely('another'))).toBe(false);
    expect(plan.widen(lonely('a'))).toBe(true);
    expect(namesOf(plan.read)).toEqual(['d.csv', 'j.csv']);
  });

  it('records what it has read, and keeps the rest', () => {
    const later = { ...STATE, today: '2026-02-08' };
    const plan = new ReadingPlan(recorded(), [file('n.csv'), file('d.csv', '2')], later);
    const { things, periods } = plan.record(found({ 'd.csv': [DEC] }));
    expect(things.map(({ name, version, periods: of }) => [name, version, of])).toEqual([
      ['n.csv', '1', [NOV]],
      ['d.csv', '2', [DEC]],
    ]);
    expect(periods.map(({ period: start, readOn }) => [start, readOn])).toEqual([
      [NOV, '2026-02-07'],
      [DEC, '2026-02-08'],
    ]);
  });
});
