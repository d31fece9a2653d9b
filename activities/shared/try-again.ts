import { setTimeout } from 'node:timers/promises';

/** What the error of a try means. */
export interface FailedTry {
  /** The error for the caller. */
  error: Error;
  /** Whether the same request may succeed within a minute. */
  isWorthRetry: boolean;
  /** How long the platform asks to wait; null if it does not say. */
  retryAfterMs: number | null;
}

export interface Tries {
  mostTries: number;
  /** The longest wait that a platform may ask for. Without it, one minute. */
  longestWaitMs?: number;
  /** Ends the work at once. The work then rejects with the signal's reason. */
  signal: AbortSignal;
  /** Waits before another try. Tests replace it. */
  wait?: Wait | undefined;
}

export type Wait = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** If the platform asks for a longer wait, the work ends, and Temporal retries it later. */
const LONGEST_WAIT_MS = 60_000;
const FIRST_WAIT_MS = 500;

/**
 * Asks a platform, and asks again up to `mostTries` times if that may succeed. Before each try it waits as long as the platform asks
 * for, or else twice as long as before.
 *
 * @param meaningOf returns what an error of `ask` means. The error itself never reaches the caller.
 */
export async function tryAgain<Result>(
  ask: () => Promise<Result>,
  meaningOf: (error: unknown) => FailedTry,
  { mostTries, longestWaitMs = LONGEST_WAIT_MS, signal, wait = waitFor }: Tries,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    signal.throwIfAborted();
    try {
      return await ask();
    } catch (error) {
      signal.throwIfAborted();
      const failure = meaningOf(error);
      const waitMs = failure.retryAfterMs ?? backoffMs(tries);
      if (!failure.isWorthRetry || tries >= mostTries || waitMs > longestWaitMs) throw failure.error;
      await wait(waitMs, signal);
    }
  }
}

/** Doubles with each try. Half of it is random, so that many imports do not come back at the same moment. */
const backoffMs = (tries: number): number => FIRST_WAIT_MS * 2 ** (tries - 1) * (0.5 + Math.random() / 2);

const waitFor: Wait = async (milliseconds, signal) => {
  try {
    await setTimeout(milliseconds, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
};
