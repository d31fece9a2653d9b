import { sealBills } from '../teams/bills/bill-sealing.ts';
import { computeSpend, type ComputedSpend } from '../spend/compute-spend.ts';
import type { Warehouse } from '../engine/warehouse.ts';

/** Brings what the months of some metrics are read from up to date: spend, and the bills that team metrics divide. */
export const computeMetricMonths = (
  warehouse: Warehouse,
  orgId: string,
  metrics: readonly { scope: { type: string } }[],
  now: Date,
): Promise<ComputedSpend> => {
  const compute = metrics.some(({ scope }) => scope.type === 'team') ? sealBills : computeSpend;
  return compute(warehouse, orgId, now);
};
