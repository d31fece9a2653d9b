import type { Logger } from 'pino';
import { startGuardedProxy, type GuardedProxy } from '../egress/guarded-proxy.ts';
import { connectObjectStorage, guardRequests } from '../warehouse/remote-files.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import type { Settings } from './settings.ts';

/** Opens the way to remote locations at the first one: the extension, the credentials, and the guard around both. */
export const remoteFiles = (
  warehouse: Warehouse,
  settings: Settings,
  log: Logger,
): { open: () => Promise<void>; close: () => Promise<void> } => {
  let proxy: Promise<GuardedProxy> | null = null;
  const start = async (): Promise<GuardedProxy> => {
    const started = await startGuardedProxy(settings.PRIVATE_TARGETS, log);
    await warehouse.session(async (session) => {
      await connectObjectStorage(session, warehouse.settings.objectStorage, warehouse.settings.extensions);
      await guardRequests(session, started);
    });
    return started;
  };
  return {
    open: async () => {
      proxy ??= start().catch((error: unknown) => {
        proxy = null;
        throw error;
      });
      await proxy;
    },
    close: async () => {
      await (await proxy)?.close();
    },
  };
};
