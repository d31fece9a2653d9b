import { describe, expect, it } from 'vitest';
import { isPeriod, valueProblem } from '../../../domain/metrics/value-rules.ts';

const DAILY = { kind: 'count', frequency: 'daily', label_key: null } as const;
const problemOf = (value: number | string): string | null =>
  valueProblem(DAILY, '2026-02-07', { period: '2026-02-07', value })?.problem ?? null;

describe('a period', () => {
  it.each([
    ['2026-01-31', 'daily', true],
    ['2024-02-29', 'daily', true],
    ['2026-02-29', 'daily', false],
    ['2026-04-31', 'daily', false],
    ['2026-01-00', 'daily', false],
    ['2026-01-32', 'daily', false],
    ['2026-00-10', 'daily', false],
    ['2026-13-10', 'daily', false],
    ['0000-01-01', 'daily', false],
    ['0001-01-01', 'daily', true],
    ['2026-01', 'daily', false],
    ['2026-01', 'monthly', true],
    ['2026-13', 'monthly', false],
    ['2026-01-01', 'monthly', false],
    ['0000-01', 'monthly', false],
  ] as const)('%s fits a %s metric: %s', (period, frequency, fits) => {
    expect(isPeriod(period, frequency)).toBe(fits);
  });
});

describe('a value', () => {
  it.each([
    0,
    -0,
    1e15,
    1e-10,
    0.1,
    123456.7890123456,
    '5.',
    '.5',
    '1e3',
    '0.10000000000',
    '10e-11',
    '0e9999',
  ])('%s fits', (value) => {
    expect(problemOf(value)).toBeNull();
  });

  it.each([
    [-1, 'expected a number of at least 0, got -1'],
    [Number.NaN, 'expected a number of at least 0, got null'],
    [1e15 + 1, 'expected a number of at most 1e15, got 1000000000000001'],
    [1e-11, 'expected at most 10 decimals, got 1e-11'],
    ['1e16', 'expected a number of at most 1e15, got "1e16"'],
    ['1e-11', 'expected at most 10 decimals, got "1e-11"'],
    ['1_000', 'expected a number of at least 0, got "1_000"'],
    ['-0', 'expected a number of at least 0, got "-0"'],
  ])('%s is rejected', (value, problem) => {
    expect(problemOf(value)).toBe(problem);
  });
});
