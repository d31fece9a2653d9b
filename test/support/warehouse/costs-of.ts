import type { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { computeSpend } from '../../../warehouse/spend/compute-spend.ts';
import { costSummary, type CostRange, type CostSummary } from '../../../warehouse/spend/costs.ts';

/** Computes the stale months, and returns the summary of a range of days. */
export async function costsOf(
  warehouse: Warehouse,
  orgId: string,
  range: CostRange,
  now: Date,
): Promise<CostSummary> {
  const { on } = await computeSpend(warehouse, orgId, now);
  return warehouse.onOneState((session) => costSummary(on(session), orgId, range, now));
}
