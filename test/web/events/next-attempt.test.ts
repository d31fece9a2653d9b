import { expect, it } from 'vitest';
import { nextAttemptAt } from '../../../web/events/next-attempt.ts';

const attempt = (at: string, retry_after: number | null = null) => ({
  at,
  status_code: 503,
  error: null,
  answer: null,
  retry_after,
});

it('a delivery is tried at once, then after waits that double, or as late as its endpoint asks', () => {
  const created_at = '2026-02-07T06:00:00.000Z';
  const next = (...attempts: ReturnType<typeof attempt>[]) =>
    nextAttemptAt({ created_at, attempts }).toISOString();
  expect(next()).toBe(created_at);
  expect(next(attempt('2026-02-07T06:00:01Z'))).toBe('2026-02-07T06:00:02.000Z');
  expect(next(attempt('2026-02-07T06:00:01Z'), attempt('2026-02-07T06:00:02Z'))).toBe(
    '2026-02-07T06:00:04.000Z',
  );
  expect(next(attempt('2026-02-07T06:00:01Z', 120))).toBe('2026-02-07T06:02:01.000Z');
});
