import type { Month } from '../../domain/calendar.ts';
import type { MonthFacts } from '../../domain/month-record.ts';
import type { SpendPick } from '../../domain/spend-pick.ts';
import type { Metric } from '../../warehouse/metrics.ts';
import { computeMonths } from '../../warehouse/month-computation.ts';
import { monthFacts } from '../../warehouse/months.ts';
import type { Warehouse } from '../../warehouse/warehouse.ts';
import { newMetric, NOW } from '../support/tenant.ts';

/** A metric that divides picked spend. */
export const spendMetric = (
  warehouse: Warehouse,
  orgId: string,
  spend: SpendPick[],
  changes: Partial<Metric> = {},
): Promise<Metric> => newMetric(warehouse, orgId, { scope: { type: 'spend', spend }, ...changes });

/** The facts of a metric's months up to `newest`, newest first. */
export const monthCosts = async (
  warehouse: Warehouse,
  orgId: string,
  metric: Metric,
  newest: Month,
  now: Date = NOW,
): Promise<MonthFacts[]> => {
  await computeMonths(warehouse, orgId, now);
  const facts = await warehouse.session((session) =>
    monthFacts(session, orgId, [metric.id], { newest, count: 12 }),
  );
  return (facts.get(metric.id) ?? []).toReversed();
};
