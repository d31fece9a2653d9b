import { pino, type Logger } from 'pino';
import { startService, type Roles, type Service } from './service.ts';
import type { Settings } from '../settings/settings.ts';

/** Structured logs go to standard error; standard output belongs to what a command says. */
export const createLog = (settings: Settings): Logger =>
  pino({ level: settings.LOG_LEVEL }, pino.destination(2));

/** Starts the service and answers it once it serves; prints the one `ready` line. */
export const startAndSay = async (settings: Settings, roles: Roles): Promise<Service> => {
  const service = await startService(settings, roles, createLog(settings));
  process.stdout.write(service.url === null ? 'ready worker\n' : `ready ${service.url}\n`);
  return service;
};

/** Resolves at the first SIGTERM or SIGINT; asked for before a start, so that none is missed. */
export const stopSignal = (): Promise<null> =>
  new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        resolve(null);
      });
    }
  });

/** Keeps the service running until it is told to stop, or until a part of it fails; ends it cleanly either way. */
export const untilStopped = async (
  service: Service,
  signalled: Promise<null> = stopSignal(),
): Promise<void> => {
  const failure = await Promise.race([signalled, service.failed]);
  await service.stop().catch((error: unknown) => {
    // It is logged; what ended the service comes first.
    throw failure ?? error;
  });
  if (failure !== null) throw failure;
};
