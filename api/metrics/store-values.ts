import { PLATFORMS, type Platform } from '../../domain/imports/platforms.ts';
import type { ValueRules } from '../../domain/metrics/value-rules.ts';
import { firstDay, monthOf } from '../../domain/shared/calendar.ts';
import { conflict } from '../../domain/shared/errors.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import { recallPlatform } from '../../warehouse/imports/import-states.ts';
import { findImport } from '../../warehouse/imports/imports.ts';
import {
  removeValues,
  writeValues,
  type RoundedResult,
  type ValueRange,
} from '../../warehouse/metrics/metric-values.ts';
import { changeRevenue, removeRevenue } from '../../warehouse/metrics/revenue-changes.ts';
import type { RevenueVault } from '../../warehouse/metrics/revenue-vault.ts';
import type { Change, ChangeResult } from '../../warehouse/metrics/value-changes.ts';
import { writeCsv, writeRevenueCsv } from '../../warehouse/metrics/value-csv.ts';
import type { Caller } from '../access/authentication.ts';
import type { JudgedValues } from './value-items.ts';

/** A metric whose values a request changes. Revenue has a vault. */
interface Changed {
  metric: ValueRules & { id: string };
  vault: RevenueVault | undefined;
}

const connected = (platform: Platform): Error =>
  conflict(
    `the values of this metric are imported from ${PLATFORMS[platform].name}; disconnect the import to change them`,
  );

/** Throws a conflict for a metric with a daily import, whose values nothing else may change (docs/concepts.md#daily-imports). */
async function refuseConnected(warehouse: Warehouse, caller: Caller, metricId: string): Promise<void> {
  const platform = await recallPlatform(warehouse, caller, metricId);
  if (platform !== null) throw connected(platform);
}

/** Creates or replaces values of a count or of revenue, all or none. */
export async function storeValues(
  warehouse: Warehouse,
  caller: Caller,
  { metric, vault }: Changed,
  { values, rounded }: JudgedValues,
  change: Change,
): Promise<RoundedResult> {
  await refuseConnected(warehouse, caller, metric.id);
  const orgId = caller.organisation.id;
  if (vault === undefined)
    return { ...(await writeValues(warehouse, orgId, metric.id, values, change)), rounded };
  const revenue = new Map(values.map(({ period, value }) => [period, value]));
  const { removed: _, ...written } = await changeRevenue(
    warehouse,
    { orgId, metricId: metric.id, vault },
    revenue,
    change,
  );
  return { ...written, rounded };
}

/**
 * The same, from a CSV file. `signal` stops the upload. Beside some imports, a file may have values of the months
 * before the import's.
 */
export async function storeCsv(
  warehouse: Warehouse,
  caller: Caller,
  { metric, vault }: Changed,
  bytes: AsyncIterable<Buffer>,
  change: Change,
  signal: AbortSignal,
): Promise<RoundedResult> {
  const orgId = caller.organisation.id;
  const connection = await findImport(warehouse, orgId, metric.id);
  if (connection !== null && !PLATFORMS[connection.definition.type].takesOlderFiles)
    throw connected(connection.definition.type);
  const before = connection === null ? null : firstDay(monthOf(connection.first_day));
  const rules = { ...metric, before };
  return vault === undefined
    ? writeCsv(warehouse, orgId, rules, bytes, change, signal)
    : writeRevenueCsv(warehouse, { orgId, metricId: metric.id, vault }, rules, bytes, change, signal);
}

/** Removes the values of a range from a count or from revenue, all or none. */
export async function clearValues(
  warehouse: Warehouse,
  caller: Caller,
  { metric, vault }: Changed,
  range: ValueRange,
  change: Change,
): Promise<Pick<ChangeResult, 'removed' | 'months'>> {
  await refuseConnected(warehouse, caller, metric.id);
  const orgId = caller.organisation.id;
  return vault === undefined
    ? removeValues(warehouse, orgId, metric.id, range, change)
    : removeRevenue(warehouse, { orgId, metricId: metric.id, vault }, range, change);
}
