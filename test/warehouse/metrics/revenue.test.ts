import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Big from 'big.js';
import { addDays, monthOf, type Day } from '../../../domain/shared/calendar.ts';
import { monthRecords } from '../../../domain/months/month-record.ts';
import { Sealer } from '../../../security/sealing.ts';
import { resealSome } from '../../../warehouse/engine/records/reseal.ts';
import { changeRevenue, removeRevenue } from '../../../warehouse/metrics/revenue-changes.ts';
import { RevenueVault } from '../../../warehouse/metrics/revenue-vault.ts';
import { listValueChanges, listValues } from '../../../warehouse/metrics/value-history.ts';
import { listMonthVersions, lockMonth } from '../../../warehouse/months/month-locks.ts';
import { monthFacts } from '../../../warehouse/months/month-facts.ts';
import { computeSpend } from '../../../warehouse/spend/compute-spend.ts';
import { describeOnBothEngines, type TestWarehouse } from '../../support/warehouse/engines.ts';
import { NOW } from '../../support/warehouse/tenant.ts';
import { KEY, newMonthStory } from '../months/month-story.ts';

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const CHANGE = { source: 'api', by: { type: 'key', ...KEY }, now: NOW } as const;

describeOnBothEngines('revenue', (open) => {
  let test: TestWarehouse;
  beforeAll(async () => {
    test = await open();
  });
  afterAll(() => test.close());

  const newStory = async () => {
    const story = await newMonthStory(test, {}, { kind: 'revenue', currency: 'USD', rise: null });
    const of = (sealer: Sealer) => ({
      orgId: story.orgId,
      metricId: story.metric.id,
      vault: new RevenueVault(sealer, story.orgId),
    });
    return { ...story, of };
  };

  const factsOf = async (
    { orgId, metric }: Awaited<ReturnType<typeof newStory>>,
    vault: RevenueVault | undefined,
  ) => {
    const { on } = await computeSpend(test.warehouse, orgId, NOW);
    const range = { newest: '2026-01', count: 3, vault };
    const facts = await test.warehouse.session((session) =>
      monthFacts(on(session), orgId, [metric.id], range),
    );
    return facts.get(metric.id) ?? [];
  };

  const STORED = { start: null, end: null, limit: 1_000, cursor: null };

  it('adds up exactly after any changes', async () => {
    const story = await newStory();
    const of = story.of(new Sealer(newKey));
    const naive = new Map<Day, Big>();
    // A fixed sequence of 300 changes over 92 days: amounts of both signs with up to ten decimals, and removals.
    for (let step = 0; step < 300; step += 1) {
      const period = addDays('2025-11-01', (step * 37) % 92);
      const amount = Big((step * 7919) % 10_007)
        .minus(5_000)
        .plus(Big(step).times('0.0000000001'));
      if (step % 11 === 0) naive.delete(period);
      else naive.set(period, amount);
    }
    const changes = [...Array(300).keys()].map((step) => {
      const period = addDays('2025-11-01', (step * 37) % 92);
      const amount = Big((step * 7919) % 10_007)
        .minus(5_000)
        .plus(Big(step).times('0.0000000001'));
      return [period, step % 11 === 0 ? null : amount.toFixed()] as const;
    });
    for (let from = 0; from < changes.length; from += 60)
      await changeRevenue(test.warehouse, of, new Map(changes.slice(from, from + 60)), CHANGE);
    const values = await listValues(test.warehouse, story.orgId, story.metric.id, STORED, of.vault);
    expect(new Map(values.map(({ period, value }) => [period, Big(value).toFixed()]))).toEqual(
      new Map([...naive].sort().map(([period, value]) => [period, value.toFixed()])),
    );
    const facts = await factsOf(story, of.vault);
    for (const { month, valueSum, valuePeriods } of facts.slice(1)) {
      const ofMonth = [...naive].filter(([day]) => monthOf(day) === month);
      const sum = ofMonth.reduce((total, [, value]) => total.plus(value), Big(0));
      expect({ month, sum: Big(valueSum ?? 0).toFixed(), valuePeriods }).toEqual({
        month,
        sum: sum.toFixed(),
        valuePeriods: ofMonth.length,
      });
    }
  });

  it('is read only with its vault, by its organisation and with its key', async () => {
    const story = await newStory();
    const of = story.of(new Sealer(newKey));
    await changeRevenue(test.warehouse, of, new Map([['2026-01-05', 12.5]]), CHANGE);
    await expect(factsOf(story, undefined)).rejects.toThrow(/without its vault/);
    const others = [new RevenueVault(new Sealer(newKey), 'org_other'), story.of(new Sealer(oldKey)).vault];
    for (const vault of others) {
      await expect(factsOf(story, vault)).rejects.toThrow();
      await expect(listValues(test.warehouse, story.orgId, story.metric.id, STORED, vault)).rejects.toThrow();
    }
    const columns = await test.warehouse.query<{ text: string }>(
      `SELECT CAST(metric_value_changes AS VARCHAR) AS text FROM metric_value_changes WHERE org_id = $org`,
      { org: story.orgId },
    );
    expect(columns.map(({ text }) => text.includes('12.5'))).toEqual([false]);
  });

  it('cannot be moved to another day or change', async () => {
    const story = await newStory();
    const of = story.of(new Sealer(newKey));
    await changeRevenue(
      test.warehouse,
      of,
      new Map([
        ['2026-01-05', 1],
        ['2026-01-06', 1_000_000],
      ]),
      CHANGE,
    );
    await test.warehouse.run(
      `UPDATE metric_value_changes SET sealed_value = (
         SELECT max(sealed_value) FROM metric_value_changes WHERE org_id = $org AND period = DATE '2026-01-06')
       WHERE org_id = $org AND period = DATE '2026-01-05'`,
      { org: story.orgId },
    );
    await expect(factsOf(story, of.vault)).rejects.toThrow();
  });

  it('hides how large it is', async () => {
    const story = await newStory();
    const of = story.of(new Sealer(newKey));
    const values = [0, -1, 123_456_789.123_456].map((value, day) => [`2026-01-0${day + 1}`, value] as const);
    await changeRevenue(test.warehouse, of, new Map(values), CHANGE);
    const lengths = await test.warehouse.query<{ length: string }>(
      `SELECT DISTINCT strlen(sealed_value) AS length FROM metric_value_changes WHERE org_id = $org`,
      { org: story.orgId },
    );
    expect(lengths).toHaveLength(1);
  });

  describe('after the master key has changed', () => {
    it('opens with both keys, and after the rotation with the new one alone', async () => {
      const story = await newStory();
      await story.spend({ '2025-12-31': '100', '2026-01-31': '40' });
      await story.settle();
      const before = story.of(new Sealer(oldKey));
      await changeRevenue(test.warehouse, before, new Map([['2026-01-05', 80]]), CHANGE);
      const { organisation, metric, orgId } = story;
      await lockMonth(test.warehouse, organisation, metric, '2026-01', {
        key: KEY,
        now: NOW,
        vault: before.vault,
      });
      const both = story.of(new Sealer(newKey, oldKey));
      await changeRevenue(test.warehouse, both, new Map([['2026-01-05', 160]]), CHANGE);
      await removeRevenue(test.warehouse, both, { start: '2026-01-06', end: null }, CHANGE);

      const recordWith = async (vault: RevenueVault) => {
        const settlement = { settleDays: organisation.settle_days };
        return monthRecords(await factsOf(story, vault), metric, settlement, NOW)[0];
      };
      const expected = { cost_share_percent: 50, current: { value: 160, cost_share_percent: 25 } };
      expect(await recordWith(both.vault)).toMatchObject(expected);
      await expect(recordWith(story.of(new Sealer(newKey)).vault)).rejects.toThrow(/MASTER_KEY/);

      for (;;) if ((await resealSome(test.warehouse, new Sealer(newKey, oldKey))).remaining === 0) break;
      const after = story.of(new Sealer(newKey)).vault;
      expect(await recordWith(after)).toMatchObject(expected);
      expect(await listMonthVersions(test.warehouse, orgId, metric.id, '2026-01', after)).toMatchObject([
        { version: 1, value: '80', unit_cost: '50.00000000000000000000' },
      ]);
      const changes = await listValueChanges(
        test.warehouse,
        orgId,
        metric.id,
        { limit: 10, cursor: null },
        after,
      );
      expect(changes).toMatchObject([
        { value: '160', previous: '80' },
        { value: '80', previous: null },
      ]);
      expect(await resealSome(test.warehouse, new Sealer(newKey))).toEqual({
        resealed: 0,
        remaining: 0,
        unreadable: 0,
      });
    });
  });
});
