import { describe, expect, it } from 'vitest';
import { isPeriod, storableValue, valueProblem } from '../../../domain/metrics/value-rules.ts';

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
    '-0',
    '-0.00',
    1e-11,
    '1e-11',
    '0.12345678901',
    '-0.00000000001',
    `1.${'0'.repeat(5000)}1`,
  ])('%s fits', (value) => {
    expect(problemOf(value)).toBeNull();
  });

  it.each([
    [-1, 'expected a number of at least 0, got -1'],
    [Number.NaN, 'expected a number of at least 0, got null'],
    [1e15 + 1, 'expected a number of at most 1e15, got 1000000000000001'],
    ['1e16', 'expected a number of at most 1e15, got "1e16"'],
    ['1_000', 'expected a number of at least 0, got "1_000"'],
    ['-0.0000000001', 'expected a number of at least 0, got "-0.0000000001"'],
    [-1e-10, 'expected a number of at least 0, got -1e-10'],
    ['1000000000000000.00000000005', 'expected a number of at most 1e15, got "1000000000000000.00000000005"'],
  ])('%s is rejected', (value, problem) => {
    expect(problemOf(value)).toBe(problem);
  });
});

describe('a stored value', () => {
  it.each([
    [5, 5],
    [-0, '0'],
    ['-0.0', '0'],
    [0.1, 0.1],
    ['0.1000000000000', '0.1000000000000'],
    ['12.5', '12.5'],
    [1e15, 1e15],
  ])('of %j is %j, exactly', (sent, value) => {
    expect(storableValue(sent)).toEqual({ value, isRounded: false });
  });

  it.each([
    // 0.1 + 0.2 and 1.1 × 3 as computers add and multiply them.
    [0.1 + 0.2, '0.3'],
    [1.1 * 3, '3.3'],
    ['0.12345678905', '0.1234567891'],
    ['0.123456789049999', '0.123456789'],
    ['-0.12345678905', '-0.1234567891'],
    ['2.99999999999', '3'],
    [1e-11, '0'],
    ['5e-11', '0.0000000001'],
    [`1.0000000000${'4'.repeat(5000)}`, '1'],
    [`1.0000000000${'5'.repeat(5000)}`, '1.0000000001'],
    [`7.00000000004${'9'.repeat(5000)}`, '7'],
  ])('of %j is rounded to %j', (sent, value) => {
    expect(storableValue(sent)).toEqual({ value, isRounded: true });
  });
});
