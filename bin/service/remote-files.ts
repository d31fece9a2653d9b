import type { Logger } from 'pino';
import { shareNextRun } from '../../domain/shared/share-next-run.ts';
import {
  bucketOf,
  bucketPathOf,
  openedBlob,
  type Buckets,
} from '../../domain/sources/exports/object-storage.ts';
import { blobBase, containerSas } from '../../egress/buckets/blob-request.ts';
import { isRemote } from '../../egress/locations/remote-file.ts';
import type { GuardedProxy } from '../../egress/requests/guarded-proxy.ts';
import { probeExtension } from '../../warehouse/engine/readers/probe-extension.ts';
import { connectRemoteFiles, type OpenedBucket } from '../../warehouse/engine/remote-files.ts';
import type { Extension } from '../../warehouse/engine/opening/extensions.ts';
import type { Statements } from '../../warehouse/engine/session.ts';
import type { Warehouse, WarehouseSettings } from '../../warehouse/engine/warehouse.ts';
import type { Organisation } from '../../warehouse/organisations/organisations.ts';
import { COST_SOURCES } from '../../warehouse/sources/cost-sources.ts';
import { fileLocations } from '../../warehouse/sources/file-locations.ts';
import type { Settings } from '../settings/settings.ts';

/** What a reader must be able to open. */
export interface RemoteLocations {
  locations: readonly string[];
  /** What opens the buckets of the locations. */
  buckets: Buckets;
}

/**
 * Lets a reader open remote locations: loads the extensions, gives it the credentials of their buckets, and routes all requests
 * through the guarded proxy. The proxy starts with the first reader.
 */
export function remoteFiles(
  { extensions }: WarehouseSettings,
  { PRIVATE_TARGETS }: Settings,
  log: Logger,
): { open: (reader: Statements, remote: RemoteLocations) => Promise<void>; close: () => Promise<void> } {
  let proxy: Promise<GuardedProxy> | null = null;
  return {
    open: async (reader, { locations, buckets }) => {
      // Only this loads the proxy, which few services need.
      proxy ??= import('../../egress/requests/guarded-proxy.ts')
        .then(({ startGuardedProxy }) => startGuardedProxy(PRIVATE_TARGETS, log))
        .catch((error: unknown) => {
          proxy = null;
          throw error;
        });
      await connectRemoteFiles(reader, bucketsToOpen(locations, buckets), await proxy, extensions);
    },
    close: async () => {
      await (await proxy)?.close();
    },
  };
}

/** Returns the buckets of locations, each once, with their credentials as a reader gets them. */
function bucketsToOpen(locations: readonly string[], buckets: Buckets): OpenedBucket[] {
  const paths = new Map(
    locations
      .map(bucketPathOf)
      .filter((path) => path !== null)
      .map((path) => [bucketOf(path), path]),
  );
  return [...paths].map(([scope, path]) =>
    path.scheme === 'az'
      ? {
          type: 'azure',
          scope: openedBlob(scope),
          account: path.account,
          base: blobBase(path.account, buckets.az),
          sas: containerSas(path.account, path.bucket, buckets.az),
        }
      : { type: path.scheme === 's3' ? 's3' : 'gcs', scope, storage: buckets[path.scheme] },
  );
}

/**
 * Returns a check that readers of this machine can read a remote location. It throws `invalid` with what to do. All calls together
 * make one attempt at a time, because DuckDB may have to download the extension.
 */
export function checkRemoteFiles(settings: WarehouseSettings): (location: string) => Promise<void> {
  const probeOf = (extension: Extension) =>
    shareNextRun((_: readonly undefined[]) => probeExtension(settings, extension));
  const [httpfs, azure] = [probeOf('httpfs'), probeOf('azure')];
  return async (location) => {
    await httpfs(undefined);
    if (bucketPathOf(location)?.scheme === 'az') await azure(undefined);
  };
}

/** Returns a note on the organisation's sources that need an extension. Returns null if there are none. */
export async function remoteSources(
  warehouse: Warehouse,
  { id, name }: Organisation,
  extension: 'httpfs' | 'azure',
): Promise<string | null> {
  const needs = (location: string): boolean =>
    extension === 'httpfs' ? isRemote(location) : bucketPathOf(location)?.scheme === 'az';
  const remote = (await COST_SOURCES.list(warehouse, id)).filter((source) =>
    fileLocations(source.kind, source).some(({ location }) => needs(location)),
  );
  if (remote.length === 0) return null;
  return (
    `organisation ${JSON.stringify(name)} (${id}): these cost sources read files on other hosts, so that their runs fail without ` +
    `the extension ${extension}: ${remote.map((source) => `${JSON.stringify(source.name)} (${source.id})`).join(', ')}`
  );
}
