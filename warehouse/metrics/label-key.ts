import { conflict } from '../../domain/shared/errors.ts';
import type { Revisions } from '../engine/cache/revisions.ts';
import type { Warehouse } from '../engine/warehouse.ts';
import { cachedMetric } from './metrics.ts';
import type { ValuesOf } from './value-changes.ts';

/**
 * Whether a metric has a label key, so that its values have labels. It stays so while the caller holds the lock of the values,
 * because a change of the metric needs that lock.
 *
 * @param revisions begins after the caller got the lock.
 */
export async function hasLabels(
  warehouse: Warehouse,
  revisions: Revisions,
  { orgId, metricId }: Pick<ValuesOf, 'orgId' | 'metricId'>,
): Promise<boolean> {
  const metric = await cachedMetric(revisions)(warehouse, orgId, metricId);
  return metric !== null && metric.label_key !== null;
}

/** Throws a conflict unless values fit the metric: its label key may have changed since they were checked. */
export function requireFit(fits: boolean): void {
  if (!fits) throw conflict('the label key of the metric was changed meanwhile: send it again');
}
