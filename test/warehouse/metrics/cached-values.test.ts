import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Frequency } from '../../../domain/metrics/metric.ts';
import type { ValueMonths } from '../../../domain/metrics/value-months.ts';
import { addDays, firstDay, monthOf, type Day } from '../../../domain/shared/calendar.ts';
import { UNOBSERVED } from '../../../telemetry/statement-observer.ts';
import { NO_CACHE } from '../../../warehouse/engine/cache/derived-cache.ts';
import { shownValues } from '../../../warehouse/metrics/cached-values.ts';
import { writeValues } from '../../../warehouse/metrics/write-values.ts';
import { valueMonths } from '../../../warehouse/months/parts/value-months.ts';
import { SEED } from '../../support/effort.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { newMetric, newOrganisation, NOW } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

describeOnBothEngines('cached values of a metric', (open) => {
  const test = withOpened(open);

  const newStory = async (frequency: Frequency, label_key: string | null = null) => {
    const { warehouse } = test;
    const { id: orgId } = await newOrganisation(warehouse);
    const metric = await newMetric(warehouse, orgId, { frequency, label_key });
    const scope = {
      metric_id: metric.id,
      kind: 'count' as const,
      frequency,
      team_id: null,
      scope_id: '',
      picked: null,
    };
    const write = (
      values: Record<Day, string>,
      { by = 'key', label = '' }: { by?: 'key' | 'import'; label?: string } = {},
    ) =>
      writeValues(
        warehouse,
        { orgId, metricId: metric.id },
        Object.entries(values).map(([period, value]) => ({ period, label, value })),
        { source: 'api', by: { type: by, id: 'key_1', name: 'Finance' }, now: NOW },
      );
    const valuesBy = async (cache = NO_CACHE): Promise<ValueMonths | undefined> =>
      (await valueMonths(warehouse, cache, orgId, [scope], shownValues(NOW))).get(metric.id);
    /** Returns the values by the cache, and how many statements read them. */
    const cached = async () => {
      const cache = warehouse.cache.of(await warehouse.revisions(), orgId);
      let statements = 0;
      warehouse.observer = {
        ...UNOBSERVED,
        began: (...began) => {
          statements += 1;
          return UNOBSERVED.began(...began);
        },
      };
      const values = await valuesBy(cache).finally(() => (warehouse.observer = UNOBSERVED));
      return { values, statements };
    };
    return { write, cached, inRows: () => valuesBy() };
  };

  /** How many statements read values after a change of one: on a DuckLake another node may have changed others meanwhile. */
  const few = (): number => (test.warehouse.isDuckLake ? 1 : 0);

  it('take no statement after the change of a value, or a new value after all others', async () => {
    const { write, cached } = await newStory('daily');
    await write({ '2026-01-30': '10', '2026-02-01': '20.5' });
    expect((await cached()).statements).toBe(1);
    await write({ '2026-01-30': '7' });
    await write({ '2026-02-04': '1' });
    const { values, statements } = await cached();
    expect(statements).toBe(few());
    // 20.5 + 1. The value of the 4th comes after two days without one.
    expect(values?.months.get('2026-02')).toEqual({
      sum: '21.5000000000',
      changes: 2,
      count: 2,
      last: '2026-02-04',
      lastImported: null,
      longestGap: 2,
    });
    expect(values?.months.get('2026-01')).toMatchObject({ sum: '7.0000000000', changes: 2, count: 1 });
    expect(values?.days.get('2026-02-04')).toBe(10_000_000_000n);
    expect(values?.through).toBe('2026-02-04');
    expect((await cached()).statements).toBe(0);
  });

  it('are read again after a value between others, of an import, or with a label', async () => {
    const daily = await newStory('daily');
    await daily.write({ '2026-01-30': '10', '2026-02-01': '20' });
    await daily.cached();
    await daily.write({ '2026-01-31': '1' });
    expect((await daily.cached()).statements).toBe(1);
    await daily.write({ '2026-02-02': '1' }, { by: 'import' });
    expect((await daily.cached()).statements).toBe(1);
    await daily.write({ '2026-02-02': '2' });
    const { values, statements } = await daily.cached();
    expect([statements, values?.months.get('2026-02')?.lastImported]).toEqual([1, null]);
    const labelled = await newStory('daily', 'team');
    await labelled.write({ '2026-01-30': '10' }, { label: 'shop' });
    await labelled.cached();
    await labelled.write({ '2026-01-30': '11' }, { label: 'shop' });
    expect((await labelled.cached()).values).toEqual(await labelled.inRows());
  });

  it('are those of the rows after any changes', async () => {
    const days = fc.integer({ min: 0, max: 420 }).map((back) => addDays('2026-02-06', -back));
    const late = fc.integer({ min: 0, max: 6 }).map((back) => addDays('2026-02-06', -back));
    const numbers = fc.integer({ min: -30, max: 300 }).map((tenths) => `${tenths / 10}`);
    const change = fc.record({
      values: fc.dictionary(fc.oneof(days, late, late), numbers, { minKeys: 1, maxKeys: 3 }),
      by: fc.constantFrom('key' as const, 'key' as const, 'key' as const, 'import' as const),
    });
    const story = fc.record({
      frequency: fc.constantFrom('daily' as const, 'monthly' as const),
      changes: fc.array(change, { minLength: 5, maxLength: 25 }),
    });
    await fc.assert(
      fc.asyncProperty(story, async ({ frequency, changes }) => {
        const { write, cached, inRows } = await newStory(frequency);
        for (const { values, by } of changes) {
          const periods = Object.entries(values).map(([day, value]) => [
            frequency === 'daily' ? day : firstDay(monthOf(day)),
            value,
          ]);
          await write(Object.fromEntries(periods) as Record<Day, string>, { by });
          expect((await cached()).values).toEqual(await inRows());
        }
      }),
      { seed: SEED, numRuns: test.warehouse.isDuckLake ? 1 : 8 },
    );
  });
});
