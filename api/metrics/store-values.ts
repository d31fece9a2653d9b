import type { ValueRules } from '../../domain/metrics/value-rules.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import {
  removeValues,
  writeValues,
  type NewValue,
  type ValueRange,
  type WriteResult,
} from '../../warehouse/metrics/metric-values.ts';
import { changeRevenue, removeRevenue } from '../../warehouse/metrics/revenue-changes.ts';
import type { RevenueVault } from '../../warehouse/metrics/revenue-vault.ts';
import type { Change, ChangeResult } from '../../warehouse/metrics/value-changes.ts';
import { writeCsv, writeRevenueCsv } from '../../warehouse/metrics/value-csv.ts';

/** A metric whose values a request changes. Revenue has a vault. */
interface Changed {
  metric: ValueRules & { id: string };
  vault: RevenueVault | undefined;
}

/** Creates or replaces values of a count or of revenue, all or none. */
export const storeValues = async (
  warehouse: Warehouse,
  orgId: string,
  { metric, vault }: Changed,
  values: readonly NewValue[],
  change: Change,
): Promise<WriteResult> => {
  if (vault === undefined) return writeValues(warehouse, orgId, metric.id, values, change);
  const revenue = new Map(values.map(({ period, value }) => [period, value]));
  const { removed: _, ...written } = await changeRevenue(
    warehouse,
    { orgId, metricId: metric.id, vault },
    revenue,
    change,
  );
  return written;
};

/** The same, from a CSV file. `signal` stops the upload. */
export const storeCsv = (
  warehouse: Warehouse,
  orgId: string,
  { metric, vault }: Changed,
  bytes: AsyncIterable<Buffer>,
  change: Change,
  signal: AbortSignal,
): Promise<WriteResult> =>
  vault === undefined
    ? writeCsv(warehouse, orgId, metric, bytes, change, signal)
    : writeRevenueCsv(warehouse, { orgId, metricId: metric.id, vault }, metric, bytes, change, signal);

/** Removes the values of a range from a count or from revenue, all or none. */
export const clearValues = (
  warehouse: Warehouse,
  orgId: string,
  { metric, vault }: Changed,
  range: ValueRange,
  change: Change,
): Promise<Pick<ChangeResult, 'removed' | 'months'>> =>
  vault === undefined
    ? removeValues(warehouse, orgId, metric.id, range, change)
    : removeRevenue(warehouse, { orgId, metricId: metric.id, vault }, range, change);
