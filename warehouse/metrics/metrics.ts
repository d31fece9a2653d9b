import type { DecimalText } from '../../domain/shared/decimals.ts';
import { DEFAULT_RISE_RULE, type RiseRule } from '../../domain/events/daily-rise.ts';
import { conflict, invalid } from '../../domain/shared/errors.ts';
import type { Aggregation, Frequency, MetricKind } from '../../domain/metrics/metric.ts';
import { metricOfSplit } from '../../domain/teams/shared-cost.ts';
import { forMessage } from '../../domain/shared/text/for-message.ts';
import type { SpendPick } from '../../domain/spend/spend-pick.ts';
import { newId } from '../engine/sql/ids.ts';
import type { Session } from '../engine/session.ts';
import { SHARED_COSTS } from '../teams/shared-costs.ts';
import { TEAMS } from '../teams/teams.ts';
import { spendChoicesLock, storePicks } from '../spend/picks/spend-choices.ts';
import { valuesLock } from './value-changes.ts';
import { Versions, type By, type NextVersion } from '../engine/records/versioned-records.ts';
import type { Derived } from '../engine/cache/derived-cache.ts';
import { ofMetric, type Revisions } from '../engine/cache/revisions.ts';
import type { Warehouse } from '../engine/warehouse.ts';

/** The spend that a metric divides (docs/concepts.md#scopes-and-picks). */
type Scope =
  { type: 'organisation' } | { type: 'team'; team_id: string } | { type: 'spend'; spend: SpendPick[] };

/** A business metric: what spend is divided by (docs/http.md#define-a-metric). */
export interface Metric {
  id: string;
  name: string;
  unit: string;
  kind: MetricKind;
  aggregation: Aggregation;
  frequency: Frequency;
  scope: Scope;
  target: DecimalText | null;
  label_key: string | null;
  /** The currency of revenue, which is the organisation's; null for counts. */
  currency: string | null;
  /** Whether the assistant may read revenue when an admin asks (docs/http.md#manage-keys). */
  assistant_access: boolean;
  /** The rule for a rise of a daily metric; null turns it off. */
  rise: RiseRule | null;
  created_at: string;
}

/** The rule for a rise of a new metric that names none. Revenue never has one. */
export const defaultRise = ({ kind, frequency }: Pick<Metric, 'kind' | 'frequency'>): Metric['rise'] =>
  kind === 'count' && frequency === 'daily' ? DEFAULT_RISE_RULE : null;

/**
 * The metrics of organisations. A creation throws `invalid` for the scope of an unknown team. A change throws a conflict for another
 * label key while the metric has values (docs/http.md#define-a-metric). While a shared cost is split by the metric, it also throws
 * a conflict for the deletion of the metric or its labels.
 */
export const METRICS = new Versions<Metric>({
  name: 'metric',
  view: 'metrics',
  idColumn: 'metric_id',
  columns: {
    name: 'VARCHAR',
    unit: 'VARCHAR',
    kind: 'VARCHAR',
    aggregation: 'VARCHAR',
    frequency: 'VARCHAR',
    scope: 'JSON',
    target: 'DECIMAL(38,10)',
    label_key: 'VARCHAR',
    currency: 'VARCHAR',
    assistant_access: 'BOOLEAN',
    rise: 'JSON',
    created_at: 'TIMESTAMP',
  },
  // Values that arrive while the label key changes would have the old one.
  locks: (orgId, id) => [spendChoicesLock(orgId), valuesLock(id)],
  around: storeWithScope,
});

/** Stores a new metric and returns it with its id. */
export const createMetric = (
  warehouse: Warehouse,
  orgId: string,
  metric: Omit<Metric, 'id' | 'created_at'>,
  by: By,
): Promise<Metric> =>
  METRICS.create(warehouse, orgId, { id: newId('met'), ...metric, created_at: by.now.toISOString() }, by);

