import { PLATFORMS, type Platform } from '../../domain/imports/platforms.ts';
import type { ValueRules } from '../../domain/metrics/value-rules.ts';
import { firstDay, monthOf } from '../../domain/shared/calendar.ts';
import { conflict } from '../../domain/shared/errors.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import { cachedPlatform } from '../../warehouse/imports/import-states.ts';
import { findImport } from '../../warehouse/imports/imports.ts';
import { csvStream, RecordValidator } from '../../warehouse/metrics/csv/csv-values.ts';
import type { RevenueVault } from '../../warehouse/metrics/revenue-vault.ts';
import type { Change, ChangeResult, ValuesOf } from '../../warehouse/metrics/value-changes.ts';
import {
  commitsTogether,
  removeValues,
  writeValues,
  type ValueRange,
  type WriteResult,
} from '../../warehouse/metrics/write-values.ts';
import type { Caller } from '../access/authentication.ts';
import type { ValidValues } from './value-items.ts';

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
  const platform = await cachedPlatform(warehouse, caller, metricId);
  if (platform !== null) throw connected(platform);
}

const valuesOf = (caller: Caller, { metric, vault }: Changed): ValuesOf => ({
  orgId: caller.organisation.id,
  metricId: metric.id,
  vault,
});

/** The result of a write. `rounded` counts the values that had more than ten decimals. */
type RoundedResult = WriteResult & { rounded: number };

/**
 * Creates or replaces values, all or none.
 *
 * @param awaitCommit is called before a write that only waits to be committed with others.
 */
export async function storeValues(
  warehouse: Warehouse,
  caller: Caller,
  changed: Changed,
  { values, rounded }: ValidValues,
  change: Change,
  awaitCommit: () => Promise<void>,
): Promise<RoundedResult> {
  await refuseConnected(warehouse, caller, changed.metric.id);
  const of = valuesOf(caller, changed);
  if (commitsTogether(of, values)) await awaitCommit();
  return { ...(await writeValues(warehouse, of, values, change)), rounded };
}

/**
 * Creates or replaces values from a CSV file, all or none. `signal` stops the upload. Beside some imports, a file may have values
 * of the months before the import's.
 */
export async function storeCsv(
  warehouse: Warehouse,
  caller: Caller,
  changed: Changed,
  bytes: AsyncIterable<Buffer>,
  change: Change,
  signal: AbortSignal,
): Promise<RoundedResult> {
  const { metric } = changed;
  const connection = await findImport(warehouse, caller.organisation.id, metric.id);
  if (connection !== null && !PLATFORMS[connection.definition.type].takesOlderFiles)
    throw connected(connection.definition.type);
  const before = connection === null ? null : firstDay(monthOf(connection.first_day));
  const validator = new RecordValidator({ ...metric, before }, change.now);
  const of = valuesOf(caller, changed);
  const written = await writeValues(warehouse, of, csvStream(validator, bytes), change, { signal });
  return { ...written, rounded: validator.rounded };
}

/** Removes the values of a range, all or none. */
export async function clearValues(
  warehouse: Warehouse,
  caller: Caller,
  changed: Changed,
  range: ValueRange,
  change: Change,
): Promise<Pick<ChangeResult, 'removed' | 'months'>> {
  await refuseConnected(warehouse, caller, changed.metric.id);
  return removeValues(warehouse, valuesOf(caller, changed), range, change);
}
