import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Settings } from '../settings/settings.ts';

/** How to choose another port, in the words of an error. */
const ADVICE = { api: '--port (PORT)', metrics: 'METRICS_PORT' } as const;

/** A server of the service, by the settings of its port. */
type Server = keyof typeof ADVICE;

/** Throws unless each server of the roles can listen on its port, before anything starts. */
export async function requireFreePorts(settings: Settings, roles: { api: boolean }): Promise<void> {
  if (roles.api) await onPort('api', settings, settings.port, tryPort);
  if (settings.METRICS_PORT !== null) await onPort('metrics', settings, settings.METRICS_PORT, tryPort);
}

/** Lets a server listen on its port. If it cannot, throws what to do. */
export async function onPort<Result>(
  server: Server,
  { HOST: host }: Settings,
  port: number,
  listen: (address: { host: string; port: number }) => Promise<Result>,
): Promise<Result> {
  try {
    return await listen({ host, port });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const text = {
      EADDRINUSE: `port ${port} of ${host} is taken: stop what listens there, or choose another with ${ADVICE[server]}`,
      EACCES: `port ${port} of ${host} is not allowed to this user: choose one from 1024 on with ${ADVICE[server]}`,
      EADDRNOTAVAIL: `HOST: expected an address of this machine, such as 127.0.0.1, got ${host}`,
    }[code];
    throw text === undefined ? error : new Error(text, { cause: error });
  }
}

async function tryPort({ host, port }: { host: string; port: number }): Promise<void> {
  const probe = createServer().listen(port, host);
  await once(probe, 'listening');
  await once(probe.close(), 'close');
}
