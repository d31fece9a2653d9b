import { expect, it } from 'vitest';
import { dayRanges } from '../../domain/day-ranges.ts';

it('names days that follow each other as one range, in order, each once', () => {
  expect(dayRanges([])).toBe('');
  expect(dayRanges(['2026-01-31'])).toBe('2026-01-31');
  expect(dayRanges(['2026-02-01', '2026-01-31', '2026-01-31', '2026-02-03'])).toBe(
    '2026-01-31 to 2026-02-01, 2026-02-03',
  );
});
