import { importStatus, pauseReason, type ImportStatus } from '../../domain/imports/connection.ts';
import type { Platform } from '../../domain/imports/platforms.ts';
import type { Derived } from '../engine/cache/derived-cache.ts';
import type { Revisions } from '../engine/cache/revisions.ts';
import type { Warehouse } from '../engine/warehouse.ts';
import type { Metric } from '../metrics/metrics.ts';
import type { Organisation } from '../organisations/organisations.ts';
import { importHistories, type ImportHistory } from './import-runs.ts';
import { IMPORTS, type ImportConnection } from './imports.ts';

/** A connection with its state today. */
export interface ImportState {
  connection: ImportConnection;
  type: Platform;
  status: ImportStatus;
  paused_reason: string | null;
  history: ImportHistory | null;
}

/** The connections of an organisation, and their histories by the id of their credential. */
interface Imports {
  connections: ImportConnection[];
  histories: Map<string, ImportHistory>;
}

/** Whoever reads imports, and revisions as of the request or later. */
interface ImportReader {
  organisation: Organisation;
  revisions: Revisions;
}

const WITH_HISTORIES: Derived<Imports> = {
  name: 'imports',
  from: ['import_versions', 'import_run_events'],
  bytesOf: ({ connections }) => connections.length * CONNECTION_BYTES,
};

const CONNECTION_BYTES = 4_000;

/** Returns the platform that a metric is connected with, or null. */
export const cachedPlatform = async (
  warehouse: Warehouse,
  { organisation: { id: orgId }, revisions }: ImportReader,
  metricId: string,
): Promise<Platform | null> =>
  (await cachedImports(warehouse, revisions, orgId)).connections.find(
    ({ metric_id }) => metric_id === metricId,
  )?.definition.type ?? null;

const cachedImports = (warehouse: Warehouse, revisions: Revisions, orgId: string): Promise<Imports> =>
  warehouse.cache.cached(revisions, WITH_HISTORIES, orgId, 'all', async () => {
    const connections = await IMPORTS.list(warehouse, orgId);
    const histories =
      connections.length === 0 ? new Map<string, ImportHistory>() : await importHistories(warehouse, orgId);
    return { connections, histories };
  });

/** Returns the import of each of some metrics that has one, by metric id. */
export async function importStates(
  warehouse: Warehouse,
  { organisation: { id: orgId, tier }, revisions }: ImportReader,
  metrics: readonly Metric[],
): Promise<Map<string, ImportState>> {
  const { connections, histories } = await cachedImports(warehouse, revisions, orgId);
  const byMetric = new Map(connections.map((connection) => [connection.metric_id, connection]));
  return new Map(
    metrics.flatMap(({ id, kind }): [string, ImportState][] => {
      const connection = byMetric.get(id);
      if (connection === undefined) return [];
      const history = histories.get(connection.credential_id) ?? null;
      const paused_reason = pauseReason(kind, tier);
      const status = importStatus(paused_reason, history?.failedDays ?? 0);
      return [[id, { connection, type: connection.definition.type, status, paused_reason, history }]];
    }),
  );
}
