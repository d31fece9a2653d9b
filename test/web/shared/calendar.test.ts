import { describe, expect, it } from 'vitest';
import { addDays, addMonths, daysInclusive, lastDay, monthOf } from '../../../web/shared/calendar.ts';

describe('the calendar of pages', () => {
  it('knows the last day of each month', () => {
    expect(['2026-01', '2026-02', '2024-02', '2026-04', '2026-12'].map(lastDay)).toEqual([
      ...['2026-01-31', '2026-02-28', '2024-02-29', '2026-04-30', '2026-12-31'],
    ]);
  });

  it('counts days and months over the ends of months and years', () => {
    expect(addDays('2026-02-28', 1)).toBe('2026-03-01');
    expect(addDays('2026-01-01', -1)).toBe('2025-12-31');
    expect(addMonths('2026-01', -1)).toBe('2025-12');
    expect(addMonths('2025-11', 14)).toBe('2027-01');
    expect(monthOf('2026-02-07')).toBe('2026-02');
  });

  it('counts both ends of a range, also over a change to summer time', () => {
    expect(daysInclusive('2026-02-07', '2026-02-07')).toBe(1);
    expect(daysInclusive('2026-03-28', '2026-03-30')).toBe(3);
    expect(daysInclusive('2026-01-01', '2026-12-31')).toBe(365);
    expect(daysInclusive('2026-02-07', '2026-02-06')).toBe(0);
  });
});
