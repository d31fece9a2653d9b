import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDays, monthOf, type Day } from '../../../domain/shared/calendar.ts';
import { sealBills } from '../../../warehouse/teams/bills/bill-sealing.ts';
import { monthBills } from '../../../warehouse/teams/bills/bills.ts';
import { lockMonth } from '../../../warehouse/months/month-locks.ts';
import { loadHosts } from '../../../warehouse/sources/hosts-load.ts';
import { computeMetricMonths } from '../../../warehouse/months/metric-months.ts';
import { monthFacts } from '../../../warehouse/months/month-facts.ts';
import { createTeam } from '../../../warehouse/teams/teams.ts';
import { monthRecords, type MonthRecord } from '../../../domain/months/month-record.ts';
import { describeOnBothEngines, type TestWarehouse } from '../../support/warehouse/engines.ts';
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
  publishing,
  writeFiles,
} from '../../support/warehouse/tenant.ts';
import { january, KEY, newMonthStory, type MonthStory } from '../months/month-story.ts';

describeOnBothEngines('coverage', (open, onDuckDb) => {
  let test: TestWarehouse;
  beforeAll(async () => {
    test = await open();
  });
  afterAll(() => test.close());

  /** The same cost on every day from one to another. */
  const daily = (from: Day, through: Day, cost: string): Record<Day, string> => {
    const days: Record<Day, string> = {};
    for (let day = from; day <= through; day = addDays(day, 1)) days[day] = cost;
    return days;
  };

  describe('of a bill', () => {
    it('begins when a day has ended: three hours of the 31st deliver nothing of it', async () => {
      const story = await newMonthStory(test);
      await story.values({ '2026-01-10': 1 });
      // One dollar an hour: 30 whole days and three hours, 723 of the month's 744.
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
      });
      await story.spend({ ...days, '2026-01-31': '24' });
      expect(await story.settle()).toEqual(['2026-01']);
      expect(await january(story)).toMatchObject({ cost: 744, status: 'ready_to_lock' });
      expect(await bill()).toEqual(['sealed', money('744')]);
    });

    onDuckDb(() => {
      it('is of its own billing period: a correction makes no month known', async () => {
        const story = await newMonthStory(test);
        await story.values({ '2025-12-10': 1, '2026-01-10': 1 });
        // January's bill takes back 5 of 31 December; each day of January costs 10.
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
        // Once December's own bill is there, the correction counts in it: 31 × 8 − 5.
        await story.spend(daily('2025-12-01', '2025-12-31', '8'));
        expect(await story.settle()).toEqual(['2025-12']);
        expect((await story.months(2))[1]).toMatchObject({ cost: 243, status: 'ready_to_lock' });
      });

      it('does not reach a day by corrections alone: December ends with the 30th, and January brings but the 31st', async () => {
        const story = await newMonthStory(test);
        await story.values({ '2025-12-10': 1 });
        await story.spend(daily('2025-12-01', '2025-12-30', '8'));
        await loadText(
          test,
          { orgId: story.orgId, sourceId: story.source.id },
          focusCsv([dayLine('2025-12-31', '-5', { BillingPeriodStart: '2026-01-01T00:00:00Z' })]),
        );
        expect(await story.settle()).toEqual([]);
        const [december] = await story.months(1, '2025-12');
        expect(december).toMatchObject({ status: 'open' });
        expect(december?.reason).toContain('cost source "Bill" has not delivered 2025-12-31');
        // With February's bill the source has come further: December is 30 × 8 − 5, and January cost nothing.
        await story.spend(daily('2026-02-01', '2026-02-06', '8'));
        expect(await story.settle()).toEqual(['2025-12', '2026-01']);
        expect(await story.months(2)).toMatchObject([{ cost: 0 }, { cost: 235 }]);
      });
    });

    it('has holes: without its own file February is open, says why and cannot be locked', async () => {
      const now = new Date('2026-04-07T06:00:00Z');
      const story = await newMonthStory(test);
      await story.values({ '2026-01-10': 1 });
      for (const month of ['2026-01', '2026-03'])
        await story.spend(daily(`${month}-01`, `${month}-31`, '10'), story.source.id, now);
      expect(await story.settle(now)).toEqual(['2026-01', '2026-03']);
      const [march, february] = await story.months(2, '2026-03', now);
      expect(march).toMatchObject({ cost: 310, change_percent: null });
      expect(february).toMatchObject({ cost: null, status: 'open' });
      expect(february?.reason).toContain(
        'cost source "Bill" has not delivered 2026-02-01 to 2026-02-28 (it has later days, but no load of 2026-02 with these)',
      );
      for (const acceptMissing of [false, true])
        await expect(story.lock('2026-02', now, acceptMissing)).rejects.toThrow(
          /2026-02 cannot be locked: .*no spend has been ingested for 2026-02/,
        );
    });

    onDuckDb(() => {
      it('waits for an export that is not brought up to date', async () => {
        const story = await newMonthStory(test);
        await story.spend(daily('2026-01-01', '2026-01-20', '10'));
        expect(await story.settle()).toEqual([]);
        // Days without a charge are delivered once the source has later ones.
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

    /** A bill of December and January that has settled, and a cluster connected later, with data from 20 January on. */
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
      it('holds back what picks from its kind, and says so', async () => {
        const story = await clusterStory();
        expect((await recordsOf(story, story.metric))[0]).toMatchObject({
          status: 'open',
          reason: 'no Kubernetes spend has been ingested for 2026-01, its picks count 0',
        });
        // A new source delivers nothing by being there.
        const cluster = await connectCluster(story);
        expect((await recordsOf(story, story.metric))[0]?.reason).toContain(
          'cost source "Cluster" has not delivered 2026-01-01 to 2026-01-31 (nothing so far)',
        );
        await loadCluster(story, cluster);
        const from = '(it delivers from 2026-01-20 on; set its starts_on if it had no spend before)';
        // The account's 310 and the namespace's 12 × 2, so far.
        expect(await recordsOf(story, story.metric)).toMatchObject([
          {
            month: '2026-01',
            cost: 334,
            status: 'open',
            reason: `cost source "Cluster" has not delivered 2026-01-01 to 2026-01-19 ${from}`,
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

      it('does not hold back the organisation, whose months had settled: a note says from when it delivers', async () => {
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

    it('is locked without by who accepts that, and the version keeps what was missing', async () => {
      const story = await clusterStory();
      await loadCluster(story, await connectCluster(story));
      const lock = (acceptMissing: boolean) =>
        lockMonth(test.warehouse, story.organisation, story.metric, '2026-01', {
          key: KEY,
          now: NOW,
          acceptMissing,
        });
      await expect(lock(false)).rejects.toThrow('send {"accept_missing": true} to lock it without');
      expect(await lock(true)).toMatchObject({
        ...{ status: 'locked', version: 1, cost: 334, unit_cost: 33.4, complete_through: null },
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
      // A later version must accept it anew.
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
        ...{ name: 'Hosts', kind: 'hosts', options: {} },
      });
      await story.values({ '2026-01-10': 1, '2026-02-10': 1 });
      const load = async (days: Record<Day, string>, at: string, acceptShrink = false): Promise<void> => {
        const rows = Object.entries(days).map(([day, cost]) => `${day},host-1,web,${cost}`);
        const paths = await writeFiles(test, {
          'hosts.csv': ['day,host,service,cost', ...rows, ''].join('\n'),
        });
        const scope = scopeOf({ orgId: story.orgId, sourceId: id }, { now: new Date(at), acceptShrink });
        await loadWith(test, paths, (sessions, files) => loadHosts(sessions, scope, files, publishing()));
      };
      return { ...story, load };
    };

    it('is what each run has read, also once a later run keeps its days', async () => {
      const story = await hostStory();
      // At 04:30 on the 10th the file has nine whole days and three hours; then the host is not heard of until the 13th.
      await story.load(
        { ...daily('2026-01-01', '2026-01-09', FULL), '2026-01-10': '3' },
        '2026-01-10T04:30:00Z',
      );
      await story.load(daily('2026-01-13', '2026-01-19', FULL), '2026-01-20T06:00:00Z');
      await story.load(daily('2026-01-25', '2026-02-06', FULL), '2026-02-07T06:00:00Z');
      expect(await story.settle()).toEqual([]);
      // 9 + 7 + 7 whole days and three hours.
      expect(await january(story)).toMatchObject({
        ...{ cost: 555, status: 'open', complete_through: '2026-01-09' },
        reason:
          'cost source "Hosts" has not delivered 2026-01-10 to 2026-01-24 (it has later days, but no load of 2026-01 with these)',
      });
      await story.load(daily('2026-01-10', '2026-01-24', FULL), '2026-02-07T06:00:00Z');
      expect(await story.settle()).toEqual(['2026-01']);
      expect(await january(story)).toMatchObject({ cost: 744, status: 'ready_to_lock' });
    });

    onDuckDb(() => {
      it('is not more by days of another month: of February only the last nine are there', async () => {
        const story = await hostStory();
        const now = new Date('2026-04-07T06:00:00Z');
        await story.load(daily('2026-01-01', '2026-01-31', FULL), '2026-02-01T06:00:00Z');
        await story.load(daily('2026-02-20', '2026-02-28', FULL), '2026-03-01T06:00:00Z');
        await story.load(daily('2026-03-01', '2026-03-31', FULL), '2026-04-01T06:00:00Z');
        expect(await story.settle(now)).toEqual(['2026-01', '2026-03']);
        expect((await story.months(2, '2026-03', now))[1]).toMatchObject({
          ...{ month: '2026-02', cost: 216, status: 'open', complete_through: null },
        });
        // One file with both ends has no spend between them.
        await story.load(
          { '2026-01-31': FULL, ...daily('2026-02-20', '2026-02-28', FULL) },
          '2026-04-07T06:00:00Z',
        );
        expect(await story.settle(now)).toEqual(['2026-02']);
      });

      it('ends with the days that an ingest lets go', async () => {
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

      it('names what holds it back to a metric that picks other spend, and can be accepted', async () => {
        const story = await newMonthStory(test, {}, { scope: { ...ACCOUNT, spend: [...ACCOUNT.spend] } });
        await newSource(test.warehouse, story.orgId, { name: 'Cluster', kind: 'opencost', options: {} });
        await story.values({ '2026-01-10': 10 });
        await story.spend(daily('2026-01-01', '2026-01-31', '10'));
        expect(await story.settle()).toEqual([]);
        // The cluster's nodes may be in the account: its cost is not final without it.
        const reason = 'cost source "Cluster" has not delivered 2026-01-01 to 2026-01-31 (nothing so far)';
        expect(await january(story)).toMatchObject({ cost: 310, status: 'open', reason });
        await expect(story.lock('2026-01')).rejects.toThrow(`2026-01 cannot be locked: ${reason}`);
        expect(await story.lock('2026-01', NOW, true)).toMatchObject({ status: 'locked', unit_cost: 31 });
        expect(await story.versions('2026-01')).toMatchObject([{ missing: [reason] }]);
      });

      it('waits for a paused source if there is no other', async () => {
        const story = await newMonthStory(test);
        await story.values({ '2026-01-10': 10 });
        await story.spend(daily('2026-01-01', '2026-01-20', '10'));
        await story.changeSource({ schedule_paused: true });
        expect(await story.settle()).toEqual([]);
        expect(await january(story)).toMatchObject({
          ...{ cost: 200, status: 'open' },
          reason:
            'cost source "Bill" has not delivered 2026-01-21 to 2026-01-31 (delivered through 2026-01-20)',
        });
        expect(await story.lock('2026-01', NOW, true)).toMatchObject({ status: 'locked', unit_cost: 20 });
      });

      it('is a known 0 before the source had spend, in months that have a value', async () => {
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

      it('is not shortened by a start after days that the source has brought', async () => {
        const story = await newMonthStory(test);
        await story.spend(daily('2026-01-01', '2026-01-10', '10'));
        await story.changeSource({ starts_on: '2026-02-01' });
        expect(await story.settle()).toEqual([]);
        expect((await january(story)).complete_through).toBe('2026-01-10');
      });
    });
  });

  onDuckDb(() => {
    it('is waited for again where a settled month has lost its source to a new one', async () => {
      const story = await newMonthStory(test);
      await story.values({ '2026-01-10': 10 });
      await story.spend(daily('2026-01-01', '2026-01-31', '10'));
      expect(await story.settle()).toEqual(['2026-01']);
      await story.changeSource('delete');
      const { id } = await newSource(test.warehouse, story.orgId, { name: 'Bill again' });
      await story.spend(daily('2026-01-01', '2026-01-03', '10'), id);
      expect(await january(story)).toMatchObject({
        ...{ cost: 30, status: 'open', notes: [] },
        reason:
          'cost source "Bill again" has not delivered 2026-01-04 to 2026-01-31 (delivered through 2026-01-03)',
      });
    });
  });

  onDuckDb(() => {
    it('is not accepted for what only time or a value can bring', async () => {
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
