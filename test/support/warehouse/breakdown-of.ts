import type { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { computeSpend } from '../../../warehouse/spend/compute-spend.ts';
import {
  costBreakdown,
  type BreakdownKey,
  type BreakdownRow,
} from '../../../warehouse/spend/cost-breakdown.ts';

/** Computes the stale months, and returns the spend by one or two keys. */
export async function breakdownOf(
  warehouse: Warehouse,
  orgId: string,
  keys: readonly BreakdownKey[],
  range: Parameters<typeof costBreakdown>[3],
  now: Date,
): Promise<BreakdownRow[]> {
  const { on } = await computeSpend(warehouse, orgId, now);
  return warehouse.session((session) => costBreakdown(on(session), orgId, keys, range));
}
