import type { Day } from '../../domain/shared/calendar.ts';
import { audit } from '../engine/records/audit-log.ts';
import type { Session } from '../engine/session.ts';
import type { Warehouse } from '../engine/warehouse.ts';
import { storeGiven, type ValuesOf } from './given-values.ts';
import type { ValueRange } from './metric-values.ts';
import type { RevenueVault } from './revenue-vault.ts';
import { valuesLock, type Change, type ChangeResult } from './value-changes.ts';

/** A metric whose revenue is changed. */
export type RevenueOf = Required<ValuesOf> & { vault: RevenueVault };

/** The revenue to store by period, or null to remove it. */
type NewRevenue = ReadonlyMap<Day, number | string | null>;

/**
 * Creates, replaces or removes revenue, all or none, as `changeValues` does for counts. The stored revenue is opened and
 * compared in memory, so that no statement ever holds a number (docs/concepts.md#revenue-and-who-sees-it). Revenue has no labels
 * and splits no bill. The audit log records which months changed. `signal` stops the change before it is stored. `values` can be
 * a function that completes them, or refuses the change, under the lock.
 */
export const changeRevenue = (
  warehouse: Warehouse,
  of: RevenueOf,
  values: NewRevenue | ((session: Session) => Promise<NewRevenue>),
  change: Change,
  signal?: AbortSignal,
): Promise<ChangeResult> =>
  warehouse.decide([valuesLock(of.metricId)], async (session) => {
    const completed = typeof values === 'function' ? await values(session) : values;
    return storeRevenue(session, of, completed, change, signal);
  });

/** Removes the revenue of a range of periods, all or none, as `removeValues` does for counts. */
export const removeRevenue = (
  warehouse: Warehouse,
  of: RevenueOf,
  { start, end }: Pick<ValueRange, 'start' | 'end'>,
  change: Change,
): Promise<Pick<ChangeResult, 'removed' | 'months'>> =>
  warehouse.decide([valuesLock(of.metricId)], async (session) => {
    const rows = await session.query<{ period: Day }>(
      `SELECT period FROM metric_values WHERE org_id = $org AND metric_id = $metric
         AND period BETWEEN COALESCE($start::DATE, DATE '0001-01-01') AND COALESCE($end::DATE, DATE '9999-12-31')`,
      { org: of.orgId, metric: of.metricId, start, end },
    );
    const values = new Map(rows.map(({ period }) => [period, null]));
    const { removed, months } = await storeRevenue(session, of, values, change);
    return { removed, months };
  });

async function storeRevenue(
  session: Session,
  of: RevenueOf,
  revenue: NewRevenue,
  change: Change,
  signal?: AbortSignal,
): Promise<ChangeResult> {
  const values = [...revenue].map(([period, value]) => ({ period, label: '', value }));
  const result = await storeGiven(session, of, values, change, signal);
  const { unchanged: _, months, ...counts } = result;
  const recorded = { actor: change.by, action: 'values.change' as const, target: of.metricId };
  const detail = { source: change.source, ...counts, months };
  if (months.length > 0) await audit(session, of.orgId, { ...recorded, detail }, change.now);
  return result;
}
