import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { isRunningWith } from './is-running-with.ts';

/** A dev server process: our child, or one that we found running. */
export interface ServerProcess {
  pid: number;
  /** Resolves when the process has ended: with its exit code, or null (killed, or not our child). */
  exited: Promise<number | null>;
}

const POLL_INTERVAL_MS = 200;
const STOP_GRACE_MS = 10_000;

/**
 * A process that is not our child, so that its end must be polled for.
 *
 * @param argument an argument by which it is told from a later process with the same pid
 */
export function watchForeignProcess(pid: number, argument: string): ServerProcess {
  const exited = new Promise<null>((resolve) => {
    const timer = setInterval(() => {
      void isRunningWith(pid, argument).then((running) => {
        if (running) return;
        clearInterval(timer);
        resolve(null);
      });
    }, POLL_INTERVAL_MS);
    // As with an unreferenced child: watching is no reason for the program to stay alive.
    timer.unref();
  });
  return { pid, exited };
}

/** Ends the process: SIGTERM, and SIGKILL after ten seconds. Resolves when it is gone. */
export async function stopProcess(server: ServerProcess): Promise<void> {
  await send(server, 'SIGTERM');
  // The timer also keeps this program alive until then, because neither kind of process does.
  const gone = new AbortController();
  const late = sleep(STOP_GRACE_MS, undefined, { signal: gone.signal }).then(
    () => killProcess(server),
    () => undefined,
  );
  await server.exited;
  gone.abort();
  await late;
}

/** Ends a process that does not answer, without giving it time. Resolves when it is gone. */
export async function killProcess(server: ServerProcess): Promise<void> {
  await send(server, 'SIGKILL');
  await server.exited;
}

async function send({ pid, exited }: ServerProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const over = exited.then(() => true);
  // After the end the pid may belong to a stranger.
  if (await Promise.race([over, nextTurn(false)])) return;
  try {
    process.kill(pid, signal);
  } catch {
    // It ended just now; `exited` will tell.
  }
}
