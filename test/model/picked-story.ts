import type { Month } from '../../domain/shared/calendar.ts';
import type { MonthFacts } from '../../domain/months/month-facts.ts';
import type { SpendPick } from '../../domain/spend/spend-pick.ts';
import type { Metric } from '../../warehouse/metrics/metrics.ts';
import { computeSpend } from '../../warehouse/spend/compute-spend.ts';
import { monthFacts } from '../../warehouse/months/month-facts.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import { newMetric, NOW } from '../support/warehouse/tenant.ts';

/** Makes a metric of picked spend. */
export const spendMetric = (
  warehouse: Warehouse,
  orgId: string,
  spend: SpendPick[],
  changes: Partial<Metric> = {},
): Promise<Metric> => newMetric(warehouse, orgId, { scope: { type: 'spend', spend }, ...changes });

/** Returns the facts of a metric's months up to `newest`, newest first. */
export async function monthCosts(
  warehouse: Warehouse,
  orgId: string,
  metric: Metric,
  newest: Month,
  now: Date = NOW,
): Promise<MonthFacts[]> {
  const { on } = await computeSpend(warehouse, orgId, now);
  const facts = await warehouse.session((session) =>
    monthFacts(on(session), orgId, [metric.id], { newest, count: 12 }),
  );
  return (facts.get(metric.id) ?? []).toReversed();
}
