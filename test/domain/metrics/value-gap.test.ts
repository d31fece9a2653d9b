import { describe, expect, it } from 'vitest';
import { missingDaysInWords, missingLastDays, type ValueDays } from '../../../domain/metrics/value-gap.ts';

const days = (count: number, last: string | null, longestGap: number | null): ValueDays => ({
  count,
  last,
  longestGap,
});

describe('the last days of a month without a value', () => {
  it.each<[string, ValueDays, ValueDays | undefined, string | null]>([
    [
      'of a metric with a value each day, which stops',
      days(15, '2026-01-15', 0),
      undefined,
      '2026-01-16 to 2026-01-31',
    ],
    [
      'if only the last day lacks one',
      days(30, '2026-01-30', 0),
      days(31, '2025-12-31', 0),
      '2026-01-31 to 2026-01-31',
    ],
    ['of weekdays only: the 31st is a Saturday', days(22, '2026-01-30', 2), days(23, '2025-12-31', 2), null],
    [
      'of weekdays only, with a week that lacks',
      days(17, '2026-01-23', 2),
      days(23, '2025-12-31', 2),
      '2026-01-24 to 2026-01-31',
    ],
    [
      'after as long a pause in the month before',
      days(20, '2026-01-20', 0),
      days(10, '2025-12-31', 11),
      null,
    ],
    [
      'after a shorter pause in the month before',
      days(20, '2026-01-20', 0),
      days(10, '2025-12-31', 10),
      '2026-01-21 to 2026-01-31',
    ],
    ['of a metric with one value a month', days(1, '2026-01-01', 30), days(1, '2025-12-01', 29), null],
    ['of a metric with two values in all', days(2, '2026-01-02', 0), undefined, null],
    ['if there are none', days(31, '2026-01-31', 0), undefined, null],
    ['of a month without values', days(0, null, null), days(31, '2025-12-31', 0), null],
  ])('%s', (_, ofMonth, before, expected) => {
    const found = missingLastDays('2026-01', ofMonth, before);
    expect(found === null ? null : `${found.from} to ${found.through}`).toBe(expected);
  });

  it('are named', () => {
    expect(missingDaysInWords({ from: '2026-01-29', through: '2026-01-31' })).toBe(
      'no value has been recorded for 2026-01-29 to 2026-01-31, the last 3 days of the month',
    );
    expect(missingDaysInWords({ from: '2026-02-28', through: '2026-02-28' })).toBe(
      'no value has been recorded for 2026-02-28, the last day of the month',
    );
  });
});
