import type { Day } from '../../../domain/shared/calendar.ts';
import type { Relation } from '../feeds/scan-files.ts';
import type { Reader } from '../../engine/readers/reader.ts';
import type { Session } from '../../engine/session.ts';

/** An allocation from an API; amounts are decimal texts. */
export interface ApiAllocation {
  name: string;
  cluster: string | null;
  namespace: string | null;
  controllerKind: string | null;
  controller: string | null;
  totalCost: string | null;
  sharedCost: string | null;
  externalCost: string | null;
}

export interface ApiAsset {
  kind: string;
  cluster: string | null;
  providerId: string | null;
  project: string | null;
  totalCost: string | null;
}

const ALLOCATION_COLUMNS = [
  'export_file',
  'Date',
  'Name',
  'Cluster',
  'Namespace',
  'ControllerKind',
  'ControllerName',
  'TotalCost',
  'SharedCost',
  'ExternalCost',
] as const;
const ASSET_COLUMNS = ['export_file', 'day', 'kind', 'cluster', 'provider_id', 'project', 'cost'] as const;

const TABLES = { api_allocations: ALLOCATION_COLUMNS, api_assets: ASSET_COLUMNS } as const;

const relation = (table: keyof typeof TABLES): Relation => ({
  from: `temp.main.${table}`,
  fileColumn: 'export_file',
  format: 'parquet',
  columns: TABLES[table].map((name) => ({ name, type: 'VARCHAR' })),
  counts: [null],
});

/** The appended allocations and assets, as feeds of `loadOpenCost`. */
export const API_ALLOCATIONS = relation('api_allocations');
export const API_ASSETS = relation('api_assets');

/** Creates the tables for an API's answers. Temporary tables spill to disk, so that the answers do not fill the memory. */
export async function openApiRows(reader: Reader): Promise<void> {
  for (const [table, columns] of Object.entries(TABLES)) {
    const definitions = columns.map((name) => `${name} VARCHAR`).join(', ');
    await reader.run(`CREATE TEMP TABLE ${table} (${definitions})`);
  }
}

export const appendAllocations = (reader: Reader, day: Day, rows: readonly ApiAllocation[]): Promise<void> =>
  append(
    reader,
    'api_allocations',
    rows.map((row) => [
      `/allocation of ${day}`,
      day,
      row.name,
      row.cluster,
      row.namespace,
      row.controllerKind,
      row.controller,
      row.totalCost,
      row.sharedCost,
      row.externalCost,
    ]),
  );

export const appendAssets = (reader: Reader, day: Day, rows: readonly ApiAsset[]): Promise<void> =>
  append(
    reader,
    'api_assets',
    rows.map((row) => [
      `/assets of ${day}`,
      day,
      row.kind,
      row.cluster,
      row.providerId,
      row.project,
      row.totalCost,
    ]),
  );

async function append(
  reader: Reader,
  table: keyof typeof TABLES,
  rows: readonly (readonly (string | null)[])[],
): Promise<void> {
  if (rows.length === 0) return;
  await reader.append(
    table,
    TABLES[table].map((_, index) => rows.map((row) => row[index] ?? null)),
  );
}

/** Returns the last day that a source's current loads have delivered, or null if nothing was loaded. */
export async function lastDeliveredDay(
  session: Session,
  orgId: string,
  sourceId: string,
): Promise<Day | null> {
  const [row] = await session.query<{ day: Day | null }>(
    'SELECT max(delivered_through) AS day FROM current_loads WHERE org_id = $org AND source_id = $source',
    { org: orgId, source: sourceId },
  );
  return row?.day ?? null;
}
