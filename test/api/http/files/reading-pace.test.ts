import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { atReadingPace } from '../../../../api/http/files/reading-pace.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const pieces = async function* (): AsyncGenerator<Uint8Array> {
  for (;;) yield await Promise.resolve(Buffer.alloc(4_096));
};

/** Reads a piece of 4 KiB every so many seconds. Returns the seconds until it is cut off, of ten minutes. */
async function cutOffAfter(everySeconds: number): Promise<number | null> {
  const begun = performance.now();
  const cuts: number[] = [];
  const reading = atReadingPace(pieces(), () => {
    cuts.push(Math.round((performance.now() - begun) / 1_000));
  });
  await reading.next();
  while (cuts.length === 0 && performance.now() - begun < 600_000) {
    vi.advanceTimersByTime(everySeconds * 1_000);
    await reading.next();
  }
  return cuts[0] ?? null;
}

it('an answer may be read at 4 KiB a second, and has a minute more', async () => {
  expect(await cutOffAfter(1)).toBeNull();
  // After t seconds, t / 2 pieces are asked for, and 60 + t / 2 seconds allowed: t is about 120.
  expect(await cutOffAfter(2)).toBeGreaterThan(115);
  expect(await cutOffAfter(2)).toBeLessThan(125);
  // Nothing is read after the first piece.
  expect(await cutOffAfter(1_000)).toBe(61);
});
