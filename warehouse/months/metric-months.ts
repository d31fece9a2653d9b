import { sealBills } from '../teams/bills/bill-sealing.ts';
import { computeSpend, type ComputedSpend } from '../spend/compute-spend.ts';
import type { Revisions } from '../engine/cache/revisions.ts';
import type { Warehouse } from '../engine/warehouse.ts';

/**
 * Computes the spend from which the months of some metrics are read. If any of them divides a team's bill, also seals the bills
 * that are due. `revisions` is as in {@link computeSpend}.
 */
export function computeMetricMonths(
  warehouse: Warehouse,
  orgId: string,
  metrics: readonly { scope: { type: string } }[],
  now: Date,
  revisions?: Revisions,
): Promise<ComputedSpend> {
  const compute = metrics.some(({ scope }) => scope.type === 'team') ? sealBills : computeSpend;
  return compute(warehouse, orgId, now, revisions);
}
