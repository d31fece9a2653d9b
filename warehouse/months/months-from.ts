import type { Metric } from '../metrics/metrics.ts';
import { ALL_SHOWN, type Part } from '../engine/states/states.ts';

/** What the months and days of all metrics are made of. Costs of scopes and days are stored with their computation. */
export const MONTHS_FROM: readonly Part[] = [
  'organisation_versions',
  'cost_source_versions',
  'loads',
  'month_computations',
  'settled_months',
  'spend_choice_versions',
];

/** Returns what else the months and days of a metric are made of. A team's bill depends on almost everything. */
export const monthsFrom = ({ id: metric, scope }: Metric): Part[] =>
  scope.type === 'team'
    ? [ALL_SHOWN]
    : ['metric_versions', 'metric_value_changes', 'month_locks'].map((table) => ({ table, metric }));
