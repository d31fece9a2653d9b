import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { BaseLogger } from 'pino';

const run = promisify(execFile);

/** A program that hangs must not hold up the service. */
const NOTIFY_MS = 5_000;

/** What systemd learns of the service (`Type=notify`). Without systemd, nothing happens. */
export interface Systemd {
  /** The service serves. From now on, systemd gets the signs of life that `WatchdogSec` asks for. */
  ready: (status: string) => Promise<void>;
  /** The service ends. The signs of life end too, because systemd waits for the end in its own time. */
  stopping: () => Promise<void>;
}

/**
 * Returns what tells systemd about this process. Node has no datagram sockets of Unix, which the protocol needs, and packages with
 * one must be compiled. So `systemd-notify` sends the messages, which is part of systemd. Its messages need `NotifyAccess=all`,
 * because it is a process of its own.
 */
export function systemd(env: NodeJS.ProcessEnv, log: Pick<BaseLogger, 'warn'>): Systemd {
  const notify = async (...messages: string[]): Promise<void> => {
    if ((env['NOTIFY_SOCKET'] ?? '') === '') return;
    await run('systemd-notify', messages, { env, timeout: NOTIFY_MS }).catch((error: unknown) => {
      log.warn({ err: error }, 'systemd cannot be notified');
    });
  };
  let watchdog: NodeJS.Timeout | null = null;
  return {
    ready: async (status) => {
      await notify('READY=1', `STATUS=${status}`);
      const every = signOfLifeMs(env);
      // The timer belongs to the event loop, so that a blocked loop sends no sign.
      if (every !== null) watchdog = setInterval(() => void notify('WATCHDOG=1'), every).unref();
    },
    stopping: async () => {
      if (watchdog !== null) clearInterval(watchdog);
      await notify('STOPPING=1');
    },
  };
}

/** Returns a third of the time after which systemd ends a silent process, or null if it does not. */
const signOfLifeMs = ({
  WATCHDOG_USEC: limit = '',
  WATCHDOG_PID: pid = '',
}: NodeJS.ProcessEnv): number | null =>
  Number(limit) > 0 && (pid === '' || Number(pid) === process.pid) ? Number(limit) / 1000 / 3 : null;
