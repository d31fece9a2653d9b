import { expect, it } from 'vitest';
import { isBeforeFirstSpend } from '../../../domain/months/before-first-spend.ts';

type Numbers = [cost: number | null, value: number | null];
const EMPTY: Numbers = [null, null];

/** Returns which of the last months lie before the first spend. The running one, February 2026, is first. */
function monthsBefore(...numbers: Numbers[]): string[] {
  const names = ['2026-02', '2026-01', '2025-12', '2025-11', '2025-10'];
  const months = numbers.map(([cost, value], index) => ({ month: names[index] ?? '', cost, value }));
  return months.filter((month) => isBeforeFirstSpend(month, months)).map(({ month }) => month);
}

it('lies before the first spend if it and all months before it are empty', () => {
  expect(monthsBefore([60, null], [310, 31], EMPTY, EMPTY)).toEqual(['2025-12', '2025-11']);
  expect(monthsBefore([60, null], EMPTY)).toEqual(['2026-01']);
});

it('does not after an earlier month with spend, or with a known 0', () => {
  expect(monthsBefore([60, null], EMPTY, [0, null], EMPTY)).toEqual(['2025-11']);
  expect(monthsBefore([60, null], EMPTY, [310, null])).toEqual([]);
});

it('does not if it has a value, which needs a cost', () => {
  expect(monthsBefore([60, null], [310, 31], [null, 40], EMPTY)).toEqual(['2025-11']);
});

it('does not in the newest month that has ended, as long as there is no spend at all', () => {
  expect(monthsBefore(EMPTY, EMPTY, EMPTY, EMPTY)).toEqual(['2025-12', '2025-11']);
});
