import { idAfter, newId } from './ids.ts';
import type { Session } from './session.ts';
import type { Warehouse } from './warehouse.ts';

interface SourceBase {
  id: string;
  name: string;
  /** What it is read from: files, or for `opencost` also the base URL of an API. */
  location: string;
  currency: string | null;
  schedule_paused: boolean;
}

/** Which FOCUS column is the cost: amortised by default, invoiced by option. */
export interface FocusOptions {
  cost_column: 'EffectiveCost' | 'BilledCost';
}

/** The cluster of rows that name none, and where the cluster's assets are read from if not from its API. */
export interface OpenCostOptions {
  cluster?: string | undefined;
  assets_location?: string | undefined;
}

/** Where the usage by repository is read from; `location` is the spend. */
export interface AiToolsOptions {
  usage_location: string;
}

/** A source's kind and the options that go with it (contract §3, Cost source). */
export type SourceKind =
  | { kind: 'focus'; options: FocusOptions }
  | { kind: 'opencost'; options: OpenCostOptions }
  | { kind: 'hosts'; options: Record<string, never> }
  | { kind: 'ai_tools'; options: AiToolsOptions };

/** Where an organisation's spend comes from (contract §3, Cost source). */
export type CostSource = SourceBase & SourceKind;

/** A cost source of one kind. */
export type CostSourceOf<Kind extends CostSource['kind']> = Extract<CostSource, { kind: Kind }>;

/** A cost source that has no id yet. */
export type NewCostSource = Omit<SourceBase, 'id'> & SourceKind;

/** What can change about a cost source; options are those of its kind. */
export type CostSourceChanges = Partial<Omit<SourceBase, 'id'>> & { options?: SourceKind['options'] };

const COLUMNS = 'source_id AS id, name, kind, location, currency, options, schedule_paused';

type Row = SourceBase & { kind: CostSource['kind']; options: string };

// The API lets only options in that go with the kind; a source made before an option existed has its default.
const toSource = ({ options, ...row }: Row): CostSource => {
  const stored = JSON.parse(options) as SourceKind['options'];
  const complete = row.kind === 'focus' ? { cost_column: 'EffectiveCost', ...stored } : stored;
  return { ...row, options: complete } as CostSource;
};

/** A new cost source's id. */
export const newCostSourceId = (): string => newId('src');

/** Stores a new cost source and answers it. */
export const createCostSource = async (
  warehouse: Warehouse,
  orgId: string,
  source: NewCostSource,
  now: Date,
  id: string = newCostSourceId(),
): Promise<CostSource> => {
  const created = { id, ...source };
  await warehouse.session((session) =>
    insertVersion(session, orgId, created, { newest: null, deleted: false, now }),
  );
  return created;
};

/** The organisation's cost source, or null when it has no such one. */
export const findCostSource = async (
  warehouse: Warehouse,
  orgId: string,
  sourceId: string,
): Promise<CostSource | null> => {
  const [row] = await warehouse.query<Row>(
    `SELECT ${COLUMNS} FROM cost_sources WHERE org_id = $org AND source_id = $source`,
    { org: orgId, source: sourceId },
  );
  return row === undefined ? null : toSource(row);
};

/** The cost sources after `cursor`, oldest first. */
export const listCostSources = async (
  warehouse: Warehouse,
  orgId: string,
  page: { limit: number; cursor: string | null },
): Promise<CostSource[]> => {
  const rows = await warehouse.query<Row>(
    `SELECT ${COLUMNS} FROM cost_sources WHERE org_id = $org AND source_id > coalesce($cursor, '')
     ORDER BY source_id LIMIT $limit`,
    { org: orgId, ...page },
  );
  return rows.map(toSource);
};

/**
 * Changes or deletes a cost source; answers what it was and is, or null when there is none. The spend of a
 * deleted source no longer counts, except in locked months.
 */
export const updateCostSource = (
  warehouse: Warehouse,
  orgId: string,
  sourceId: string,
  changes: CostSourceChanges | 'delete',
  now: Date,
): Promise<CostSource | null> =>
  warehouse.exclusive(`source ${sourceId}`, () =>
    warehouse.transaction(async (session) => {
      const [row] = await session.query<Row & { version_id: string }>(
        `SELECT ${COLUMNS}, version_id FROM cost_sources WHERE org_id = $org AND source_id = $source`,
        { org: orgId, source: sourceId },
      );
      if (row === undefined) return null;
      const { version_id, ...current } = row;
      const deleted = changes === 'delete';
      const source = deleted ? toSource(current) : ({ ...toSource(current), ...changes } as CostSource);
      await insertVersion(session, orgId, source, { newest: version_id, deleted, now });
      return source;
    }),
  );

const insertVersion = (
  session: Session,
  orgId: string,
  source: CostSource,
  version: { newest: string | null; deleted: boolean; now: Date },
) =>
  session.run(
    `INSERT INTO cost_source_versions BY NAME
      SELECT $org AS org_id, $id AS source_id, $version::UUID AS version_id, $name AS name, $kind AS kind,
        $location AS location, $currency AS currency, $options::JSON AS options,
        $schedule_paused::BOOLEAN AS schedule_paused, $deleted::BOOLEAN AS deleted, $now::TIMESTAMP AS changed_at`,
    {
      org: orgId,
      ...source,
      options: JSON.stringify(source.options),
      version: idAfter(version.newest),
      deleted: version.deleted,
      now: version.now.toISOString(),
    },
  );
