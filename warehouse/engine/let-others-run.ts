import { setImmediate } from 'node:timers/promises';

const LONGEST_MS = 20;

/** Returns a function for long loops. It lets the rest of the process run now and then, and throws once `signal` aborts. */
export function letOthersRun(signal?: AbortSignal): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < LONGEST_MS) return;
    await setImmediate();
    signal?.throwIfAborted();
    since = performance.now();
  };
}
