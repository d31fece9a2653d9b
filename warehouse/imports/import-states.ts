import {
  importStatus,
  pauseReason,
  type ImportStatus,
  type ImportType,
} from '../../domain/imports/connection.ts';
import type { Session } from '../engine/session.ts';
import type { Metric } from '../metrics/metrics.ts';
import type { Organisation } from '../organisations/organisations.ts';
import { importHistories, type ImportHistory } from './import-runs.ts';
import { listImports, type ImportConnection } from './imports.ts';

/** A connection with its state today. */
export interface ImportState {
  connection: ImportConnection;
  type: ImportType;
  status: ImportStatus;
  paused_reason: string | null;
  history: ImportHistory | null;
}

/** Returns the import of each of some metrics that has one, by metric id. */
export const importStates = async (
  warehouse: Pick<Session, 'query'>,
  { id: orgId, tier }: Organisation,
  metrics: readonly Metric[],
): Promise<Map<string, ImportState>> => {
  const connections = await listImports(warehouse, orgId);
  if (connections.length === 0) return new Map();
  const histories = await importHistories(warehouse, orgId);
  const byMetric = new Map(connections.map((connection) => [connection.metric_id, connection]));
  return new Map(
    metrics.flatMap(({ id, kind }): [string, ImportState][] => {
      const connection = byMetric.get(id);
      if (connection === undefined) return [];
      const history = histories.get(connection.credential_id) ?? null;
      const paused_reason = pauseReason(kind, tier);
      const status = importStatus(paused_reason, history?.failedDays ?? 0);
      return [[id, { connection, type: connection.type, status, paused_reason, history }]];
    }),
  );
};
