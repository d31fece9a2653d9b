import { describe, expect, it } from 'vitest';
import Big from 'big.js';
import type { Split } from '../../../domain/teams/shared-cost.ts';
import type { SpendPick } from '../../../domain/spend/spend-pick.ts';
import { fullyLoaded } from '../../../domain/teams/bill.ts';
import { monthRecords } from '../../../domain/months/month-record.ts';
import { updateMetric, type Metric } from '../../../warehouse/metrics/metrics.ts';
import { lastDay } from '../../../domain/shared/calendar.ts';
import { listAuditLog } from '../../../warehouse/engine/records/audit-log.ts';
import { monthBills } from '../../../warehouse/teams/bills/bills.ts';
import { sealBills } from '../../../warehouse/teams/bills/bill-sealing.ts';
import { computeMetricMonths } from '../../../warehouse/months/metric-months.ts';
import { lockMonth } from '../../../warehouse/months/month-locks.ts';
import { monthFacts } from '../../../warehouse/months/month-facts.ts';
import { findOrganisation } from '../../../warehouse/organisations/organisations.ts';
import { costsOf } from '../../support/warehouse/costs-of.ts';
import { describeOnBothEngines, type TestWarehouse } from '../../support/warehouse/engines.ts';
import { ADMIN, BY_ADMIN, money, newMetric, newSource, NOW } from '../../support/warehouse/tenant.ts';
import { onClockBehind } from '../months/clock-behind.ts';
import { account, inNumbers, namespace, newTeamStory, type TeamStory } from './team-story.ts';
import { THOROUGH } from '../../support/effort.ts';
import { withOpened } from '../../support/with-opened.ts';

/** Before January settles, and after the teams are made. */
const BEFORE = new Date('2026-01-10T06:00:00Z');
const LATER = new Date('2026-02-20T06:00:00Z');

const spendOf = (costs: Record<string, string>, day = '2026-01-31') => ({
  cloud_spend: Object.entries(costs).map(([id, cost]) => ({ day, cloud: 'aws', account: id, cost })),
});

/**
 * Two teams, created before January settles: Shop owns account 1 (100), Search owns account 2 (50). Nobody owns account 3 (90).
 * Account 4 (30) is split by requests: label web is Shop's, label find is Search's.
 */
async function newStory(test: TestWarehouse, changes: Partial<Metric> = {}) {
  const story = await newTeamStory(test);
  await story.spend('2026-01', spendOf({ '1': '100', '2': '50', '3': '90', '4': '30' }));
  const shop = await story.team('Shop', [account('1')], BEFORE);
  const search = await story.team('Search', [account('2')], BEFORE);
  const requests = await story.metric(changes);
  const platform = await story.sharedCost('Platform', [account('4')], {
    type: 'metric',
    metric_id: requests.id,
    labels: { web: shop, find: search },
  });
  const names = { Shop: shop, Search: search };
  return {
    ...story,
    shop,
    search,
    requests,
    platform,
    names,
    numbers: async (month = '2026-01', now = NOW) => inNumbers(await story.month(month, now), names),
  };
}

