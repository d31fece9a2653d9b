import { dayOf, type Month } from '../../../domain/shared/calendar.ts';
import { monthRecords, type MonthRecord } from '../../../domain/months/month-record.ts';
import { updateCostSource } from '../../../warehouse/sources/cost-sources.ts';
import { writeValues } from '../../../warehouse/metrics/write-values.ts';
import type { Metric } from '../../../warehouse/metrics/metrics.ts';
import { listMonthVersions, lockMonth } from '../../../warehouse/months/month-locks.ts';
import { computeSpend } from '../../../warehouse/spend/compute-spend.ts';
import { monthFacts } from '../../../warehouse/months/month-facts.ts';
import type { Organisation } from '../../../warehouse/organisations/organisations.ts';
import { settleMonths } from '../../../warehouse/months/settlement.ts';
import type { TestWarehouse } from '../../support/warehouse/engines.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import {
  BY_ADMIN,
  loadText,
  newMetric,
  newOrganisation,
  newSource,
  NOW,
} from '../../support/warehouse/tenant.ts';

export const KEY = { type: 'key', id: 'key_1', name: 'Finance' } as const;

/** Returns an organisation with one source and one metric, and the steps of a story about months. */
export async function newMonthStory(
  test: Pick<TestWarehouse, 'warehouse' | 'directory'>,
  changes: Partial<Omit<Organisation, 'id'>> = {},
  metricChanges: Partial<Omit<Metric, 'id' | 'created_at'>> = {},
) {
  const { warehouse } = test;
  const organisation = await newOrganisation(warehouse, changes);
  const orgId = organisation.id;
  const source = await newSource(warehouse, orgId);
  const metric = await newMetric(warehouse, orgId, metricChanges);
  return {
    organisation,
    orgId,
    source,
    metric,
    /** Replaces the spend of the billing periods of these days. */
    spend: (days: Record<string, string>, sourceId = source.id, now = NOW) =>
      loadText(
        test,
        { orgId, sourceId },
        focusCsv(Object.entries(days).map(([day, cost]) => dayLine(day, cost))),
        { now },
      ),
    values: (values: Record<string, number>, label = '') =>
      writeValues(
        warehouse,
        { orgId, metricId: metric.id },
        Object.entries(values).map(([period, value]) => ({ period, label, value })),
        { source: 'hand', by: KEY, now: NOW },
      ),
    changeSource: (changes: Parameters<typeof updateCostSource>[3], sourceId = source.id) =>
      updateCostSource(warehouse, orgId, sourceId, changes, BY_ADMIN),
    settle: (now: Date = NOW) => settleMonths(warehouse, orgId, now),
    lock: (month: Month, now: Date = NOW, acceptMissing = false) =>
      lockMonth(warehouse, organisation, metric, month, { actor: KEY, now, acceptMissing }),
    versions: (month: Month) => listMonthVersions(warehouse, orgId, metric.id, month),
    /** Returns the records of the last `count` months, newest first. */
    months: async (count = 1, newest: Month = '2026-01', now: Date = NOW): Promise<MonthRecord[]> => {
      const { on } = await computeSpend(warehouse, orgId, now);
      return warehouse.session(async (session) => {
        const facts = await monthFacts(on(session), orgId, [metric.id], {
          newest,
          count,
          today: dayOf(now),
        });
        return monthRecords(
          facts.get(metric.id) ?? [],
          metric,
          { settleDays: organisation.settle_days },
          now,
        );
      });
    },
  };
}
/** The changes that a story may make to its organisation and metric. */
export type StoryChanges =
  Parameters<typeof newMonthStory> extends [unknown, ...infer Changes] ? Changes : never;
export type MonthStory = Awaited<ReturnType<typeof newMonthStory>>;

/** Returns the record of January 2026. */
export async function january(story: MonthStory): Promise<MonthRecord> {
  const [record] = await story.months();
  if (record === undefined) throw new Error('no record of January');
  return record;
}
