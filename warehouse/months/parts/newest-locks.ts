import { monthOf, type Day, type Month } from '../../../domain/shared/calendar.ts';
import type { MonthLock } from '../../../domain/months/month-facts.ts';
import { decidedBy } from '../../../domain/organisations/actor.ts';
import type { DecimalText } from '../../../domain/shared/decimals.ts';
import { instant } from '../../engine/sql/instant.ts';
import type { Queries } from '../../engine/session.ts';
import type { Derived, OrganisationCache } from '../../engine/cache/derived-cache.ts';
import type { RevenueVault } from '../../metrics/revenue-vault.ts';

/** The newest lock of a month as it is stored. The numbers of revenue are sealed. */
interface StoredLock {
  metric_id: string;
  month: Day;
  lock_id: string;
  version: string;
  sealed_numbers: string | null;
  cost: DecimalText | null;
  value: DecimalText | null;
  unit_cost: DecimalText | null;
  value_changes: string;
  is_incomplete: boolean;
  locked_at: string;
  locked_by_id: string;
  locked_by_name: string;
}

type Locks = ReadonlyMap<Month, StoredLock>;

const LOCKS: Derived<Locks> = {
  name: 'locks of a metric',
  from: [],
  bytesOf: (locks) => locks.size * 600,
};

/** Returns the newest locks of metrics, by metric id and month. */
export async function newestLocks(
  session: Queries,
  cache: OrganisationCache,
  orgId: string,
  metricIds: readonly string[],
): Promise<ReadonlyMap<string, Locks>> {
  const parts = new Map(metricIds.map((metric) => [metric, [{ table: 'month_locks', metric }]]));
  return cache.each(LOCKS, parts, async (metrics) => {
    const found = new Map(metrics.map((id) => [id, new Map<Month, StoredLock>()]));
    for (const lock of await session.query<StoredLock>(NEWEST_LOCKS, { org: orgId, metrics }))
      found.get(lock.metric_id)?.set(monthOf(lock.month), lock);
    return found;
  });
}

const NEWEST_LOCKS = `
SELECT metric_id, month, lock_id, version, sealed_numbers, cost, value, unit_cost_text AS unit_cost, value_changes,
  missing IS NOT NULL AS is_incomplete, locked_at, locked_by_id, locked_by_name
FROM month_versions WHERE org_id = $org AND list_contains($metrics, metric_id)
QUALIFY row_number() OVER (PARTITION BY metric_id, month ORDER BY version DESC) = 1`;

/** The numbers of a lock that cannot be opened. */
export const NO_NUMBERS = { cost: null, value: null, unit_cost: null };

/**
 * Returns a lock with its numbers. Those of revenue need its vault; without it there is no lock to show. If the vault cannot open
 * them, the lock has none.
 */
export function openedLock(lock: StoredLock | undefined, vault: RevenueVault | undefined): MonthLock | null {
  if (lock === undefined) return null;
  const { metric_id, month, lock_id, sealed_numbers } = lock;
  if (sealed_numbers !== null && vault === undefined) return null;
  const { cost, value, unit_cost } =
    sealed_numbers === null || vault === undefined
      ? lock
      : (vault.openLock({ metric_id, month, lock_id }, sealed_numbers) ?? NO_NUMBERS);
  return {
    version: Number(lock.version),
    cost,
    value,
    unitCost: unit_cost,
    lockedAt: instant(lock.locked_at),
    lockedBy: decidedBy(lock.locked_by_id, lock.locked_by_name),
    valueChanges: Number(lock.value_changes),
    isIncomplete: lock.is_incomplete,
  };
}
