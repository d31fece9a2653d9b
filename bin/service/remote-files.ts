import type { Logger } from 'pino';
import { startGuardedProxy, type GuardedProxy } from '../../egress/requests/guarded-proxy.ts';
import { connectObjectStorage, guardRequests } from '../../warehouse/engine/remote-files.ts';
import type { Statements } from '../../warehouse/engine/session.ts';
import type { WarehouseSettings } from '../../warehouse/engine/warehouse.ts';
import type { Settings } from '../settings/settings.ts';

/**
 * Lets readers read remote locations: loads the extension, sets the credentials, and routes all requests through the guarded
 * proxy. The proxy starts with the first reader.
 */
export const remoteFiles = (
  { objectStorage, extensions }: WarehouseSettings,
  { PRIVATE_TARGETS }: Settings,
  log: Logger,
): { open: (reader: Statements) => Promise<void>; close: () => Promise<void> } => {
  let proxy: Promise<GuardedProxy> | null = null;
  return {
    open: async (reader) => {
      proxy ??= startGuardedProxy(PRIVATE_TARGETS, log).catch((error: unknown) => {
        proxy = null;
        throw error;
      });
      await connectObjectStorage(reader, objectStorage, extensions);
      await guardRequests(reader, await proxy);
    },
    close: async () => {
      await (await proxy)?.close();
    },
  };
};
