import { idAfter, newId } from './ids.ts';
import type { Session } from './session.ts';
import type { Warehouse } from './warehouse.ts';

/** Where an organisation's spend comes from (contract §3, Cost source). */
export interface CostSource {
  id: string;
  name: string;
  kind: 'focus';
  location: string;
  currency: string | null;
  options: FocusOptions;
  schedule_paused: boolean;
}

/** Which FOCUS column is the cost: amortised by default, invoiced by option. */
export interface FocusOptions {
  cost_column: 'EffectiveCost' | 'BilledCost';
}

const COLUMNS = 'source_id AS id, name, kind, location, currency, options, schedule_paused';

type Row = Omit<CostSource, 'options'> & { options: string };
const toSource = ({ options, ...row }: Row): CostSource => ({
  ...row,
  options: JSON.parse(options) as FocusOptions,
});

/** A new cost source's id. */
export const newCostSourceId = (): string => newId('src');

/** Stores a new cost source and answers it. */
export const createCostSource = async (
  warehouse: Warehouse,
  orgId: string,
  source: Omit<CostSource, 'id'>,
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
  changes: Partial<Omit<CostSource, 'id' | 'kind'>> | 'delete',
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
      const source = deleted ? toSource(current) : { ...toSource(current), ...changes };
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
