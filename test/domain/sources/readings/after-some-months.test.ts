import { expect, it } from 'vitest';
import { afterSomeMonths } from '../../../../domain/sources/readings/after-some-months.ts';
import { ReadingPlan } from '../../../../domain/sources/readings/reading-plan.ts';

const file = (name: string, version: string) => ({ name, version, bytes: 1, writtenAt: 0 });
const period = (month: string) => ({
  period: `${month}-01`,
  ends: `${month}-28`,
  lastDay: `${month}-28`,
  stored: 1,
  rejected: 0,
  edges: [],
});
const STATE = { settings: 'settings', choices: [], today: '2026-03-07' };

it('a run of some months lets the next run read what had changed, also if it has become as it was', () => {
  const before = [file('12.csv', 'a'), file('01.csv', 'a'), file('02.csv', 'a')];
  const record = new ReadingPlan(null, before, STATE).record({
    periodsOf: new Map([
      ['12.csv', ['2025-12-01']],
      ['01.csv', ['2026-01-01']],
      ['02.csv', ['2026-02-01']],
    ]),
    periods: [period('2025-12'), period('2026-01'), period('2026-02')],
    isWhole: false,
  });
  const read = (known: typeof record): string[] =>
    new ReadingPlan(known, before, STATE).read.map(({ name }) => name);
  expect(read(record)).toEqual([]);
  // The run of January finds another 01.csv, and a file that had January and December.
  const then = [file('12.csv', 'a'), file('01.csv', 'b'), file('02.csv', 'a'), file('more.csv', 'a')];
  const periodsOf = new Map([['more.csv', ['2025-12-01', '2026-01-01']]]);
  expect(read(afterSomeMonths(record, then, periodsOf))).toEqual(['12.csv', '01.csv']);
  expect(read(afterSomeMonths(record, before, new Map()))).toEqual([]);
});
