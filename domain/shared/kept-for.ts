/**
 * Returns a function that shares the result of `read` among calls of the next `ms` milliseconds. A failure is not kept, and goes
 * to those who wait for it.
 *
 * @param now the time in milliseconds, which only moves forward.
 */
export function keptFor<Result>(
  ms: number,
  read: () => Promise<Result>,
  now: () => number = () => performance.now(),
): () => Promise<Result> {
  let last: { at: number; result: Promise<Result> } | null = null;
  return () => {
    if (last !== null && now() - last.at <= ms) return last.result;
    const reading = { at: now(), result: read() };
    reading.result.catch(() => {
      if (last === reading) last = null;
    });
    last = reading;
    return reading.result;
  };
}
