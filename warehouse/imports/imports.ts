import type { Definition } from '../../domain/imports/connection-rules.ts';
import { firstDay, type Day, type Month } from '../../domain/shared/calendar.ts';
import type { Sealer } from '../../security/sealing.ts';
import {
  deleteCredentials,
  findCredential,
  replaceCredential,
  type CredentialOwner,
  type CredentialPlace,
} from '../engine/records/credentials.ts';
import { definitionsLock, Versions, type By, type ReadOnly } from '../engine/records/versioned-records.ts';
import { idAfter, newId } from '../engine/sql/ids.ts';
import type { Queries } from '../engine/session.ts';
import type { Warehouse } from '../engine/warehouse.ts';
import { valuesLock } from '../metrics/value-changes.ts';

/** The connection of a metric to its daily import (docs/concepts.md#daily-imports). */
export interface ImportConnection {
  id: string;
  metric_id: string;
  definition: Definition;
  /** Identifies the stored credential. */
  credential_id: string;
  /** The first day that the import owns: of the oldest month that it has read, or will read. */
  first_day: Day;
  connected_at: string;
}

/** The connections of organisations. */
const STORED = new Versions<ImportConnection>({
  name: 'import',
  view: 'imports',
  idColumn: 'import_id',
  columns: {
    metric_id: 'VARCHAR',
    definition: 'JSON',
    credential_id: 'VARCHAR',
    first_day: 'DATE',
    connected_at: 'TIMESTAMP',
  },
  locks: () => [],
  // The query stays out of the audit log: it can be long, and may hold what only its author should see.
  auditDetail: ({ metric_id, definition }) => ({
    metric_id,
    type: definition.type,
    project_id: 'project_id' in definition ? definition.project_id : null,
  }),
});

export const IMPORTS: ReadOnly<ImportConnection> = STORED;

/** The locks under which the connection of a metric changes. Its owner of values is decided with it. */
const importLocks = (orgId: string, metricId: string): string[] => [
  definitionsLock(orgId),
  valuesLock(metricId),
];

/** Returns the connection of a metric, or null if it has none. */
export async function findImport(
  warehouse: Queries,
  orgId: string,
  metricId: string,
): Promise<ImportConnection | null> {
  const [row] = await warehouse.query<{ import_id: string }>(
    'SELECT import_id FROM imports WHERE org_id = $org AND metric_id = $metric',
    { org: orgId, metric: metricId },
  );
  return row === undefined ? null : STORED.find(warehouse, orgId, row.import_id);
}

/**
 * Connects a metric, or replaces what its connection imports and the credential. The older credential is deleted. Returns the
 * connection.
 */
export const connectImport = (
  warehouse: Warehouse,
  sealer: Sealer,
  orgId: string,
  metricId: string,
  definition: Definition,
  credential: string,
  firstMonth: Month,
  by: By,
): Promise<ImportConnection> =>
  warehouse.lockedTransaction(importLocks(orgId, metricId), async (session) => {
    const before = await findImport(session, orgId, metricId);
    const id = before?.id ?? newId('imp');
    const connection: ImportConnection = {
      id,
      metric_id: metricId,
      definition,
      credential_id: idAfter(before?.credential_id ?? null),
      first_day: firstOf(before?.first_day ?? null, firstDay(firstMonth)),
      connected_at: before?.connected_at ?? by.now.toISOString(),
    };
    await replaceCredential(session, sealer, placeOf(orgId, connection), credential, by.now);
    if (before === null) return STORED.createIn(session, orgId, connection, by);
    const { id: _, ...changes } = connection;
    return (await STORED.changeIn(session, orgId, id, changes, by)) ?? connection;
  });

const firstOf = (one: Day | null, other: Day): Day => (one !== null && one < other ? one : other);

/** Records that the import of a metric owns its values from an earlier month on. */
export const importFrom = (
  warehouse: Warehouse,
  orgId: string,
  { id, metric_id, first_day }: ImportConnection,
  month: Month,
  by: By,
): Promise<ImportConnection | null> =>
  warehouse.lockedTransaction(importLocks(orgId, metric_id), (session) =>
    STORED.changeIn(session, orgId, id, { first_day: firstOf(first_day, firstDay(month)) }, by),
  );

/** Disconnects a metric and deletes its credential. Its values stay. Returns false if it was not connected. */
export const disconnectImport = (
  warehouse: Warehouse,
  orgId: string,
  metricId: string,
  by: By,
): Promise<boolean> =>
  warehouse.lockedTransaction(importLocks(orgId, metricId), async (session) => {
    const connection = await findImport(session, orgId, metricId);
    if (connection === null) return false;
    await STORED.changeIn(session, orgId, connection.id, 'delete', by);
    await deleteCredentials(session, orgId, ownerOf(metricId), by.now);
    return true;
  });

/** Why the import of a metric cannot run, and the way out. */
export const CREDENTIAL_UNREADABLE =
  'the stored credential cannot be opened: connect the metric again, with its credential, or ask the operator for the MASTER_KEY that sealed it';

/** Returns the credential of a connection, or null if it cannot be opened. Throws an Error if it was replaced or deleted. */
export async function credentialOf(
  warehouse: Queries,
  sealer: Sealer,
  orgId: string,
  connection: ImportConnection,
): Promise<string | null> {
  const credential = await findCredential(warehouse, sealer, placeOf(orgId, connection));
  if (credential === undefined)
    throw new Error(`the credential of ${connection.metric_id} is no longer stored`);
  return credential;
}

/** Whether the credential of a connection is stored and cannot be opened. */
export const isCredentialUnreadable = async (
  warehouse: Queries,
  sealer: Sealer,
  orgId: string,
  connection: ImportConnection,
): Promise<boolean> => (await findCredential(warehouse, sealer, placeOf(orgId, connection))) === null;

const ownerOf = (metricId: string): CredentialOwner => ({ kind: 'metric', id: metricId });

const placeOf = (orgId: string, { metric_id, credential_id }: ImportConnection): CredentialPlace => ({
  orgId,
  owner: ownerOf(metric_id),
  credentialId: credential_id,
});
