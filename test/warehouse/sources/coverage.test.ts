import { describe, expect, it } from 'vitest';
import { addDays, monthOf, type Day } from '../../../domain/shared/calendar.ts';
import { sealBills } from '../../../warehouse/teams/bills/bill-sealing.ts';
import { monthBills } from '../../../warehouse/teams/bills/bills.ts';
import { lockMonth } from '../../../warehouse/months/month-locks.ts';
import { newestDays } from '../../../warehouse/sources/coverage.ts';
import { stageHosts } from '../../../warehouse/sources/hosts-load.ts';
import { computeMetricMonths } from '../../../warehouse/months/metric-months.ts';
import { monthFacts } from '../../../warehouse/months/month-facts.ts';
import { createTeam } from '../../../warehouse/teams/teams.ts';
import { monthRecords, type MonthRecord } from '../../../domain/months/month-record.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { publishSpend } from '../../support/warehouse/published-spend.ts';
import { loadWith, scopeOf } from '../../support/warehouse/feeds.ts';
import {
  BY_ADMIN,
  NOW,
  loadText,
  money,
  newMetric,
  newSource,
  published,
  writeFiles,
} from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';
import { january, KEY, newMonthStory, type MonthStory } from '../months/month-story.ts';

describeOnBothEngines('coverage', (open, onDuckDb) => {
  const test = withOpened(open);

  /** Returns `cost` for every day from `from` to `through`. */
  const daily = (from: Day, through: Day, cost: string): Record<Day, string> => {
    const days: Record<Day, string> = {};
    for (let day = from; day <= through; day = addDays(day, 1)) days[day] = cost;
    return days;
  };

  it('has a newest day for each source of every organisation, once that day has ended', async () => {
    const [one, other, silent] = [
      await newMonthStory(test),
      await newMonthStory(test),
      await newMonthStory(test),
    ];
    // 6 February has not ended when the load is published.
    await one.spend(
      { '2026-02-05': '1', '2026-02-06': '1' },
      one.source.id,
      new Date('2026-02-06T23:00:00Z'),
    );
    await other.spend({ '2026-01-20': '1' });
    await other.changeSource({ schedule_paused: true });
    const deleted = await newSource(test.warehouse, other.orgId, { name: 'Deleted' });
    await other.spend({ '2026-02-01': '1' }, deleted.id);
    await other.changeSource('delete', deleted.id);

    const orgs = [one, other, silent].map(({ orgId }) => orgId);
    expect((await newestDays(test.warehouse)).filter(({ org_id }) => orgs.includes(org_id))).toEqual([
      {
        org_id: one.orgId,
        source_id: one.source.id,
        schedule_paused: false,
        newest_day: '2026-02-05',
      },
      {
        org_id: other.orgId,
        source_id: other.source.id,
        schedule_paused: true,
        newest_day: '2026-01-20',
      },
    ]);
  });

  describe('of a bill', () => {
    it('includes a day only once it has ended', async () => {
      const story = await newMonthStory(test);
      await story.values({ '2026-01-10': 1 });
      // One dollar an hour: 30 full days and three hours, 723 of the month's 744.
      const days = daily('2026-01-01', '2026-01-30', '24');
      await story.spend({ ...days, '2026-01-31': '3' }, story.source.id, new Date('2026-01-31T04:30:00Z'));
      const { id: team } = await createTeam(
        test.warehouse,
        story.orgId,
        { name: 'Shop', ownership: [{ source: 'cloud', cloud: 'aws', account: '1111' }] },
        BY_ADMIN,
      );
      const bill = async () => {
        const { on } = await sealBills(test.warehouse, story.orgId, NOW);
        const months = await test.warehouse.session((session) =>
          monthBills(on(session), story.orgId, { newest: '2026-01', count: 1 }),
        );
        const ofMonth = months.at(-1);
        return [ofMonth?.status, ofMonth?.bills?.get(team)?.direct];
      };
      expect(await story.settle()).toEqual([]);
      expect(await bill()).toEqual(['estimate', money('723')]);
      expect(await january(story)).toMatchObject({
        cost: 723,
        status: 'open',
        reason: 'cost source "Bill" has not delivered 2026-01-31 (delivered through 2026-01-30)',
        complete_through: '2026-01-30',
        // 723 ÷ 31 days: of the last day, the bill has a part.
        missing: [{ code: 'not_delivered', amount: 23.32 }],
      });
      await story.spend({ ...days, '2026-01-31': '24' });
      expect(await story.settle()).toEqual(['2026-01']);
      expect(await january(story)).toMatchObject({ cost: 744, status: 'ready_to_lock' });
      expect(await bill()).toEqual(['sealed', money('744')]);
    });

    onDuckDb(() => {
      it('includes only its own billing period: a correction of an earlier month delivers nothing', async () => {
        const story = await newMonthStory(test);
        await story.values({ '2025-12-10': 1, '2026-01-10': 1 });
        // January's bill has a credit of 5 for 31 December. Each day of January costs 10.
        const days = daily('2026-01-01', '2026-01-31', '10');
        await loadText(
          test,
          { orgId: story.orgId, sourceId: story.source.id },
          focusCsv([
            ...Object.entries(days).map(([day, cost]) => dayLine(day, cost)),
            dayLine('2025-12-31', '-5', { BillingPeriodStart: '2026-01-01T00:00:00Z' }),
          ]),
        );
        expect(await story.settle()).toEqual(['2026-01']);
        expect(await story.months(2)).toMatchObject([
          { month: '2026-01', cost: 310, status: 'ready_to_lock', change_percent: null },
          { month: '2025-12', cost: null, status: 'open' },
        ]);
        // With December's own bill, the correction counts in December: 31 × 8 − 5.
        await story.spend(daily('2025-12-01', '2025-12-31', '8'));
        expect(await story.settle()).toEqual(['2025-12']);
        expect((await story.months(2))[1]).toMatchObject({ cost: 243, status: 'ready_to_lock' });
      });

      it('does not include 31 December if January brings only a correction of it', async () => {
        const story = await newMonthStory(test);
        await story.values({ '2025-12-10': 1 });
        await story.spend({ '2025-12-01': '100', '2025-12-30': '140' });
        await loadText(
          test,
          { orgId: story.orgId, sourceId: story.source.id },
          focusCsv([dayLine('2025-12-31', '-5', { BillingPeriodStart: '2026-01-01T00:00:00Z' })]),
        );
        expect(await story.settle()).toEqual([]);
        const [december] = await story.months(1, '2025-12');
        expect(december).toMatchObject({ status: 'open' });
        expect(december?.reason).toContain('cost source "Bill" has not delivered 2025-12-31');
        // February's bill extends the coverage of the source: December costs 100 + 140 − 5, and January 0.
        await story.spend({ '2026-02-06': '8' });
        expect(await story.settle()).toEqual(['2025-12', '2026-01']);
        expect(await story.months(2)).toMatchObject([{ cost: 0 }, { cost: 235 }]);
      });
    });

    it('lacks February without its file: the month is open with a reason, and cannot be locked', async () => {
      const now = new Date('2026-04-07T06:00:00Z');
      const story = await newMonthStory(test);
      await story.values({ '2026-01-10': 1 });
      for (const month of ['2026-01', '2026-03'])
        await story.spend(daily(`${month}-01`, `${month}-31`, '10'), story.source.id, now);
      expect(await story.settle(now)).toEqual(['2026-01', '2026-03']);
      const [march, february] = await story.months(2, '2026-03', now);
      expect(march).toMatchObject({ cost: 310, change_percent: null });
      // 28 days at January's 10
      expect(february).toMatchObject({ cost: null, status: 'open', missing: [{ amount: 280 }] });
      expect(february?.reason).toContain(
        'cost source "Bill" has not delivered 2026-02-01 to 2026-02-28 (it has later days, but no load of 2026-02 with these)',
      );
      for (const acceptMissing of [false, true])
        await expect(story.lock('2026-02', now, acceptMissing)).rejects.toThrow(
          /2026-02 cannot be locked: .*no spend has been ingested for 2026-02/,
        );
    });

    onDuckDb(() => {
      it('ends with the last day of an export that is no longer updated', async () => {
        const story = await newMonthStory(test);
        await story.spend({ '2026-01-05': '100', '2026-01-20': '100' });
        expect(await story.settle()).toEqual([]);
        // Days without a charge count as delivered once the source has later days, unless an account had spend every day.
        await story.spend({ '2026-02-03': '1' });
        expect(await story.settle()).toEqual(['2026-01']);
      });
    });
  });

  describe('of a source that began later', () => {
    const CLUSTER_AND_ACCOUNT = {
      type: 'spend',
      spend: [
        { source: 'cloud', cloud: 'aws', account: '1111' },
        { source: 'kubernetes', cluster: 'prod', namespace: 'shop' },
      ],
    } as const;

    const recordsOf = async (
      story: MonthStory,
      metric: Awaited<ReturnType<typeof newMetric>>,
    ): Promise<MonthRecord[]> => {
      const { on } = await computeMetricMonths(test.warehouse, story.orgId, [metric], NOW);
      return test.warehouse.session(async (session) => {
        const facts = await monthFacts(on(session), story.orgId, [metric.id], {
          newest: '2026-01',
          count: 2,
        });
        return monthRecords(facts.get(metric.id) ?? [], metric, { settleDays: 5 }, NOW);
      });
    };

    /** Returns a settled bill of December and January. Stories connect a cluster later, with data from 20 January on. */
    const clusterStory = async () => {
      const story = await newMonthStory(
        test,
        {},
        { scope: { ...CLUSTER_AND_ACCOUNT, spend: [...CLUSTER_AND_ACCOUNT.spend] } },
      );
      const whole = await newMetric(test.warehouse, story.orgId, { name: 'Whole' });
      await story.values({ '2025-12-10': 10, '2026-01-10': 10 });
      await story.spend({ ...daily('2025-12-01', '2026-01-31', '10') });
      expect(await story.settle()).toEqual(['2025-12', '2026-01']);
      return { ...story, whole };
    };

    const connectCluster = async (story: MonthStory): Promise<string> => {
      const { id } = await newSource(test.warehouse, story.orgId, {
        name: 'Cluster',
        kind: 'opencost',
        options: {},
      });
      return id;
    };

    const loadCluster = (story: MonthStory, sourceId: string, from = '2026-01-20', through = '2026-01-31') =>
      publishSpend(test.warehouse, { orgId: story.orgId, sourceId }, monthOf(from), {
        kubernetes_spend: Object.keys(daily(from, through, '')).map((day) => ({
          day,
          cluster: 'prod',
          namespace: 'shop',
          workload: 'deployment/api',
          is_idle: false,
          cost: '2',
        })),
      });

    onDuckDb(() => {
      it('keeps metrics that pick its kind open, with a reason', async () => {
        const story = await clusterStory();
        expect((await recordsOf(story, story.metric))[0]).toMatchObject({
          status: 'open',
          reason: 'no Kubernetes spend has been ingested for 2026-01, its picks count 0',
        });
        // A new source without a load has delivered nothing.
        const cluster = await connectCluster(story);
        expect((await recordsOf(story, story.metric))[0]?.reason).toContain(
          'cost source "Cluster" has not delivered 2026-01-01 to 2026-01-31 (nothing so far)',
        );
        await loadCluster(story, cluster);
        const from = '(it delivers from 2026-01-20 on; set its starts_on if it had no spend before)';
        // So far the account's 310, and 12 × 2 of the namespace.
        expect(await recordsOf(story, story.metric)).toMatchObject([
          {
            month: '2026-01',
            cost: 334,
            status: 'open',
            reason: `cost source "Cluster" has not delivered 2026-01-01 to 2026-01-19 ${from}`,
            // Nobody knows what it cost before its first day.
            missing: [{ amount: null }],
            complete_through: null,
          },
          {
            month: '2025-12',
            cost: 310,
            status: 'open',
            reason: expect.stringContaining(
              `cost source "Cluster" has not delivered 2025-12-01 to 2025-12-31 ${from}`,
            ) as string,
          },
        ]);
        await story.changeSource({ starts_on: '2026-01-20' }, cluster);
        expect(await recordsOf(story, story.metric)).toMatchObject([
          { month: '2026-01', cost: 334, status: 'ready_to_lock', notes: [] },
          { month: '2025-12', cost: 310, status: 'ready_to_lock', notes: [] },
        ]);
      });

      it('keeps settled months of the organisation settled; a note names the first day that it delivers', async () => {
        const story = await clusterStory();
        const values = { orgId: story.orgId, id: story.whole.id };
        expect(values.id).not.toBe(story.metric.id);
        const cluster = await connectCluster(story);
        expect((await recordsOf(story, story.whole))[1]).toMatchObject({
          cost: 310,
          notes: [
            'cost source "Cluster" was connected after 2025-12 had settled: it has delivered nothing yet',
          ],
        });
        await loadCluster(story, cluster);
        expect(await recordsOf(story, story.whole)).toMatchObject([
          {
            month: '2026-01',
            cost: 334,
            reason: 'no value has been recorded for 2026-01',
            notes: [
              'cost source "Cluster" was connected after 2026-01 had settled: it delivers from 2026-01-20 on',
            ],
          },
          {
            month: '2025-12',
            cost: 310,
            reason: 'no value has been recorded for 2025-12',
            notes: [
              'cost source "Cluster" was connected after 2025-12 had settled: it delivers from 2026-01-20 on',
            ],
          },
        ]);
        await loadCluster(story, cluster, '2025-11-30', '2025-11-30');
        expect((await recordsOf(story, story.whole))[1]?.notes).toEqual([
          'cost source "Cluster" was connected after 2025-12 had settled: it delivers from 2025-11-30 on, ' +
            'and lacks 2025-12-01 to 2025-12-31',
        ]);
      });
    });

    it('can be accepted as missing by a lock, and the version keeps what was missing', async () => {
      const story = await clusterStory();
      await loadCluster(story, await connectCluster(story));
      const lock = (acceptMissing: boolean) =>
        lockMonth(test.warehouse, story.organisation, story.metric, '2026-01', {
          actor: KEY,
          now: NOW,
          acceptMissing,
        });
      await expect(lock(false)).rejects.toThrow('send {"accept_missing": true} to lock it without');
      expect(await lock(true)).toMatchObject({
        status: 'locked',
        version: 1,
        cost: 334,
        unit_cost: 33.4,
        complete_through: null,
      });
      expect(await story.versions('2026-01')).toMatchObject([
        {
          version: 1,
          missing: [
            'cost source "Cluster" has not delivered 2026-01-01 to 2026-01-19 ' +
              '(it delivers from 2026-01-20 on; set its starts_on if it had no spend before)',
          ],
        },
      ]);
      // A later version needs the acceptance again.
      await story.values({ '2026-01-10': 20 });
      await expect(lock(false)).rejects.toThrow('has not delivered 2026-01-01 to 2026-01-19');
      expect(await lock(true)).toMatchObject({ version: 2, unit_cost: 16.7 });
    });
  });

  describe('of hosts, which have spend every day', () => {
    /** One dollar an hour. */
    const FULL = '24';

    const hostStory = async () => {
      const story = await newMonthStory(test);
      await story.changeSource('delete');
      const { id } = await newSource(test.warehouse, story.orgId, {
        name: 'Hosts',
        kind: 'hosts',
        options: {},
      });
      await story.values({ '2026-01-10': 1, '2026-02-10': 1 });
      const load = async (days: Record<Day, string>, at: string, acceptShrink = false): Promise<void> => {
        const rows = Object.entries(days).map(([day, cost]) => `${day},host-1,web,${cost}`);
        const paths = await writeFiles(test, {
          'hosts.csv': ['day,host,service,cost', ...rows, ''].join('\n'),
        });
        const scope = scopeOf({ orgId: story.orgId, sourceId: id }, { now: new Date(at), acceptShrink });
        await loadWith(test, paths, (sessions, files) =>
          published(sessions, scope, (load) => stageHosts(sessions, load, files)),
        );
      };
      return { ...story, load };
    };

    it('has the days that each run read, even if a later run keeps its days', async () => {
      const story = await hostStory();
      // At 04:30 on the 10th the file has nine full days and three hours. The host reports again from the 13th on.
      await story.load(
        { ...daily('2026-01-01', '2026-01-09', FULL), '2026-01-10': '3' },
        '2026-01-10T04:30:00Z',
      );
      await story.load(daily('2026-01-13', '2026-01-19', FULL), '2026-01-20T06:00:00Z');
      await story.load(daily('2026-01-25', '2026-02-06', FULL), '2026-02-07T06:00:00Z');
      expect(await story.settle()).toEqual([]);
      // 9 + 7 + 7 full days and three hours.
      expect(await january(story)).toMatchObject({
        cost: 555,
        status: 'open',
        complete_through: '2026-01-09',
        reason:
          'cost source "Hosts" has not delivered 2026-01-10 to 2026-01-24 (its files were written before 2026-01-10 had ended)',
      });
      await story.load(daily('2026-01-10', '2026-01-24', FULL), '2026-02-07T06:00:00Z');
      expect(await story.settle()).toEqual(['2026-01']);
      expect(await january(story)).toMatchObject({ cost: 744, status: 'ready_to_lock' });
    });

    onDuckDb(() => {
      it('does not grow by days of other months: February has only its last nine days', async () => {
        const story = await hostStory();
        const now = new Date('2026-04-07T06:00:00Z');
        await story.load(daily('2026-01-01', '2026-01-31', FULL), '2026-02-01T06:00:00Z');
        await story.load(daily('2026-02-20', '2026-02-28', FULL), '2026-03-01T06:00:00Z');
        await story.load(daily('2026-03-01', '2026-03-31', FULL), '2026-04-01T06:00:00Z');
        expect(await story.settle(now)).toEqual(['2026-01', '2026-03']);
        expect((await story.months(2, '2026-03', now))[1]).toMatchObject({
          month: '2026-02',
          cost: 216,
          status: 'open',
          complete_through: null,
        });
        // One file with days before and after the gap also reads the days between. The host is missing then.
        await story.load(
          { '2026-01-31': FULL, ...daily('2026-02-20', '2026-02-28', FULL) },
          '2026-04-07T06:00:00Z',
        );
        expect(await story.settle(now)).toEqual([]);
        const [february] = await story.months(1, '2026-02', now);
        expect(february?.missing).toMatchObject([
          { sentence: expect.stringContaining('has no spend from 2026-02-01 to 2026-02-19') as string },
        ]);
      });

      it('loses the days that an ingest drops with accept_shrink', async () => {
        const story = await hostStory();
        await story.load(daily('2026-01-01', '2026-01-31', FULL), '2026-02-01T06:00:00Z');
        await story.load(daily('2026-01-20', '2026-01-31', FULL), '2026-02-02T06:00:00Z', true);
        expect(await story.settle()).toEqual([]);
        expect(await january(story)).toMatchObject({ cost: 288, complete_through: null });
      });
    });
  });

  onDuckDb(() => {
    describe('of a month that has not settled', () => {
      const ACCOUNT = { type: 'spend', spend: [{ source: 'cloud', cloud: 'aws', account: '1111' }] } as const;

      it('keeps a metric that picks other spend open with the reason, and can be accepted', async () => {
        const story = await newMonthStory(test, {}, { scope: { ...ACCOUNT, spend: [...ACCOUNT.spend] } });
        await newSource(test.warehouse, story.orgId, { name: 'Cluster', kind: 'opencost', options: {} });
        await story.values({ '2026-01-10': 10 });
        await story.spend(daily('2026-01-01', '2026-01-31', '10'));
        expect(await story.settle()).toEqual([]);
        // The account may contain the cluster's nodes, so its cost is not final without the cluster.
        const reason = 'cost source "Cluster" has not delivered 2026-01-01 to 2026-01-31 (nothing so far)';
        expect(await january(story)).toMatchObject({ cost: 310, status: 'open', reason });
        await expect(story.lock('2026-01')).rejects.toThrow(`2026-01 cannot be locked: ${reason}`);
        expect(await story.lock('2026-01', NOW, true)).toMatchObject({ status: 'locked', unit_cost: 31 });
        expect(await story.versions('2026-01')).toMatchObject([{ missing: [reason] }]);
      });

      it('needs a paused source if there is no other', async () => {
        const story = await newMonthStory(test);
        await story.values({ '2026-01-10': 10 });
        await story.spend(daily('2026-01-01', '2026-01-20', '10'));
        await story.changeSource({ schedule_paused: true });
        expect(await story.settle()).toEqual([]);
        expect(await january(story)).toMatchObject({
          cost: 200,
          status: 'open',
          reason:
            'cost source "Bill" has not delivered 2026-01-21 to 2026-01-31 (delivered through 2026-01-20)',
        });
        expect(await story.lock('2026-01', NOW, true)).toMatchObject({ status: 'locked', unit_cost: 20 });
      });

      it('includes the days before the source starts, at a cost of 0', async () => {
        const story = await newMonthStory(test);
        await story.values({ '2025-11-10': 4, '2026-01-10': 10 });
        await story.spend(daily('2026-01-01', '2026-01-31', '10'));
        await story.changeSource({ starts_on: '2026-01-01' });
        expect(await story.settle()).toEqual(['2025-11', '2025-12', '2026-01']);
        expect(await story.months(3)).toMatchObject([
          { cost: 310, status: 'ready_to_lock' },
          { cost: 0, status: 'open', reason: 'no value has been recorded for 2025-12' },
          { cost: 0, status: 'ready_to_lock' },
        ]);
      });

      it('keeps delivered days if the start of the source is set after them', async () => {
        const story = await newMonthStory(test);
        await story.spend(daily('2026-01-01', '2026-01-10', '10'));
        await story.changeSource({ starts_on: '2026-02-01' });
        expect(await story.settle()).toEqual([]);
        expect((await january(story)).complete_through).toBe('2026-01-10');
      });
    });
  });

  onDuckDb(() => {
    it('is needed again if a new source replaces the source of a settled month', async () => {
      const story = await newMonthStory(test);
      await story.values({ '2026-01-10': 10 });
      await story.spend(daily('2026-01-01', '2026-01-31', '10'));
      expect(await story.settle()).toEqual(['2026-01']);
      await story.changeSource('delete');
      const { id } = await newSource(test.warehouse, story.orgId, { name: 'Bill again' });
      await story.spend(daily('2026-01-01', '2026-01-03', '10'), id);
      expect(await january(story)).toMatchObject({
        cost: 30,
        status: 'open',
        notes: [],
        reason:
          'cost source "Bill again" has not delivered 2026-01-04 to 2026-01-31 (delivered through 2026-01-03)',
      });
    });
  });

  onDuckDb(() => {
    it('can be accepted as missing, unlike values and settle days', async () => {
      const story = await newMonthStory(test);
      await story.spend(daily('2026-01-01', '2026-01-30', '10'));
      await expect(story.lock('2026-01', NOW, true)).rejects.toThrow(
        'no value has been recorded for 2026-01',
      );
      await story.values({ '2026-01-10': 10 });
      const early = new Date('2026-02-04T00:00:00Z');
      await expect(story.lock('2026-01', early, true)).rejects.toThrow('cloud billing settles on 2026-02-06');
      expect(await story.lock('2026-01', NOW, true)).toMatchObject({ version: 1, unit_cost: 30 });
    });
  });
});
