import { once } from 'node:events';
import { createServer } from 'node:net';

/** Rejects a taken port before anything starts. `advice` names how to choose another. */
export async function requireFreePort(host: string, port: number, advice: string): Promise<void> {
  const probe = createServer().listen(port, host);
  await once(probe, 'listening').catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    throw new Error(
      `port ${port} of ${host} is taken: stop what listens there, or choose another with ${advice}`,
    );
  });
  await once(probe.close(), 'close');
}
