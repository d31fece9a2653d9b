import { pino, type Logger } from 'pino';
import { startService, type Roles, type Service } from './service.ts';
import type { Settings } from './settings.ts';

/** Structured logs go to standard error; standard output belongs to what a command says. */
export const createLog = (settings: Settings): Logger =>
  pino({ level: settings.LOG_LEVEL }, pino.destination(2));

/** Starts the service and answers it once it serves; prints the one `ready` line. */
export const startAndSay = async (settings: Settings, roles: Roles): Promise<Service> => {
  const service = await startService(settings, roles, createLog(settings));
  process.stdout.write(service.url === null ? 'ready worker\n' : `ready ${service.url}\n`);
  return service;
};

/** Keeps the service running until SIGTERM or SIGINT, or until a part of it fails; ends it cleanly either way. */
export const untilStopped = async (service: Service): Promise<void> => {
  const signalled = new Promise<null>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        resolve(null);
      });
    }
  });
  const failure = await Promise.race([signalled, service.failed]);
  await service.stop();
  if (failure !== null) throw failure;
};
