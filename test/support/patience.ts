/**
 * All limits of time in the tests. A busy machine may take ten times as long as a quiet one, and only a failure waits until the
 * end. So a limit only ends what hangs.
 */

/** How long a test waits for one condition. */
export const WAIT_MS = 5 * 60_000;

/** How long a test, a hook, or the commands of a page may take. */
export const TEST_MS = 20 * 60_000;

/** How long a test may take whose counts grow by settings, such as RUNS and RACES (effort.ts). */
export const COUNTED_TEST_MS = 3 * 60 * 60_000;

/** How long the service may take to stop: what systemd and containers give it (docs/operation.md). */
export const STOP_MS = 90_000;
