import type { DecimalText } from '../domain/decimals.ts';
import { DEFAULT_RISE_RULE, type RiseRule } from '../domain/daily-rise.ts';
import { conflict, invalid } from '../domain/errors.ts';
import type { Aggregation, Frequency } from '../domain/metric.ts';
import { metricOfSplit } from '../domain/shared-cost.ts';
import { shown } from '../domain/shown.ts';
import type { SpendPick } from '../domain/spend-pick.ts';
import { existingTeams } from './existing-teams.ts';
import { idAfter, newId } from './ids.ts';
import { instant } from './instant.ts';
import type { Session } from './session.ts';
import { listSharedCosts } from './shared-costs.ts';
import { spendChoicesOf, storePicks } from './spend-choices.ts';
import { valuesOf } from './value-changes.ts';
import type { Warehouse } from './warehouse.ts';

/** The spend that a metric divides (spec §1). */
export type Scope =
  { type: 'organisation' } | { type: 'team'; team_id: string } | { type: 'spend'; spend: SpendPick[] };

/** A business metric: what spend is divided by (spec §2). */
export interface Metric {
  id: string;
  name: string;
  unit: string;
  kind: 'count';
  aggregation: Aggregation;
  frequency: Frequency;
  scope: Scope;
  target: DecimalText | null;
  label_key: string | null;
  /** What counts as a rise of a daily metric; null is none. */
  rise: RiseRule | null;
  created_at: string;
}

type Row = Omit<Metric, 'scope' | 'rise'> & { scope: string; rise: string | null };

const COLUMNS =
  'metric_id AS id, name, unit, kind, aggregation, frequency, scope, target, label_key, rise, created_at';

/** What counts as a rise where nobody has said: metrics from before it could be said have nothing stored. */
export const defaultRise = ({ frequency }: Pick<Metric, 'frequency'>): Metric['rise'] =>
  frequency === 'daily' ? DEFAULT_RISE_RULE : null;

const toMetric = (row: Row): Metric => ({
  ...row,
  scope: JSON.parse(row.scope) as Metric['scope'],
  rise: row.rise === null ? defaultRise(row) : (JSON.parse(row.rise) as Metric['rise']),
  created_at: instant(row.created_at),
});

/** Stores a new metric and answers it with its id. Throws `invalid` for the scope of a team that does not exist. */
export const createMetric = async (
  warehouse: Warehouse,
  orgId: string,
  metric: Omit<Metric, 'id' | 'created_at'>,
  by: { keyId: string; now: Date },
): Promise<Metric> => {
  const created = { id: newId('met'), ...metric, created_at: by.now.toISOString() };
  const picking = { newest: null, deleted: false, ...by };
  await warehouse.exclusive(spendChoicesOf(orgId), () =>
    warehouse.transaction(async (session) => {
      await checkTeam(session, orgId, created.scope);
      await storeVersion(session, orgId, created, picking);
    }),
  );
  return created;
};

const checkTeam = async (session: Session, orgId: string, scope: Scope): Promise<void> => {
  if (scope.type !== 'team') return;
  const teams = await existingTeams(session, orgId, [scope.team_id]);
  if (!teams.has(scope.team_id))
    throw invalid(`scope.team_id: expected a team of this organisation, got ${shown(scope.team_id)}`);
};

/** The organisation's metric, or null when it has no such one. */
export const findMetric = async (
  warehouse: Warehouse,
  orgId: string,
  metricId: string,
): Promise<Metric | null> => {
  const [row] = await warehouse.query<Row>(
    `SELECT ${COLUMNS} FROM metrics WHERE org_id = $org AND metric_id = $metric`,
    { org: orgId, metric: metricId },
  );
  return row === undefined ? null : toMetric(row);
};

/** The metrics after `cursor`, oldest first. */
export const listMetrics = async (
  warehouse: Warehouse,
  orgId: string,
  page: { limit: number; cursor: string | null },
): Promise<Metric[]> => {
  const rows = await warehouse.query<Row>(
    `SELECT ${COLUMNS} FROM metrics WHERE org_id = $org AND metric_id > coalesce($cursor, '')
     ORDER BY metric_id LIMIT $limit`,
    { org: orgId, ...page },
  );
  return rows.map(toMetric);
};

/** All count metrics of an organisation, oldest first: those that events are told of (spec §6 rule 1). */
export const listCountMetrics = async (session: Session, orgId: string): Promise<Metric[]> => {
  const rows = await session.query<Row>(
    `SELECT ${COLUMNS} FROM metrics WHERE org_id = $org AND kind = 'count' ORDER BY metric_id`,
    { org: orgId },
  );
  return rows.map(toMetric);
};

