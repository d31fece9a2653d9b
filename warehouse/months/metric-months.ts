import { sealBills } from '../teams/bills/bill-sealing.ts';
import { computeMonths } from '../spend/compute-spend.ts';
import type { Warehouse } from '../engine/warehouse.ts';

/** Brings what the months of some metrics are read from up to date: spend, and the bills that team metrics divide. */
export const computeMetricMonths = async (
  warehouse: Warehouse,
  orgId: string,
  metrics: readonly { scope: { type: string } }[],
  now: Date,
): Promise<void> => {
  const compute = metrics.some(({ scope }) => scope.type === 'team') ? sealBills : computeMonths;
  await compute(warehouse, orgId, now);
};
