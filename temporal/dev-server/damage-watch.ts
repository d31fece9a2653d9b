import { setTimeout as sleep } from 'node:timers/promises';
import type { BaseLogger } from 'pino';
import { damageInLine } from './damage-in-line.ts';
import { LogFollower } from './log-follower.ts';

/** Watches what a dev server says about its database. */
export interface DamageWatch {
  /** Resolves with SQLite's words once the log has them. */
  found: Promise<string>;
  /** Reads now what was added to the log. Resolves with SQLite's words, or null. */
  look(): Promise<string | null>;
  /** Ends the watch. Resolves when the log is closed. */
  stop(): Promise<void>;
}

const LOOK_EVERY_MS = 2_000;

/**
 * Looks every two seconds for damage in the log of a dev server. The server itself goes on without its database, and tries again
 * for ever.
 *
 * @param from byte of the log at which the server's own part begins
 */
export function watchForDamage(path: string, from: number, log: Pick<BaseLogger, 'warn'>): DamageWatch {
  const follower = new LogFollower(path, from);
  const stopping = new AbortController();
  let report: (words: string) => void = () => undefined;
  const found = new Promise<string>((resolve) => {
    report = resolve;
  });
  const read = async (): Promise<string | null> => {
    for await (const line of follower.added()) {
      const words = damageInLine(line);
      if (words === null) continue;
      report(words);
      return words;
    }
    return null;
  };
  let turn: Promise<string | null> = Promise.resolve(null);
  const look = (): Promise<string | null> => {
    turn = turn
      .then(async (words) => words ?? (await read()))
      .catch((error: unknown) => {
        log.warn({ err: error }, 'Temporal: its log cannot be read; trying again');
        return null;
      });
    return turn;
  };
  const watching = (async () => {
    while (!stopping.signal.aborted && (await look()) === null)
      // As with the server itself: watching is no reason for the program to stay alive.
      await sleep(LOOK_EVERY_MS, undefined, { signal: stopping.signal, ref: false }).catch(
        (aborted: unknown) => aborted,
      );
  })();
  const stop = async (): Promise<void> => {
    stopping.abort();
    await watching;
    await turn;
    await follower.close();
  };
  return { found, look, stop };
}
