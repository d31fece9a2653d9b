import { describe, expect, it } from 'vitest';
import {
  addDays,
  addMonths,
  dayOf,
  daysInclusive,
  firstDay,
  lastDay,
  monthOf,
  monthsBack,
  secondsToMidnight,
  settlesOn,
} from '../../../domain/shared/calendar.ts';

describe('days and months', () => {
  it('takes the day and the month of an instant in UTC', () => {
    expect(dayOf(new Date('2026-01-31T23:59:59.999Z'))).toBe('2026-01-31');
    expect(dayOf(new Date('2026-02-01T00:30:00+02:00'))).toBe('2026-01-31');
    expect(monthOf('2026-01-31')).toBe('2026-01');
    expect(monthOf('2026-01')).toBe('2026-01');
    expect(firstDay('2026-02')).toBe('2026-02-01');
  });

  it.each([
    ['2026-01', '2026-01-31'],
    ['2026-04', '2026-04-30'],
    ['2026-02', '2026-02-28'],
    ['2024-02', '2024-02-29'],
    ['2000-02', '2000-02-29'], // divisible by 400: a leap year
    ['1900-02', '1900-02-28'], // by 100 only: not a leap year
    ['2026-12', '2026-12-31'],
  ])('%s ends on %s', (month, day) => {
    expect(lastDay(month)).toBe(day);
  });

  it('counts months across years, in both directions', () => {
    expect(addMonths('2026-12', 1)).toBe('2027-01');
    expect(addMonths('2026-01', -1)).toBe('2025-12');
    expect(addMonths('2026-03', -12)).toBe('2025-03');
    expect(addMonths('2026-03', 0)).toBe('2026-03');
    expect(monthsBack('2026-02', 4)).toEqual(['2026-02', '2026-01', '2025-12', '2025-11']);
    expect(monthsBack('2026-02', 12)).toHaveLength(12);
  });

  it('counts days across months and leap days', () => {
    expect(addDays('2026-01-31', 1)).toBe('2026-02-01');
    expect(addDays('2024-02-28', 1)).toBe('2024-02-29');
    expect(addDays('2026-03-01', -1)).toBe('2026-02-28');
    expect(daysInclusive('2026-01-01', '2026-01-01')).toBe(1);
    expect(daysInclusive('2024-02-01', '2024-03-01')).toBe(30); // 29 days of February and one of March
    expect(daysInclusive('2025-01-01', '2025-12-31')).toBe(365);
    expect(daysInclusive('2024-01-01', '2024-12-31')).toBe(366);
  });
});

describe('the day on which a month settles', () => {
  // Five full days after January are 1, 2, 3, 4 and 5 February. On the 6th they have passed.
  it.each([
    ['2026-01', 5, '2026-02-06'],
    ['2026-01', 0, '2026-02-01'],
    ['2026-01', 28, '2026-03-01'],
    ['2024-01', 28, '2024-02-29'],
    ['2025-12', 5, '2026-01-06'],
    ['2026-02', 5, '2026-03-06'],
  ])('%s with %i settle days settles on %s', (month, days, on) => {
    expect(settlesOn(month, days)).toBe(on);
  });
});

describe('seconds to midnight', () => {
  it.each([
    ['2026-02-07T00:00:00.000Z', 86_400],
    ['2026-02-07T00:00:00.001Z', 86_400], // 86,399.999 s, rounded up so that a client does not retry too early
    ['2026-02-07T12:00:00.000Z', 43_200],
    ['2026-02-07T23:59:00.000Z', 60],
    ['2026-02-07T23:59:58.001Z', 2],
    ['2026-02-07T23:59:59.000Z', 1],
    ['2026-02-07T23:59:59.999Z', 1],
    ['2026-12-31T23:59:59.999Z', 1],
    ['2024-02-29T00:00:00.000Z', 86_400],
  ])('at %s %i are left', (instant, seconds) => {
    expect(secondsToMidnight(new Date(instant))).toBe(seconds);
  });
});
