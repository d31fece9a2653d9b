import type { Ingest } from '../../../activities/sources/ingest-source.ts';
import type { Day } from '../../../domain/shared/calendar.ts';
import type { DecimalText } from '../../../domain/shared/decimals.ts';
import { NO_BUCKETS } from '../../../domain/sources/exports/object-storage.ts';
import { parsePrivateTargets } from '../../../egress/requests/private-targets.ts';
import type { ExportFile } from '../../../warehouse/sources/feeds/export-files.ts';
import { describeFile } from './describe-file.ts';
import { withLoadSessions, type LoadSessions } from '../../../warehouse/engine/readers/load-sessions.ts';
import type { LoadResult, LoadScope } from '../../../warehouse/sources/publishing/load.ts';
import type { TestWarehouse } from './engines.ts';
import { newOrganisation, newSource, NOW } from './tenant.ts';

/** An organisation with one source. The source's kind is only a label. */
export type Tenant = Pick<LoadScope, 'orgId' | 'sourceId'>;

export async function newTenant(
  { warehouse }: Pick<TestWarehouse, 'warehouse'>,
  kind: 'hosts' | 'opencost' = 'hosts',
): Promise<Tenant> {
  const { id: orgId } = await newOrganisation(warehouse);
  const { id: sourceId } = await newSource(warehouse, orgId, { kind, options: {} });
  return { orgId, sourceId };
}

export const scopeOf = (tenant: Tenant, changes: Partial<LoadScope> = {}): LoadScope => ({
  ...tenant,
  runId: 'run_1',
  startMonth: null,
  endMonth: null,
  acceptShrink: false,
  now: NOW,
  ...changes,
});

/** Returns how a test ingests a source: from the test's folder and from this machine. */
export const ingestOf = (
  { warehouse, directory }: Pick<TestWarehouse, 'warehouse' | 'directory'>,
  sessions: LoadSessions,
  tenant: Tenant,
  changes: Partial<LoadScope> = {},
): Ingest => ({
  warehouse,
  sessions,
  scope: scopeOf(tenant, changes),
  currency: 'USD',
  rules: { roots: [directory], privateTargets: parsePrivateTargets('127.0.0.1') },
  credentials: null,
  buckets: NO_BUCKETS,
  attempt: { refuseStale: () => undefined, signal: new AbortController().signal, report: () => undefined },
});

/** Runs `work` with the sessions of a load, like an ingest. */
export const loading = <Result>(
  { warehouse }: Pick<TestWarehouse, 'warehouse'>,
  work: (sessions: LoadSessions) => Promise<Result>,
): Promise<Result> => withLoadSessions(warehouse, work);

/** Describes existing files, and loads them. */
export const loadWith = (
  test: Pick<TestWarehouse, 'warehouse'>,
  paths: readonly string[],
  load: (sessions: LoadSessions, files: ExportFile[]) => Promise<LoadResult>,
): Promise<LoadResult> =>
  loading(test, async (sessions) => {
    const files = [];
    for (const path of paths) files.push(await describeFile(sessions.reader, path));
    return load(sessions, files);
  });

/** Returns the rows of a spend table that belong to current loads, in order. `columns` is a SELECT list. */
export const currentRows = <Row extends object>(
  { warehouse }: Pick<TestWarehouse, 'warehouse'>,
  orgId: string,
  table: string,
  columns: string,
): Promise<Row[]> =>
  warehouse.query<Row>(
    `SELECT ${columns} FROM ${table} SEMI JOIN current_loads USING (org_id, source_id, load_id, billing_period)
     WHERE org_id = $org ORDER BY ALL`,
    { org: orgId },
  );

export interface LoadRow {
  billing_period: Day;
  cost_column: string | null;
  rows_read: string;
  cost_total: DecimalText;
  first_day: Day;
  last_day: Day;
  delivered_through: Day;
}

/** Returns the current loads of an organisation, oldest month first. */
export const currentLoads = (
  { warehouse }: Pick<TestWarehouse, 'warehouse'>,
  orgId: string,
): Promise<LoadRow[]> =>
  warehouse.query<LoadRow>(
    `SELECT billing_period, cost_column, rows_read, cost_total, first_day, last_day, delivered_through
     FROM current_loads WHERE org_id = $org ORDER BY billing_period`,
    { org: orgId },
  );
