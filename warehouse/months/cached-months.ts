import type { Day } from '../../domain/shared/calendar.ts';
import type { Derived, OrganisationCache } from '../engine/cache/derived-cache.ts';
import { ALL_SHOWN, ofMetric, type Part } from '../engine/cache/revisions.ts';
import type { Metric } from '../metrics/metrics.ts';
import { IMPORT_TABLES } from '../sources/value-imports.ts';

/** What the months of all metrics are made of. The stored costs of scopes change only with a computation. */
const SHARED: readonly Part[] = [
  'organisation_versions',
  'cost_source_versions',
  'loads',
  'month_computations',
  'settled_months',
  'spend_choice_versions',
  'unit_decisions',
  'accepted_units',
];

/** Returns what else the months of a metric are made of. A team's bill depends on almost everything. */
const ownParts = ({ id, scope }: Metric): readonly Part[] =>
  scope.type === 'team'
    ? [ALL_SHOWN]
    : ofMetric(id, ['metric_versions', 'metric_value_changes', 'month_locks', ...IMPORT_TABLES]);

/**
 * Returns what is derived from the months and days of each metric, by metric id, as seen on a day. `make` derives it for those
 * metrics of which anything has changed since.
 */
export function cachedMonths<Value>(
  cache: OrganisationCache,
  { name, bytesOf }: Omit<Derived<Value>, 'from'>,
  metrics: readonly Metric[],
  today: Day,
  make: (changed: readonly Metric[]) => Promise<ReadonlyMap<string, Value>>,
): Promise<ReadonlyMap<string, Value>> {
  const byId = new Map(metrics.map((metric) => [metric.id, metric]));
  const parts = new Map(metrics.map((metric) => [metric.id, ownParts(metric)]));
  return cache.each({ name: `${name} ${today}`, from: SHARED, bytesOf }, parts, (changed) =>
    make(changed.flatMap((id) => byId.get(id) ?? [])),
  );
}
