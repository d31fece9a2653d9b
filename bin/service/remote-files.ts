import type { Logger } from 'pino';
import { shareNextRun } from '../../domain/shared/share-next-run.ts';
import { isRemote } from '../../egress/locations/remote-file.ts';
import { startGuardedProxy, type GuardedProxy } from '../../egress/requests/guarded-proxy.ts';
import { probeExtension } from '../../warehouse/engine/readers/probe-extension.ts';
import { connectObjectStorage, guardRequests } from '../../warehouse/engine/remote-files.ts';
import type { Statements } from '../../warehouse/engine/session.ts';
import type { Warehouse, WarehouseSettings } from '../../warehouse/engine/warehouse.ts';
import type { Organisation } from '../../warehouse/organisations/organisations.ts';
import { COST_SOURCES } from '../../warehouse/sources/cost-sources.ts';
import { fileLocations } from '../../warehouse/sources/file-locations.ts';
import type { Settings } from '../settings/settings.ts';

/**
 * Lets readers read remote locations: loads the extension, sets the credentials, and routes all requests through the guarded
 * proxy. The proxy starts with the first reader.
 */
export function remoteFiles(
  { objectStorage, extensions }: WarehouseSettings,
  { PRIVATE_TARGETS }: Settings,
  log: Logger,
): { open: (reader: Statements) => Promise<void>; close: () => Promise<void> } {
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
}

/**
 * Returns a check that readers of this machine can read remote files. It throws `invalid` with what to do. All calls together
 * make one attempt at a time, because DuckDB may have to download the extension.
 */
export function checkRemoteFiles(settings: WarehouseSettings): () => Promise<void> {
  const probe = shareNextRun((_: readonly undefined[]) => probeExtension(settings, 'httpfs'));
  return () => probe(undefined);
}

/** Returns a note on the organisation's sources that read files on other hosts. Returns null if there are none. */
export async function remoteSources(
  warehouse: Warehouse,
  { id, name }: Organisation,
): Promise<string | null> {
  const remote = (await COST_SOURCES.list(warehouse, id)).filter((source) =>
    fileLocations(source.kind, source).some(({ location }) => isRemote(location)),
  );
  if (remote.length === 0) return null;
  return (
    `organisation ${JSON.stringify(name)} (${id}): these cost sources read files on other hosts, so that their runs fail without ` +
    `the extension httpfs: ${remote.map((source) => `${JSON.stringify(source.name)} (${source.id})`).join(', ')}`
  );
}
