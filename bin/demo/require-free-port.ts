import { createServer } from 'node:net';

/** Throws, before anything is started, when something listens already where the demo is to serve. */
export const requireFreePort = async (host: string, port: number): Promise<void> => {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(
              `port ${port} of ${host} is taken: stop what listens there, or choose another with --port`,
            )
          : error,
      );
    });
    probe.listen(port, host, () => {
      probe.close(() => {
        resolve();
      });
    });
  });
};