describeOnBothEngines('bills', (open, onDuckDb) => {
  const test = withOpened(open);

  const total = async ({ orgId }: Pick<TeamStory, 'orgId'>) => {
    const range = { previousStart: '2025-12-01', start: '2026-01-01', end: '2026-01-31' };
    return (await costsOf(test.warehouse, orgId, range, NOW)).total;
  };

  /** Returns January's record of a metric with team scope. */
  const recordOf = async ({ orgId }: Pick<TeamStory, 'orgId'>, metric: Metric) => {
    const { on } = await computeMetricMonths(test.warehouse, orgId, [metric], NOW);
    return test.warehouse.session(async (session) => {
      const facts = await monthFacts(on(session), orgId, [metric.id], { newest: '2026-01', count: 1 });
      return monthRecords(facts.get(metric.id) ?? [], metric, { settleDays: 5 }, NOW)[0];
    });
  };
  const lockOf = async ({ orgId }: Pick<TeamStory, 'orgId'>, metric: Metric, acceptMissing = false) => {
    const organisation = await findOrganisation(test.warehouse, orgId);
    if (organisation === null) throw new Error('no organisation');
    const actor = { type: 'key', id: 'key_1', name: 'Finance' } as const;
    const by = { actor, now: NOW, acceptMissing };
    return lockMonth(test.warehouse, organisation, metric, '2026-01', by);
  };
  /** Returns all versions of a team's January, newest first: amount, cause and reason. */
  const causes = async (story: Pick<TeamStory, 'versions'>, team: string) =>
    (await story.versions(team)).map((bill) => [
      ...[Number(fullyLoaded(bill)), bill.sealed_because, bill.reason],
    ]);

  it('are estimates until the month settles, wait for values, seal, and reseal when values change', async () => {
    const story = await newStory(test);
    expect(await story.month()).toMatchObject({
      status: 'estimate',
      settled: false,
      missing: ['metric "Requests", by which a shared cost is split, has no value for 2026-01'],
    });
    // Without values nobody has the shared cost: 90 + 30.
    expect(await story.numbers()).toEqual({
      Shop: [100, 0, 100],
      Search: [50, 0, 50],
      unallocated: 120,
    });

    expect(await story.settle()).toEqual(['2026-01']);
    expect((await story.month()).status).toBe('waiting');
    expect(await story.versions(story.shop)).toEqual([]);

    // 30 × 2/3 and 1/3.
    await story.values(story.requests, '2026-01', { web: 20, find: 10 });
    expect(
      (await story.versions(story.shop)).map(({ version, shared }) => [version, Number(shared)]),
    ).toEqual([[1, 20]]);
    const sealed = await story.month();
    expect(sealed).toMatchObject({ status: 'sealed', missing: [] });
    expect(sealed.bills?.get(story.shop)).toEqual({
      direct: money('100'),
      shared: money('20'),
      by_source: { cloud: money('100'), kubernetes: money('0'), hosts: money('0'), ai_tools: money('0') },
      shared_costs: [{ id: story.platform, name: 'Platform', amount: money('20') }],
      version: 1,
      sealed_at: NOW.toISOString(),
      sealed_because: 'settled',
      reason: null,
      sealed_by: null,
    });
    expect(await story.numbers()).toEqual({ Shop: [100, 20, 120], Search: [50, 10, 60], unallocated: 90 });

    // Equal values change nothing. Other values do: 30 × 1/6, 2/6, and 3/6 for a label without a team.
    await story.values(story.requests, '2026-01', { web: 20, find: 10 });
    expect(await story.versions(story.shop)).toHaveLength(1);
    await story.values(story.requests, '2026-01', { web: 10, find: 20, other: 30 });
    expect(await story.numbers()).toEqual({ Shop: [100, 5, 105], Search: [50, 10, 60], unallocated: 105 });
    const versions = await story.versions(story.shop);
    expect(
      versions.map(({ version, shared, sealed_because }) => [version, Number(shared), sealed_because]),
    ).toEqual([
      [2, 5, 'values_changed'],
      [1, 20, 'settled'],
    ]);
    // Search's amount is the same, so it gets no other version.
    expect(await story.versions(story.search)).toHaveLength(1);
    expect(await sealBills(test.warehouse, story.orgId, NOW)).toMatchObject({ months: [] });
  });

  it('keep their amounts once sealed: late spend is unallocated, and new owners change nothing', async () => {
    const story = await newStory(test);
    await story.values(story.requests, '2026-01', { web: 2, find: 1 });
    await story.settle();
    await story.spend('2026-01', spendOf({ '1': '107', '2': '50', '3': '90', '4': '33' }));
    await story.own(story.search, [account('2'), account('3')], LATER);
    await story.changeSharedCost(
      story.platform,
      { split: { type: 'even', team_ids: [story.search] } },
      LATER,
    );
    expect(await story.numbers()).toEqual({ Shop: [100, 20, 120], Search: [50, 10, 60], unallocated: 100 });
    // Other values reseal the bill. They split the sealed spend.
    await story.values(story.requests, '2026-01', { web: 1, find: 2 });
    expect(await story.numbers()).toEqual({ Shop: [100, 10, 110], Search: [50, 20, 70], unallocated: 100 });
    // The next month uses today's definitions: Search owns 90 + 50, and 30 is its shared cost.
    await story.spend('2026-02', spendOf({ '1': '100', '2': '50', '3': '90', '4': '30' }, '2026-02-01'));
    expect(await story.numbers('2026-02')).toEqual({
      Shop: [100, 0, 100],
      Search: [140, 30, 170],
      unallocated: 0,
    });
  });

  onDuckDb(() => {
    it('stay sealed if all their values are removed, until there are new values', async () => {
      const story = await newStory(test);
      await story.values(story.requests, '2026-01', { web: 2, find: 1 });
      await story.settle();
      await story.removeValues(story.requests, '2026-01');
      expect((await story.month()).status).toBe('sealed');
      expect(await story.numbers()).toEqual({ Shop: [100, 20, 120], Search: [50, 10, 60], unallocated: 90 });
      await story.values(story.requests, '2026-01', { find: 1 });
      expect(await story.numbers()).toEqual({ Shop: [100, 0, 100], Search: [50, 30, 80], unallocated: 90 });
    });

    it('follow the teams of today in months that settled before there were teams', async () => {
      const story = await newTeamStory(test);
      await story.spend('2026-01', spendOf({ '1': '100', '2': '50' }));
      expect(await story.settle()).toEqual(['2026-01']);
      const shop = await story.team('Shop', [account('1')]);
      expect(inNumbers(await story.month(), { shop })).toEqual({ shop: [100, 0, 100], unallocated: 50 });
      expect((await story.month()).status).toBe('sealed');
      const search = await story.team('Search', []);
      const platform = await story.sharedCost('Platform', [account('2')], {
        type: 'even',
        team_ids: [shop, search],
      });
      expect(inNumbers(await story.month(), { shop, search })).toEqual({
        shop: [100, 25, 125],
        search: [0, 25, 25],
        unallocated: 0,
      });
      expect((await story.versions(shop)).map(({ version }) => version)).toEqual([2, 1]);
      // A split by a metric without values makes them wait again.
      const requests = await story.metric();
      const labels = { web: shop };
      await story.changeSharedCost(platform, { split: { type: 'metric', metric_id: requests.id, labels } });
      expect((await story.month()).status).toBe('waiting');
      await story.values(requests, '2026-01', { web: 1 });
      expect(inNumbers(await story.month(), { shop, search })).toEqual({
        shop: [100, 50, 150],
        search: [0, 0, 0],
        unallocated: 0,
      });
    });

    it.runIf(THOROUGH)(
      'follow the spend of today in such months, and get no version if nothing moves',
      async () => {
        const story = await newTeamStory(test);
        await story.spend('2026-01', spendOf({ '1': '100', '2': '50' }));
        await story.settle();
        const shop = await story.team('Shop', [account('1')], NOW);
        const network = await story.sharedCost('Network', [account('2')], { type: 'even', team_ids: [shop] });
        expect(inNumbers(await story.month(), { shop })).toEqual({ shop: [100, 50, 150], unallocated: 0 });
        expect(await story.month()).toMatchObject({ settledBeforeTeams: true, followsToday: true });
        await story.spend('2026-01', spendOf({ '1': '130', '2': '50' }));
        expect(inNumbers(await story.month(), { shop })).toEqual({ shop: [130, 50, 180], unallocated: 0 });
        // Equal spend, ownership and shared costs, and another name, change no amount.
        await story.spend('2026-01', spendOf({ '1': '130', '2': '50' }));
        await story.own(shop, [account('1')]);
        await story.changeSharedCost(network, {});
        await story.changeSharedCost(network, { name: 'Network', split: { team_ids: [shop], type: 'even' } });
        await story.team('Other');
        expect(inNumbers(await story.month(), { shop })).toEqual({ shop: [130, 50, 180], unallocated: 0 });
        await story.changeSharedCost(network, 'delete');
        expect(inNumbers(await story.month(), { shop })).toEqual({ shop: [130, 0, 130], unallocated: 50 });
        expect(await causes(story, shop)).toEqual([
          [180 - 50, 'backfill', 'changed since: teams or shared costs'],
          [180, 'backfill', 'changed since: spend'],
          [150, 'backfill', 'the month had settled before there were teams'],
        ]);
      },
    );

    it.runIf(THOROUGH)(
      'follow the teams of today in a month that settled after the deletion of a trial team',
      async () => {
        const story = await newTeamStory(test);
        await story.spend('2026-01', spendOf({ '1': '100', '2': '50' }));
        await story.deleteTeam(await story.team('Trial', [account('1')], BEFORE));
        expect(await story.settle()).toEqual(['2026-01']);
        const shop = await story.team('Shop');
        expect(inNumbers(await story.month(), { shop })).toEqual({ shop: [0, 0, 0], unallocated: 150 });
        await story.own(shop, [account('1')]);
        const search = await story.team('Search', [account('2')]);
        expect(inNumbers(await story.month(), { shop, search })).toEqual({
          shop: [100, 0, 100],
          search: [50, 0, 50],
          unallocated: 0,
        });
      },
    );
  });

  it('stay sealed in a month that settles in the very instant in which its teams are made', async () => {
    const story = await newTeamStory(test);
    await story.spend('2026-01', spendOf({ '1': '100', '2': '50' }));
    const shop = await story.team('Shop', [account('1')], NOW);
    expect(await story.settle(NOW)).toEqual(['2026-01']);
    await story.own(shop, [account('1'), account('2')], NOW);
    expect(inNumbers(await story.month(), { shop })).toEqual({ shop: [100, 0, 100], unallocated: 50 });
    expect(await story.versions(shop)).toHaveLength(1);
  });

  onDuckDb(() => {
    it.runIf(THOROUGH)(
      'leave out a team created after the seal, until an admin seals the month again',
      async () => {
        const story = await newStory(test);
        await story.values(story.requests, '2026-01', { web: 2, find: 1 });
        await story.settle();
        const late = await story.team('Late', [account('3')], LATER);
        const users = await newMetric(test.warehouse, story.orgId, {
          frequency: 'monthly',
          scope: { type: 'team', team_id: late },
        });
        await story.values(users, '2026-01', { '': 9 });
        const month = await story.month();
        expect(month.status).toBe('sealed');
        expect(month.bills?.has(late)).toBe(false);
        expect(await story.numbers()).toMatchObject({ Shop: [100, 20, 120], unallocated: 90 });
        const why =
          'the team was created after the bills of 2026-01 had sealed; an admin may seal them again';
        expect(await recordOf(story, users)).toMatchObject({ cost: null, status: 'open', reason: why });
        await expect(lockOf(story, users)).rejects.toThrow(`2026-01 cannot be locked: ${why}`);
        await story.reseal('2026-01', 'Late joins', LATER);
        expect(await recordOf(story, users)).toMatchObject({
          cost: 90,
          unit_cost: 10,
          status: 'ready_to_lock',
        });
        expect(await story.numbers()).toMatchObject({ Shop: [100, 20, 120], unallocated: 0 });
      },
    );
  });

  describe('of a month that settles by backfill', () => {
    onDuckDb(() => {
      it.each<[string, string, string, boolean]>([
        [
          'follow today if the spend of January is complete from 10 February on, with five settle days',
          ...(['2026-02-10T00:00:00Z', '2026-02-10T00:00:00Z', true] as const),
        ],
        [
          'do not follow today if it is complete a second earlier',
          '2026-02-09T23:59:59Z',
          '2026-02-09T23:59:59Z',
          false,
        ],
        [
          'do not follow today if only the settlement is late',
          '2026-02-09T23:59:59Z',
          '2026-02-20T06:00:00Z',
          false,
        ],
      ])('%s', async (_, loadedAt, settledAt, isBackfill) => {
        const story = await newTeamStory(test);
        const shop = await story.team('Shop', [], BEFORE);
        await story.spend('2026-01', spendOf({ '1': '100' }), new Date(loadedAt));
        expect(await story.settle(new Date(settledAt))).toEqual(['2026-01']);
        expect(await story.month()).toMatchObject({ backfilled: isBackfill, followsToday: isBackfill });
        await story.own(shop, [account('1')]);
        expect(inNumbers(await story.month(), { shop })).toMatchObject({
          shop: isBackfill ? [100, 0, 100] : [0, 0, 0],
        });
      });
    });

    it.runIf(THOROUGH)(
      'follow later spend, if the cloud bill is loaded before the feed of the cluster',
      async () => {
        const story = await newTeamStory(test);
        const shop = await story.team('Shop', [account('1'), namespace('shop')], BEFORE);
        await story.spend('2026-01', spendOf({ '2': '50' }), LATER);
        expect(await story.settle(LATER)).toEqual(['2026-01']);
        expect(inNumbers(await story.month('2026-01', LATER), { shop })).toEqual({
          shop: [0, 0, 0],
          unallocated: 50,
        });
        const workload = {
          day: '2026-01-31',
          cluster: 'prod',
          namespace: 'shop',
          workload: 'deployment/api',
        };
        await story.spend('2026-01', { kubernetes_spend: [{ ...workload, is_idle: false, cost: '42' }] });
        expect(inNumbers(await story.month('2026-01', LATER), { shop })).toEqual({
          shop: [42, 0, 42],
          unallocated: 50,
        });
        expect(await causes(story, shop)).toEqual([
          [42, 'backfill', 'changed since: spend'],
          [0, 'backfill', 'the spend of the month was complete late'],
        ]);
      },
    );

    onDuckDb(() => {
      it.runIf(THOROUGH)('follow ownership set after the first ingest, in all twelve months', async () => {
        const story = await newTeamStory(test);
        const shop = await story.team('Shop', [], BEFORE);
        const months = ['02', '03', '04', '05', '06', '07', '08', '09', '10', '11', '12', '01'].map(
          (month) => `${month === '01' ? '2026' : '2025'}-${month}`,
        );
        for (const month of months) await story.spend(month, spendOf({ '1': '7' }, lastDay(month)), LATER);
        expect(await story.settle(LATER)).toEqual(months);
        const bills = async () => {
          const { on } = await sealBills(test.warehouse, story.orgId, LATER);
          const all = await test.warehouse.session((session) =>
            monthBills(on(session), story.orgId, { newest: '2026-01', count: 12 }),
          );
          return all.slice(1).map((month) => [month.status, inNumbers(month, { shop }).unallocated]);
        };
        expect(await bills()).toEqual(months.map(() => ['sealed', 7]));
        await story.own(shop, [account('1')], LATER);
        expect(await bills()).toEqual(months.map(() => ['sealed', 0]));
      });

      it.runIf(THOROUGH)('are null once the source of the month is deleted', async () => {
        const story = await newTeamStory(test);
        const shop = await story.team('Shop', [account('1')], BEFORE);
        await story.spend('2026-01', spendOf({ '1': '100' }), LATER);
        await story.settle(LATER);
        await story.deleteSource('bill');
        expect(await story.month('2026-01', LATER)).toMatchObject({ status: 'estimate', bills: null });
        expect(await story.versions(shop)).toHaveLength(1);
      });
    });
  });

  describe('sealed again by an admin', () => {
    it('get a version with the reason, and no longer follow today', async () => {
      const story = await newTeamStory(test);
      const shop = await story.team('Shop', [account('1')], BEFORE);
      await story.spend('2026-01', spendOf({ '1': '100', '2': '50' }), LATER);
      await story.settle(LATER);
      // The amounts are the same, but from now on a person has confirmed them.
      const sealed = await story.reseal('2026-01', 'checked with finance', LATER);
      expect(sealed).toMatchObject({ status: 'sealed', backfilled: true, followsToday: false });
      await story.spend('2026-01', spendOf({ '1': '130', '2': '50' }));
      await story.own(shop, [account('1'), account('2')], LATER);
      expect(inNumbers(await story.month('2026-01', LATER), { shop })).toEqual({
        shop: [100, 0, 100],
        unallocated: 80,
      });
      await story.reseal('2026-01', 'the restated bill is right', LATER);
      expect(inNumbers(await story.month('2026-01', LATER), { shop })).toMatchObject({ shop: [180, 0, 180] });
      expect(await causes(story, shop)).toEqual([
        [180, 'resealed', 'the restated bill is right'],
        [100, 'resealed', 'checked with finance'],
        [100, 'backfill', 'the spend of the month was complete late'],
      ]);
      expect((await story.versions(shop)).map(({ sealed_by }) => sealed_by?.name)).toEqual([
        ...['Admin', 'Admin', undefined],
      ]);
      const {
        items: [record],
      } = await listAuditLog(test.warehouse, story.orgId, { limit: 2, cursor: null });
      expect(record).toMatchObject({
        actor: ADMIN,
        action: 'bills.reseal',
        target: '2026-01',
        detail: { month: '2026-01', reason: 'the restated bill is right' },
      });
    });

    onDuckDb(() => {
      it('take the spend and owners of today, and later new values, if the month settled in time', async () => {
        const story = await newStory(test);
        await story.values(story.requests, '2026-01', { web: 2, find: 1 });
        await story.settle();
        await story.spend('2026-01', spendOf({ '1': '107', '2': '50', '3': '90', '4': '33' }));
        await story.own(story.search, [account('2'), account('3')], LATER);
        expect(await story.numbers()).toMatchObject({ Shop: [100, 20, 120], Search: [50, 10, 60] });
        await story.reseal('2026-01', 'late invoice', LATER);
        expect(await story.numbers()).toEqual({
          Shop: [107, 22, 129],
          Search: [140, 11, 151],
          unallocated: 0,
        });
        await story.spend('2026-01', spendOf({ '1': '200', '2': '50', '3': '90', '4': '33' }));
        await story.values(story.requests, '2026-01', { web: 1, find: 2 });
        expect(await story.numbers()).toEqual({
          Shop: [107, 11, 118],
          Search: [140, 22, 162],
          unallocated: 93,
        });
        expect((await causes(story, story.shop)).map(([, because]) => because)).toEqual([
          ...['values_changed', 'resealed', 'settled'],
        ]);
      });

      it('need a settled month with spend, teams, and the values that split shared costs', async () => {
        const story = await newStory(test);
        const refused = (words: string, month = '2026-01') =>
          expect(story.reseal(month, 'why not', NOW)).rejects.toThrow(
            `the bills of ${month} cannot be sealed again: ${words}`,
          );
        await refused('the month has not settled');
        await refused('the month has not settled; the month has not ended', '2026-02');
        await story.settle();
        await refused('metric "Requests", by which a shared cost is split, has no value for 2026-01');
        await story.values(story.requests, '2026-01', { web: 2, find: 1 });
        await story.deleteSource('bill');
        await refused('no spend has been ingested for 2026-01');
        const alone = await newTeamStory(test);
        await alone.spend('2026-01', spendOf({ '1': '1' }));
        await alone.settle();
        await expect(alone.reseal('2026-01', 'why not', NOW)).rejects.toThrow(/there are no teams$/);
      });
    });
  });

  it('include every change of two metrics at once, even if the clock of one machine is behind', async () => {
    const story = await newStory(test);
    const jobs = await story.metric({ name: 'Jobs' });
    const labels = { web: story.shop, find: story.search };
    const split = { type: 'metric', metric_id: jobs.id, labels } as const;
    await story.sharedCost('Batch', [account('3')], split, BEFORE);
    await story.values(story.requests, '2026-01', { web: 2, find: 1 });
    await onClockBehind(() => story.values(jobs, '2026-01', { web: 1, find: 2 }));
    await story.settle();
    // 30 × 2/3 and 90 × 1/3.
    expect(await story.numbers()).toMatchObject({ Shop: [100, 50, 150], Search: [50, 70, 120] });
    await story.values(story.requests, '2026-01', { web: 1, find: 1 });
    await onClockBehind(() => story.values(jobs, '2026-01', { web: 1, find: 0 }));
    expect(await story.numbers()).toMatchObject({ Shop: [100, 105, 205], Search: [50, 15, 65] });
  });

  onDuckDb(() => {
    it('add up to the total with the unallocated rest, to the last decimal', async () => {
      const story = await newTeamStory(test);
      await story.spend('2026-01', {
        ...spendOf({
          '1': '100.000000000000001',
          '2': '-7.123456789012345',
          '3': '0.000000000000001',
          '4': '33.333333333333333',
        }),
        // Both feeds cover January from its first day on.
        kubernetes_spend: [
          { day: '2026-01-01', cluster: 'prod', is_idle: true, cost: '11' },
          { day: '2026-01-31', cluster: 'prod', is_idle: true, cost: '0.1' },
        ],
        ai_tool_spend: [
          { day: '2026-01-01', tool: 'assistant', kind: 'seat', cost: '5' },
          { day: '2026-01-31', tool: 'assistant', kind: 'seat', cost: '0.7' },
        ],
      });
      const teams = [];
      for (const name of ['A', 'B', 'C'])
        teams.push(await story.team(name, name === 'A' ? [account('1')] : [], BEFORE));
      const [a = '', b = '', c = ''] = teams;
      await story.sharedCost('Even', [account('2')], { type: 'even', team_ids: teams }, BEFORE);
      await story.sharedCost(
        'Fixed',
        [account('3')],
        {
          type: 'fixed',
          shares: [
            { team_id: a, percent: 33.333333 },
            { team_id: b, percent: 33.333333 },
          ],
        },
        BEFORE,
      );
      const requests = await story.metric({ aggregation: 'average', frequency: 'daily' });
      const labels = { x: a, y: b, z: c };
      await story.sharedCost(
        'By requests',
        [account('4')],
        { type: 'metric', metric_id: requests.id, labels },
        BEFORE,
      );
      await story.values(requests, '2026-01-01', { x: 1, y: 1 });
      await story.values(requests, '2026-01-02', { x: 0.0000000001, z: 1, nobody: 1 });
      for (const settle of [false, true]) {
        if (settle) await story.settle();
        const month = await story.month();
        expect(month.status).toBe(settle ? 'sealed' : 'estimate');
        const bills = [...(month.bills?.values() ?? [])].map(fullyLoaded);
        const sum = bills.reduce((all, bill) => all.plus(bill), Big(month.unallocated ?? 'NaN'));
        expect(sum.toFixed(15)).toBe(await total(story));
        // −7.123456789012345 ÷ 3 = −2.374485596337448, and A gets the one unit left over.
        expect(teams.map((id) => month.bills?.get(id)?.shared_costs[0]?.amount)).toEqual([
          '-2.374485596337449',
          '-2.374485596337448',
          '-2.374485596337448',
        ]);
        // A third of one unit each. The largest part, 33.333334 %, has no team.
        expect(teams.map((id) => month.bills?.get(id)?.shared_costs[1])).toMatchObject([
          { amount: '0.000000000000000' },
          { amount: '0.000000000000000' },
          { name: 'By requests' },
        ]);
        expect(month.bills?.get(a)?.by_source.cloud).toBe('100.000000000000001');
      }
    });

    it('seal with the shared cost unallocated if all values of its metric are 0', async () => {
      const story = await newStory(test);
      await story.values(story.requests, '2026-01', { web: 0, find: 0 });
      await story.settle();
      expect((await story.month()).status).toBe('sealed');
      expect(await story.numbers()).toEqual({ Shop: [100, 0, 100], Search: [50, 0, 50], unallocated: 120 });
    });

    it('are null for a month without any delivered spend', async () => {
      const story = await newStory(test);
      expect(await story.month('2025-12')).toMatchObject({
        bills: null,
        unallocated: null,
        status: 'estimate',
      });
    });

    it('protect the metric that splits a shared cost, and its label key', async () => {
      const story = await newStory(test);
      const change = (changes: Parameters<typeof updateMetric>[3]) =>
        updateMetric(test.warehouse, story.orgId, story.requests.id, changes, BY_ADMIN);
      for (const changes of ['delete', { label_key: null }] as const)
        await expect(change(changes)).rejects.toThrow(/needed to split shared cost "Platform"/);
      const plain = await newMetric(test.warehouse, story.orgId);
      const split = { type: 'metric', metric_id: plain.id, labels: { web: story.shop } } as const;
      await expect(story.changeSharedCost(story.platform, { split })).rejects.toThrow(
        'split.metric_id: expected a metric with a label key, got one without',
      );
      await story.changeSharedCost(story.platform, 'delete');
      expect((await change('delete'))?.id).toBe(story.requests.id);
    });
  });

  describe('divided by a metric', () => {
    const teamStory = async () => {
      const story = await newStory(test);
      const scope = { type: 'team', team_id: story.shop } as const;
      const users = await newMetric(test.warehouse, story.orgId, {
        name: 'Users',
        frequency: 'monthly',
        scope,
      });
      await story.values(users, '2026-01', { '': 10 });
      return {
        ...story,
        record: () => recordOf(story, users),
        lock: (acceptMissing = false) => lockOf(story, users, acceptMissing),
      };
    };

    onDuckDb(() => {
      it('give the estimate, then the sealed amount, and are ready to lock once sealed', async () => {
        const story = await teamStory();
        const reason = 'metric "Requests", by which a shared cost is split, has no value for 2026-01';
        const estimate = { cost: 100, value: 10, unit_cost: 10, status: 'open', reason };
        expect(await story.record()).toMatchObject(estimate);
        await story.settle();
        expect(await story.record()).toMatchObject(estimate);
        await expect(story.lock()).rejects.toThrow(`2026-01 cannot be locked: ${reason}`);
        await story.values(story.requests, '2026-01', { web: 2, find: 1 });
        expect(await story.record()).toMatchObject({
          cost: 120,
          unit_cost: 12,
          status: 'ready_to_lock',
          reason: null,
        });
      });
    });

    onDuckDb(() => {
      it('cannot be locked without values to split by, even if missing spend is accepted', async () => {
        const story = await teamStory();
        await newSource(test.warehouse, story.orgId, { name: 'Hosts', kind: 'hosts', options: {} });
        const [missing, values] = [
          'cost source "Hosts" has not delivered 2026-01-01 to 2026-01-31 (nothing so far)',
          'metric "Requests", by which a shared cost is split, has no value for 2026-01',
        ];
        await expect(story.lock(true)).rejects.toThrow(`2026-01 cannot be locked: ${values}; ${missing}`);
        await story.values(story.requests, '2026-01', { web: 2, find: 1 });
        expect(await story.lock(true)).toMatchObject({ cost: 120, status: 'locked' });
      });
    });

    it.runIf(THOROUGH)('show another version only while the month is not locked', async () => {
      const story = await teamStory();
      await story.values(story.requests, '2026-01', { web: 2, find: 1 });
      await story.settle();
      await story.values(story.requests, '2026-01', { web: 1, find: 2 });
      expect(await story.record()).toMatchObject({ cost: 110, status: 'ready_to_lock' });
      expect(await story.lock()).toMatchObject({ cost: 110, status: 'locked', version: 1 });
      await story.values(story.requests, '2026-01', { web: 3, find: 0 });
      expect(await story.versions(story.shop)).toHaveLength(3);
      expect(await story.record()).toMatchObject({ cost: 110, status: 'locked' });
    });
  });

  it('seal once when three requests seal at once', async () => {
    const story = await newStory(test);
    await story.values(story.requests, '2026-01', { web: 2, find: 1 });
    await story.settle();
    await story.values(story.requests, '2026-01', { web: 1, find: 1 });
    await Promise.all([1, 2, 3].map(() => sealBills(test.warehouse, story.orgId, NOW)));
    expect((await story.versions(story.shop)).map(({ version }) => version)).toEqual([2, 1]);
  });

  it('make a metric of the team partial if a tag was not yet collected in the month', async () => {
    const story = await newStory(test);
    const tag: SpendPick = { source: 'cloud', cloud: 'aws', tag: { key: 'team', value: 'shop' } };
    await story.own(story.shop, [account('1'), tag], NOW);
    const users = await newMetric(test.warehouse, story.orgId, {
      scope: { type: 'team', team_id: story.shop },
    });
    const { on } = await computeMetricMonths(test.warehouse, story.orgId, [users], NOW);
    const facts = await test.warehouse.session((session) =>
      monthFacts(on(session), story.orgId, [users.id], { newest: '2026-01', count: 1 }),
    );
    expect(facts.get(users.id)?.[1]?.uncollected).toEqual([
      'tag key "team" of aws is collected from 2026-02-07 on',
    ]);
  });

  onDuckDb(() => {
    it.runIf(THOROUGH)(
      'report tags that were not collected when they sealed, and no later ones',
      async () => {
        const story = await newStory(test);
        const tag = (value: string): SpendPick => ({
          source: 'cloud',
          cloud: 'aws',
          tag: { key: 'team', value },
        });
        const uncollected = async (team: string, month = '2026-01') =>
          (await story.month(month)).uncollected[team] ?? [];
        await story.values(story.requests, '2026-01', { web: 1 });
        await story.settle();
        expect((await story.month()).status).toBe('sealed');
        // January sealed without the tag. February has not sealed, and began before the tag's first use.
        const split: Split = { type: 'even', team_ids: [story.shop] };
        const network = await story.sharedCost('Network', [tag('network')], split, NOW);
        await story.own(story.search, [account('2'), tag('search')], NOW);
        const since = ['tag key "team" of aws is collected from 2026-02-07 on'];
        for (const team of [story.shop, story.search]) {
          expect(await uncollected(team)).toEqual([]);
          expect(await uncollected(team, '2026-02')).toEqual(since);
        }
        await story.changeSharedCost(network, 'delete');
        // Shop shares no tag any more. But since the seventh Search's tag takes spend from its account.
        expect(await uncollected(story.shop, '2026-02')).toEqual([
          'tag key "team" of aws, by which another team or shared cost takes spend, is collected from 2026-02-07 on',
        ]);
        expect(await uncollected(story.search, '2026-02')).toEqual(since);
      },
    );
  });

  onDuckDb(() => {
    // Account 1111 costs 10 a day, of which 4 are tagged search. B picks the tag on 15 January.
    it('are partial in the month in which the tag of another team begins to take spend', async () => {
      const story = await newTeamStory(test);
      const at = (day: string) => new Date(`${day}T06:00:00Z`);
      const daily = (month: string, count: number, tagged: (day: number) => boolean) =>
        story.spend(month, {
          cloud_spend: Array.from({ length: count }, (_, index) => {
            const day = `${month}-${String(index + 1).padStart(2, '0')}`;
            const line = { day, cloud: 'aws', account: '1111' };
            const tag = tagged(index + 1) ? { tag_key: 'team', tag_value: 'search' } : {};
            return [
              { ...line, cost: '6' },
              { ...line, ...tag, cost: '4' },
            ];
          }).flat(),
        });
      await daily('2025-12', 31, () => false);
      const a = await story.team('A', [account('1111')], at('2025-12-01'));
      const c = await story.team('C', [account('2222')], at('2025-12-01'));
      const tag: SpendPick = { source: 'cloud', cloud: 'aws', tag: { key: 'team', value: 'search' } };
      const b = await story.team('B', [tag], at('2026-01-15'));
      await daily('2026-01', 31, (day) => day >= 15);
      await daily('2026-02', 28, () => true);
      const teams = { A: a, B: b, C: c };
      const month = async (which: string) => {
        const found = await story.month(which);
        const words = Object.entries(teams).map(([name, id]) => [name, found.uncollected[id] ?? []]);
        return {
          ...inNumbers(found, teams),
          uncollected: Object.fromEntries(words) as Record<string, string[]>,
        };
      };
      const since = 'tag key "team" of aws is collected from 2026-01-15 on';
      const taken =
        'tag key "team" of aws, by which another team or shared cost takes spend, is collected from 2026-01-15 on';
      expect(await month('2025-12')).toMatchObject({
        A: [310, 0, 310], // nothing was taken from it yet
        uncollected: { A: [], B: [since], C: [] },
      });
      // 4 on each of 17 days went to B. The tag may take from any account of aws, so C's month is mixed too.
      expect(await month('2026-01')).toMatchObject({
        A: [242, 0, 242],
        B: [68, 0, 68],
        uncollected: { A: [taken], B: [since], C: [taken] },
      });
      expect(await month('2026-02')).toMatchObject({
        A: [42, 0, 42], // seven days so far
        B: [28, 0, 28],
        uncollected: { A: [], B: [], C: [] },
      });
      const metric = await newMetric(test.warehouse, story.orgId, { scope: { type: 'team', team_id: a } });
      const { on } = await computeMetricMonths(test.warehouse, story.orgId, [metric], NOW);
      const facts = await test.warehouse.session((session) =>
        monthFacts(on(session), story.orgId, [metric.id], { newest: '2026-02', count: 3 }),
      );
      expect(facts.get(metric.id)?.map(({ month: of, uncollected }) => [of, uncollected])).toEqual([
        ['2025-11', []],
        ['2025-12', []],
        ['2026-01', [taken]],
        ['2026-02', []],
      ]);
    });
  });
});
