import { sealBills } from '../teams/bills/bill-sealing.ts';
import { computeSpend, type ComputedSpend } from '../spend/compute-spend.ts';
import type { Warehouse } from '../engine/warehouse.ts';

/** Brings up to date what the months of some metrics are read from: spend, and the bills that metrics with team scope divide. */
export const computeMetricMonths = (
  warehouse: Warehouse,
  orgId: string,
  metrics: readonly { scope: { type: string } }[],
  now: Date,
): Promise<ComputedSpend> => {
  const compute = metrics.some(({ scope }) => scope.type === 'team') ? sealBills : computeSpend;
  return compute(warehouse, orgId, now);
};