/**
 * Changes or deletes a metric; answers what it now is (or last was), or null when there is none. Throws a conflict for
 * another label key while the metric has values (spec §2, Business metric), and for deleting it, or its labels, while a
 * shared cost is split by it.
 */
export const updateMetric = (
  warehouse: Warehouse,
  orgId: string,
  metricId: string,
  changes: Partial<Pick<Metric, 'name' | 'unit' | 'target' | 'label_key' | 'rise' | 'scope'>> | 'delete',
  by: { keyId: string; now: Date },
): Promise<Metric | null> =>
  warehouse.exclusive(spendChoicesOf(orgId), () =>
    changingValuesOf(warehouse, metricId, async (session) => {
      const [row] = await session.query<Row & { version_id: string }>(
        `SELECT ${COLUMNS}, version_id FROM metrics WHERE org_id = $org AND metric_id = $metric`,
        { org: orgId, metric: metricId },
      );
      if (row === undefined) return null;
      const { version_id, ...current } = row;
      const deleted = changes === 'delete';
      const metric = deleted ? toMetric(current) : { ...toMetric(current), ...changes };
      if (deleted || metric.label_key === null) await refuseWhileSplitting(session, orgId, metric);
      if (metric.label_key !== current.label_key) await refuseWithValues(session, orgId, metric);
      await storeVersion(session, orgId, metric, { newest: version_id, deleted, ...by });
      return metric;
    }),
  );

/** Values that come in meanwhile would be by the old label key. */
const changingValuesOf = <Result>(
  warehouse: Warehouse,
  metricId: string,
  work: (session: Session) => Promise<Result>,
): Promise<Result> => warehouse.exclusive(valuesOf(metricId), () => warehouse.transaction(work));

const refuseWhileSplitting = async (session: Session, orgId: string, { id }: Metric): Promise<void> => {
  const split = (await listSharedCosts(session, orgId)).filter((cost) => metricOfSplit(cost.split) === id);
  if (split.length > 0) {
    const names = split.map(({ name }) => `shared cost ${JSON.stringify(name)}`).join(', ');
    throw conflict(`the metric and its labels are needed to split ${names}; change or delete that first`);
  }
};

const refuseWithValues = async (
  session: Session,
  orgId: string,
  { id, label_key }: Metric,
): Promise<void> => {
  const [found] = await session.query<{ count: string }>(
    'SELECT count(*) AS count FROM metric_values WHERE org_id = $org AND metric_id = $metric',
    { org: orgId, metric: id },
  );
  if (found?.count !== '0') {
    throw conflict(
      `label_key: expected it unchanged while the metric has values (${found?.count ?? ''}), got ${shown(label_key)}: remove them first`,
    );
  }
};

/** Stores what a metric now is, with the tag keys and splits its picks need; those that nothing uses any more go. */
const storeVersion = async (
  session: Session,
  orgId: string,
  metric: Metric,
  version: { newest: string | null; deleted: boolean; keyId: string; now: Date },
): Promise<void> => {
  const picks = metric.scope.type === 'spend' && !version.deleted ? metric.scope.spend : [];
  const user = { type: 'metric', id: metric.id } as const;
  await storePicks(session, orgId, user, picks, version.now, () =>
    insertVersion(session, orgId, metric, version),
  );
};

const insertVersion = (
  session: Session,
  orgId: string,
  metric: Metric,
  version: { newest: string | null; deleted: boolean; keyId: string; now: Date },
) =>
  session.run(
    `INSERT INTO metric_versions BY NAME
      SELECT $org AS org_id, $id AS metric_id, $version::UUID AS version_id, $name AS name, $unit AS unit,
        $kind AS kind, $aggregation AS aggregation, $frequency AS frequency, $scope::JSON AS scope,
        $target::DECIMAL(38,10) AS target, $label_key AS label_key, $rise::JSON AS rise, $created_at::TIMESTAMP AS created_at,
        $deleted::BOOLEAN AS deleted, $now::TIMESTAMP AS changed_at, $key AS changed_by`,
    {
      org: orgId,
      ...metric,
      scope: JSON.stringify(metric.scope),
      rise: JSON.stringify(metric.rise),
      version: idAfter(version.newest),
      deleted: version.deleted,
      now: version.now.toISOString(),
      key: version.keyId,
    },
  );
