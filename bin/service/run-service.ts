import type { Logger } from 'pino';
import { requireFreePorts } from './free-port.ts';
import type { LogLines } from './log/log-lines.ts';
import { startService, type Roles, type Service } from './service.ts';
import type { Settings } from '../settings/settings.ts';
import { systemd } from './systemd.ts';

/** How long a stop may take: less than what systemd and containers give it before they kill (docs/operation.md). */
const LONGEST_STOP_MS = 80_000;

/**
 * Starts the service, prints where its workflows can be seen and the `ready` line, and returns the service once it serves. systemd
 * learns when it serves and when it ends.
 */
export async function startAndSay(
  settings: Settings,
  roles: Roles,
  log: Logger,
  lines: LogLines,
): Promise<Service> {
  // The reader of the output may leave, as `head` does. The service goes on.
  process.stdout.on('error', () => undefined);
  await requireFreePorts(settings, roles);
  const service = await startService(settings, roles, log, lines);
  const manager = systemd(process.env, log);
  if (service.temporalPage !== null) process.stdout.write(`workflows ${service.temporalPage}\n`);
  const ready = `ready ${service.url ?? 'worker'}`;
  process.stdout.write(`${ready}\n`);
  await manager.ready(ready);
  const stop = async (): Promise<void> => {
    await Promise.all([manager.stopping(), service.stop()]);
  };
  return { ...service, stop };
}

/** Resolves at the first SIGTERM or SIGINT. Call it before a start, so that no signal is missed. */
export const stopSignal = (): Promise<null> =>
  new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        resolve(null);
      });
    }
  });

/** Keeps the service running until a stop signal, or until a part of it fails. Ends it cleanly in both cases. */
export async function untilStopped(
  service: Service,
  log: Logger,
  signalled: Promise<null> = stopSignal(),
): Promise<void> {
  const failure = await Promise.race([signalled, service.failed]);
  // A thread that hangs in a call of the file system keeps even `process.exit` waiting.
  const limit = setTimeout(() => {
    log.fatal('the service does not stop, so that it ends itself');
    process.kill(process.pid, 'SIGKILL');
  }, LONGEST_STOP_MS);
  limit.unref();
  await service.stop().catch((error: unknown) => {
    // The error is logged already. The failure that ended the service comes first.
    throw failure ?? error;
  });
  if (failure !== null) throw failure;
}
