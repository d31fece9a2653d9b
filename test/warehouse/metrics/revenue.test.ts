import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import Big from 'big.js';
import { addDays, monthOf, type Day } from '../../../domain/shared/calendar.ts';
import { monthRecords } from '../../../domain/months/month-record.ts';
import { Sealer } from '../../../security/sealing.ts';
import { sealedByKeys } from '../../../warehouse/engine/records/sealed-texts.ts';
import { resealSome } from '../../../warehouse/engine/records/reseal.ts';
import { RevenueVault } from '../../../warehouse/metrics/revenue-vault.ts';
import { removeValues, writeValues } from '../../../warehouse/metrics/write-values.ts';
import { listValueChanges, listValues } from '../../../warehouse/metrics/value-history.ts';
import { listMonthVersions, lockMonth } from '../../../warehouse/months/month-locks.ts';
import { monthFacts } from '../../../warehouse/months/month-facts.ts';
import { computeSpend } from '../../../warehouse/spend/compute-spend.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { NOW } from '../../support/warehouse/tenant.ts';
import { KEY, newMonthStory } from '../months/month-story.ts';
import { revenueValues } from '../../support/warehouse/given-values.ts';
import { withOpened } from '../../support/with-opened.ts';

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const CHANGE = { source: 'api', by: KEY, now: NOW } as const;

