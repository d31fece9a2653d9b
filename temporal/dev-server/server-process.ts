import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** A dev server process: our child, or one that we found running. */
export interface ServerProcess {
  pid: number;
  /** Resolves when the process has ended: with its exit code, or null (killed, or not our child). */
  exited: Promise<number | null>;
}

const POLL_INTERVAL_MS = 200;
const STOP_GRACE_MS = 10_000;

const run = promisify(execFile);

/**
 * Whether the process runs and has `argument` on its command line.
 *
 * The pid alone does not decide: pids are reused, and a zombie keeps its pid but has no command line. In a container
 * whose pid 1 does not reap, a killed orphan stays a zombie for ever.
 */
export async function isRunningWith(pid: number, argument: string): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (process.platform === 'linux') {
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return commandLine.split('\0').includes(argument);
  }
  return run('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).then(
    ({ stdout }) => stdout.includes(argument),
    () => false,
  );
}

/**
 * A process that is not our child, so that its end must be polled for.
 *
 * @param argument an argument that a later process with the same pid does not have
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
    // A watch is no reason for the program to stay alive, as an unreferenced child is not.
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
  // After the end the pid may belong to a stranger.
  if (await Promise.race([exited.then(() => true), nextTurn(false)])) return;
  try {
    process.kill(pid, signal);
  } catch {
    // It ended just now, and `exited` resolves.
  }
}