async function checkTeam(session: Session, orgId: string, scope: Scope): Promise<void> {
  if (scope.type !== 'team') return;
  if ((await TEAMS.find(session, orgId, scope.team_id)) === null)
    throw invalid(`scope.team_id: expected a team of this organisation, got ${forMessage(scope.team_id)}`);
}

/** Returns a function that finds a metric in the cache, or in the warehouse if the metric has changed. */
export const cachedMetric =
  (revisions: Revisions) =>
  async (warehouse: Warehouse, orgId: string, metricId: string): Promise<Metric | null> => {
    const place = new Map([[metricId, ofMetric(metricId, ['metric_versions'])]]);
    const found = await warehouse.cache.cachedEach(revisions, METRIC, orgId, place, async () => {
      return new Map([[metricId, await METRICS.find(warehouse, orgId, metricId)]]);
    });
    return found.get(metricId) ?? null;
  };

const METRIC: Derived<Metric | null> = {
  name: 'metric',
  from: [],
  bytesOf: (metric) => JSON.stringify(metric).length,
};

/** Returns all metrics, oldest first, as they were remembered. */
export const cachedMetrics = (revisions: Revisions, warehouse: Warehouse, orgId: string): Promise<Metric[]> =>
  warehouse.cache.cached(revisions, ALL_METRICS, orgId, 'all', () => METRICS.list(warehouse, orgId));

const ALL_METRICS: Derived<Metric[]> = {
  name: 'metrics',
  from: ['metric_versions'],
  bytesOf: (metrics) => JSON.stringify(metrics).length,
};

/** Changes what can change of a metric, or deletes it. Returns its new state (or its last), or null if there is no such metric. */
export const updateMetric = (
  warehouse: Warehouse,
  orgId: string,
  metricId: string,
  changes:
    | Partial<Pick<Metric, 'name' | 'unit' | 'target' | 'label_key' | 'assistant_access' | 'rise' | 'scope'>>
    | 'delete',
  by: By,
): Promise<Metric | null> => METRICS.change(warehouse, orgId, metricId, changes, by);

/** Stores the state of a metric, with the tag keys and splits that its picks need. Releases those that nothing uses. */
async function storeWithScope(
  session: Session,
  orgId: string,
  { thing, before, deleted, now }: NextVersion<Metric>,
  store: () => Promise<void>,
): Promise<void> {
  if (before === null) await checkTeam(session, orgId, thing.scope);
  else {
    if (deleted || thing.label_key === null) await refuseWhileSplitting(session, orgId, thing);
    if (thing.label_key !== before.label_key) await refuseWithValues(session, orgId, thing);
  }
  const picks = { before: picksOf(before), picks: deleted ? [] : picksOf(thing) };
  await storePicks(session, orgId, { type: 'metric', id: thing.id }, picks, now, store);
}

const picksOf = (metric: Metric | null): readonly SpendPick[] =>
  metric?.scope.type === 'spend' ? metric.scope.spend : [];

async function refuseWhileSplitting(session: Session, orgId: string, { id }: Metric): Promise<void> {
  const split = (await SHARED_COSTS.list(session, orgId)).filter((cost) => metricOfSplit(cost.split) === id);
  if (split.length > 0) {
    const names = split.map(({ name }) => `shared cost ${JSON.stringify(name)}`).join(', ');
    throw conflict(`the metric and its labels are needed to split ${names}; change or delete that first`);
  }
}

async function refuseWithValues(session: Session, orgId: string, { id, label_key }: Metric): Promise<void> {
  const [found] = await session.query<{ count: string }>(
    'SELECT count(*) AS count FROM metric_values WHERE org_id = $org AND metric_id = $metric',
    { org: orgId, metric: id },
  );
  if (found?.count !== '0') {
    throw conflict(
      `label_key: expected it unchanged while the metric has values (${found?.count ?? ''}), got ${forMessage(label_key)}: remove them first`,
    );
  }
}