describeOnBothEngines('revenue', (open) => {
  const test = withOpened(open);

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
    for (let from = 0; from < changes.length; from += 60) {
      const some = changes.slice(from, from + 60);
      const given = some.flatMap(([day, amount]) => (amount === null ? [] : [[day, amount] as const]));
      const days = some.flatMap(([day, amount]) => (amount === null ? [day] : []));
      const sql = `SELECT unnest($days::DATE[]) AS period, '' AS label`;
      const removal = () => ({ sql, parameters: { days } });
      await writeValues(test.warehouse, of, revenueValues(given), CHANGE, { removal });
    }
    const values = await listValues(test.warehouse, story.orgId, story.metric.id, STORED, of.vault);
    expect(new Map(values.map(({ period, value }) => [period, Big(value ?? NaN).toFixed()]))).toEqual(
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
    await writeValues(test.warehouse, of, revenueValues([['2026-01-05', 12.5]]), CHANGE);
    await expect(factsOf(story, undefined)).rejects.toThrow(/without its vault/);
    const others = [new RevenueVault(new Sealer(newKey), 'org_other'), story.of(new Sealer(oldKey)).vault];
    for (const vault of others) {
      expect((await factsOf(story, vault)).at(-1)).toMatchObject({
        valueSum: null,
        unreadable: { code: 'values_unreadable' },
      });
      expect(await listValues(test.warehouse, story.orgId, story.metric.id, STORED, vault)).toMatchObject([
        { period: '2026-01-05', value: null },
      ]);
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
    await writeValues(
      test.warehouse,
      of,
      revenueValues([
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
    expect((await factsOf(story, of.vault)).at(-1)).toMatchObject({
      valueSum: null,
      unreadable: {
        sentence: expect.stringMatching(/^the value of 2026-01-05 cannot be opened: record /) as string,
      },
    });
  });

  it('hides how large it is', async () => {
    const story = await newStory();
    const of = story.of(new Sealer(newKey));
    const values = [0, -1, 123_456_789.123_456].map((value, day) => [`2026-01-0${day + 1}`, value] as const);
    await writeValues(test.warehouse, of, revenueValues(values), CHANGE);
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
      // Other stories of this warehouse have sealed with the new key.
      const before = story.of(new Sealer(oldKey, newKey));
      await writeValues(test.warehouse, before, revenueValues([['2026-01-05', 80]]), CHANGE);
      const { organisation, metric, orgId } = story;
      await lockMonth(test.warehouse, organisation, metric, '2026-01', {
        actor: KEY,
        now: NOW,
        vault: before.vault,
      });
      const both = story.of(new Sealer(newKey, oldKey));
      await writeValues(test.warehouse, both, revenueValues([['2026-01-05', 160]]), CHANGE);
      await removeValues(test.warehouse, both, { start: '2026-01-06', end: null, label: null }, CHANGE);

      const recordWith = async (vault: RevenueVault) => {
        const settlement = { settleDays: organisation.settle_days };
        return monthRecords(await factsOf(story, vault), metric, settlement, NOW)[0];
      };
      const expected = { cost_share_percent: 50, current: { value: 160, cost_share_percent: 25 } };
      expect(await recordWith(both.vault)).toMatchObject(expected);
      expect(await recordWith(story.of(new Sealer(newKey)).vault)).toMatchObject({
        status: 'changed_since_lock',
        version: 1,
        cost: null,
        value: null,
        cost_share_percent: null,
        reason: expect.stringMatching(/^version 1 cannot be opened/) as string,
        current: { cost: 40, value: 160, cost_share_percent: 25 },
      });

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

  describe('with a value that no key opens', () => {
    /** January has 80 on the 5th and 20 on the 6th. A key that is lost has sealed the 6th. */
    const newDamage = async () => {
      const story = await newStory();
      await story.spend({ '2025-12-31': '100', '2026-01-31': '40' });
      await story.settle();
      const of = story.of(new Sealer(newKey));
      await writeValues(test.warehouse, of, revenueValues([['2026-01-05', 80]]), CHANGE);
      const lost = story.of(new Sealer(randomBytes(32), newKey));
      await writeValues(test.warehouse, lost, revenueValues([['2026-01-06', 20]]), CHANGE);
      const record = async () =>
        monthRecords(
          await factsOf(story, of.vault),
          story.metric,
          { settleDays: story.organisation.settle_days },
          NOW,
        )[0];
      const lock = (acceptMissing: boolean) =>
        lockMonth(test.warehouse, story.organisation, story.metric, '2026-01', {
          actor: KEY,
          now: NOW,
          vault: of.vault,
          acceptMissing,
        });
      return { story, of, record, lock };
    };

    it('has no sum, and no month that is ready, until the value is recorded again', async () => {
      const { story, of, record, lock } = await newDamage();
      const sentence =
        'the value of 2026-01-06 cannot be opened: record these values again, or ask the operator for the MASTER_KEY that sealed it';
      expect(await record()).toMatchObject({
        status: 'open',
        cost: 40,
        value: null,
        cost_share_percent: null,
        margin: null,
        reason: sentence,
        can_lock: 'no',
        missing: [
          {
            code: 'values_unreadable',
            ways_out: [{ action: 'record_values', metric_id: story.metric.id }],
          },
        ],
      });
      for (const accept of [false, true]) await expect(lock(accept)).rejects.toThrow(sentence);
      const values = await listValues(test.warehouse, story.orgId, story.metric.id, STORED, of.vault);
      expect(values.map(({ period, value }) => [period, value])).toEqual([
        ['2026-01-05', '80'],
        ['2026-01-06', null],
      ]);
      const page = { limit: 10, cursor: null };
      const changes = () => listValueChanges(test.warehouse, story.orgId, story.metric.id, page, of.vault);
      expect(await changes()).toMatchObject([
        { action: 'set', value: null, isUnreadable: true },
        { action: 'set', value: '80', isUnreadable: false },
      ]);
      const again = await writeValues(test.warehouse, of, revenueValues([['2026-01-06', 20]]), CHANGE);
      expect(again).toMatchObject({ replaced: 1, created: 0, unchanged: 0 });
      expect(await record()).toMatchObject({ status: 'ready_to_lock', value: 100, cost_share_percent: 40 });
      expect((await changes())[0]).toMatchObject({ value: '20', previous: null, isUnreadable: true });
    });

    it('keeps a locked month locked, and lets an admin lock it again', async () => {
      const { story, of, record, lock } = await newDamage();
      await writeValues(test.warehouse, of, revenueValues([['2026-01-06', 20]]), CHANGE);
      await lock(false);
      // The text of another row stands where the numbers of the lock were.
      await test.warehouse.run(
        `UPDATE month_locks SET sealed_numbers = (SELECT max(sealed_value) FROM metric_value_changes WHERE org_id = $org)
         WHERE org_id = $org`,
        { org: story.orgId },
      );
      const reason =
        'version 1 cannot be opened: lock the month again, or ask the operator for the MASTER_KEY that sealed it';
      expect(await record()).toMatchObject({
        status: 'locked',
        version: 1,
        value: null,
        cost_share_percent: null,
        reason,
        can_lock: 'now',
        locked: { version: 1, value: null, locked_by: { name: KEY.name } },
      });
      expect(await lock(false)).toMatchObject({ status: 'locked', version: 2, value: 100, reason: null });
      const versions = await listMonthVersions(
        ...([test.warehouse, story.orgId, story.metric.id, '2026-01', of.vault] as const),
      );
      expect(versions).toMatchObject([
        { version: 2, value: '100' },
        { version: 1, value: null, cost: null },
      ]);
    });
  });

  describe('under a key that opens nothing of what is sealed', () => {
    it('is not stored, before and after a rotation on another node', async () => {
      const own = await open();
      try {
        const story = await newMonthStory(own, {}, { kind: 'revenue', currency: 'USD', rise: null });
        const of = (sealer: Sealer) => ({
          orgId: story.orgId,
          metricId: story.metric.id,
          vault: new RevenueVault(sealer, story.orgId),
        });
        const write = (sealer: Sealer, day: Day) =>
          writeValues(own.warehouse, of(sealer), revenueValues([[day, 1]]), CHANGE);
        const [stays, rotates] = [new Sealer(oldKey), new Sealer(newKey, oldKey)];
        await write(stays, '2026-01-01');
        await expect(write(new Sealer(newKey), '2026-01-02')).rejects.toThrow(/opens nothing that is stored/);
        await write(rotates, '2026-01-03');
        // A rotation under way: the node without the new key still opens a part, and the other node opens what it seals.
        await write(stays, '2026-01-04');
        expect(await resealSome(own.warehouse, rotates)).toEqual({
          resealed: 2,
          remaining: 0,
          unreadable: 0,
        });
        await expect(write(stays, '2026-01-05')).rejects.toThrow(/opens nothing that is stored/);
        await write(new Sealer(newKey), '2026-01-06');
        expect(await sealedByKeys(own.warehouse)).toEqual([{ key_id: rotates.keyId, texts: 4 }]);
      } finally {
        await own.close();
      }
    });

    it('is rotated without the texts that are damaged, which count as unreadable', async () => {
      const own = await open();
      try {
        const story = await newMonthStory(own, {}, { kind: 'revenue', currency: 'USD', rise: null });
        const vault = new RevenueVault(new Sealer(oldKey), story.orgId);
        const of = { orgId: story.orgId, metricId: story.metric.id, vault };
        const days = ['2026-01-01', '2026-01-02', '2026-01-03'];
        await writeValues(own.warehouse, of, revenueValues(days.map((day) => [day, 1])), CHANGE);
        await own.warehouse.run(
          `UPDATE metric_value_changes SET sealed_value = sealed_value || 'A' WHERE period = DATE '2026-01-02'`,
        );
        const both = new Sealer(newKey, oldKey);
        const done = { remaining: 0, unreadable: 1 };
        expect(await resealSome(own.warehouse, both)).toEqual({ resealed: 2, ...done });
        expect(await resealSome(own.warehouse, both)).toEqual({ resealed: 0, ...done });
      } finally {
        await own.close();
      }
    });
  });
});
