import { expect, it } from 'vitest';
import { dayRanges } from '../../../domain/shared/day-ranges.ts';

it('joins consecutive days into ranges, sorted and without duplicates', () => {
  expect(dayRanges([])).toBe('');
  expect(dayRanges(['2026-01-31'])).toBe('2026-01-31');
  expect(dayRanges(['2026-02-01', '2026-01-31', '2026-01-31', '2026-02-03'])).toBe(
    '2026-01-31 to 2026-02-01, 2026-02-03',
  );
});

it('lists the first 20 of many ranges, and counts the others', () => {
  const days = Array.from({ length: 30 }, (_, index) => `20${10 + index}-01-01`);
  expect(dayRanges(days)).toBe(`${days.slice(0, 20).join(', ')}, and 10 more`);
});
