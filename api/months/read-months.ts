import type { ComputedSession } from '../../warehouse/spend/compute-spend.ts';
import { dayOf } from '../../domain/shared/calendar.ts';
import { monthRecords, type MonthRecord } from '../../domain/months/month-record.ts';
import { shownMonths } from '../../domain/months/shown-months.ts';
import { computeMetricMonths } from '../../warehouse/months/metric-months.ts';
import type { Metric } from '../../warehouse/metrics/metrics.ts';
import { monthFacts } from '../../warehouse/months/month-facts.ts';
import type { RevenueVault } from '../../warehouse/metrics/revenue-vault.ts';
import type { Caller } from '../access/authentication.ts';
import { visibleNumbers, type Viewed } from '../access/revenue-access.ts';
import type { NumberDependencies } from '../http/dependencies.ts';
import { noteUpdates } from '../http/note-updates.ts';

/**
 * Returns the last twelve months of those metrics whose numbers the caller may see, newest first, by metric id. The audit log
 * records the view of revenue.
 */
export const monthsOf = async (
  dependencies: Pick<NumberDependencies, 'warehouse' | 'sealer' | 'clock' | 'noteChange'>,
  caller: Caller,
  requested: readonly Metric[],
  viewed: Viewed,
): Promise<Map<string, MonthRecord[]>> => {
  const { warehouse, clock } = dependencies;
  const { organisation } = caller;
  const now = clock.now();
  const { metrics, vault } = await visibleNumbers(dependencies, caller, requested, viewed);
  const { on } = noteUpdates(
    dependencies,
    organisation.id,
    await computeMetricMonths(warehouse, organisation.id, metrics, now),
  );
  return warehouse.session((session) => readMonths(on(session), organisation, metrics, now, vault));
};

/** The same, on the caller's session. Revenue needs its vault. */
export const readMonths = async (
  session: ComputedSession,
  organisation: Caller['organisation'],
  metrics: readonly Metric[],
  now: Date,
  vault?: RevenueVault,
): Promise<Map<string, MonthRecord[]>> => {
  const facts = await monthFacts(
    session,
    organisation.id,
    metrics.map(({ id }) => id),
    { ...shownMonths(now), today: dayOf(now), vault },
  );
  const settlement = { settleDays: organisation.settle_days };
  return new Map(
    metrics.map((metric) => [metric.id, monthRecords(facts.get(metric.id) ?? [], metric, settlement, now)]),
  );
};
