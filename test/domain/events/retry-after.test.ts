import { describe, expect, it } from 'vitest';
import { retryAfterOf, waitAfter } from '../../../domain/events/retry-after.ts';

const NOW = new Date('2026-02-07T06:00:00.400Z');

describe('the header Retry-After', () => {
  it.each([
    ['120', 120],
    [' 1 ', 1],
    ['7200', 7_200],
    ['7201', 7_200],
    ['99999999999999999999', 7_200],
    // 90 seconds later, less the 0.4 seconds that have passed, is 89.6 seconds.
    ['Sat, 07 Feb 2026 06:01:30 GMT', 90],
    ['Saturday, 07-Feb-26 06:10:00 GMT', 600],
    ['Sat Feb  7 06:30:00 2026', 1_800],
    ['Sat, 07 Feb 2026 22:00:00 GMT', 7_200],
  ])('of %s asks to wait %i seconds', (header, seconds) => {
    expect(retryAfterOf(header, NOW)).toBe(seconds);
  });

  it.each([
    null,
    '',
    '0',
    '-5',
    '1.5',
    '1e3',
    'soon',
    '2026-02-07',
    'Sat, 07 Feb 2026 05:00:00 GMT',
    'Sat, 99 Feb 2026 05:00:00 GMT',
  ])('of %s asks for nothing', (header) => {
    expect(retryAfterOf(header, NOW)).toBeNull();
  });
});

describe('the wait after an attempt', () => {
  it.each([
    [1, null, 1],
    [2, null, 2],
    [11, null, 1_024],
    [14, null, 7_200],
    [2_000, null, 7_200],
    [1, 30, 30],
    // The 7th attempt waits 64 seconds by itself, so that a wish for 30 is met, too.
    [7, 30, 64],
    [14, 30, 7_200],
    [1, 7_200, 7_200],
  ])('%i, with a wish of %s seconds, is %i seconds', (attempt, wish, seconds) => {
    expect(waitAfter(attempt, wish)).toBe(seconds);
  });
});
