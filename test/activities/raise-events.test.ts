import { DuckDBConnection } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { evaluateEvents } from '../../activities/raise-events.ts';
import { addDays, type Day } from '../../domain/shared/calendar.ts';
import type { Split } from '../../domain/teams/shared-cost.ts';
import { OPERATOR } from '../../domain/organisations/actor.ts';
import { newId } from '../../warehouse/engine/sql/ids.ts';
import { writeValues } from '../../warehouse/metrics/write-values.ts';
import { updateMetric, type Metric } from '../../warehouse/metrics/metrics.ts';
import { updateOrganisation } from '../../warehouse/organisations/organisations.ts';
import { createSharedCost } from '../../warehouse/teams/shared-costs.ts';
import { createTeam } from '../../warehouse/teams/teams.ts';
import { Sealer } from '../../security/sealing.ts';
import { createWebhook } from '../../warehouse/events/webhooks.ts';
import { listDeliveries } from '../../warehouse/events/webhook-deliveries.ts';
import { describeOnBothEngines, type TestWarehouse } from '../support/warehouse/engines.ts';
import { dayLine, focusCsv } from '../support/exports/focus-export.ts';
import { anyText } from '../support/service/matchers.ts';
import { publishSpend } from '../support/warehouse/published-spend.ts';
import { BY_ADMIN, loadText, newMetric, newSource, NOW } from '../support/warehouse/tenant.ts';
import { newMonthStory, type MonthStory, type StoryChanges } from '../warehouse/months/month-story.ts';
import { account, newTeamStory } from '../warehouse/teams/team-story.ts';
import { THOROUGH } from '../support/effort.ts';

/** Which numbers raise an event, and that each event is raised once. The time is 7 February 2026, 06:00. */

const BY = { actor: { type: 'key', id: 'key_1', name: 'Finance' }, now: NOW } as const;

interface RaisedEvent {
  subject: string;
  data: Record<string, unknown>;
}

describeOnBothEngines('events', (open, onDuckDb) => {
  let test: TestWarehouse;
  beforeAll(async () => {
    test = await open();
  });
  afterAll(() => test.close());

  const newStory = (...changes: StoryChanges) => newMonthStory(test, ...changes);
  const evaluate = ({ orgId }: MonthStory, now = NOW) => evaluateEvents(test.warehouse, orgId, now);

  /** Returns an organisation's events in the order in which they were raised. */
  const raised = async ({ orgId }: Pick<MonthStory, 'orgId'>): Promise<RaisedEvent[]> => {
    const rows = await test.warehouse.query<{ subject: string; payload: string }>(
      'SELECT subject, payload FROM events WHERE org_id = $org ORDER BY raised_at, fact',
      { org: orgId },
    );
    return rows.map(({ subject, payload }) => ({
      subject,
      data: (JSON.parse(payload) as { data: Record<string, unknown> }).data,
    }));
  };

  const newHook = ({ orgId }: Pick<MonthStory, 'orgId'>, enabled = true) =>
    createWebhook(
      test.warehouse,
      orgId,
      { id: newId('whk'), url: 'https://1.1.1.1/', events: ['unit_cost.changed'], enabled },
      { secret: 'whsec_1', sealer: new Sealer(Buffer.alloc(32)) },
      BY,
    );

  const deliveriesOf = async ({ orgId }: MonthStory, webhookId: string): Promise<string[]> => {
    const page = { limit: 100, cursor: null, event: null };
    return (await listDeliveries(test.warehouse, orgId, webhookId, page)).map(({ subject }) => subject);
  };

  it('raises one event each time a month rises above its target', async () => {
    const story = await newStory({}, { target: '2' });
    const hook = await newHook(story);
    const subject = `${story.metric.id}/2026-01/above_target`;
    await story.spend({ '2026-01-10': '100', '2026-01-31': '0' });
    expect(await evaluate(story)).toBe(0); // no value yet
    await story.values({ '2026-01-31': 50 });
    expect(await evaluate(story)).toBe(0); // exactly 2 is not above
    await story.values({ '2026-01-31': 40 });
    expect(await evaluate(story)).toBe(1);
    expect(await evaluate(story)).toBe(0);
    expect(await raised(story)).toEqual([
      {
        subject,
        data: {
          metric_id: story.metric.id,
          metric_name: 'Orders',
          reason: 'above_target',
          period: '2026-01',
          unit_cost: 2.5,
          target: 2,
          currency: 'USD',
          unit: 'order',
        },
      },
    ]);
    await story.values({ '2026-01-31': 20 }); // further above: no crossing
    expect(await evaluate(story)).toBe(0);
    await story.values({ '2026-01-31': 100 });
    expect(await evaluate(story)).toBe(0);
    await story.spend({ '2026-01-10': '300', '2026-01-31': '0' });
    expect(await evaluate(story)).toBe(1);
    expect((await raised(story)).map(({ data }) => data['unit_cost'])).toEqual([2.5, 3]);
    expect(await deliveriesOf(story, hook.id)).toEqual([subject, subject]);
  });

  it('evaluates again only what has changed since', async () => {
    const story = await newStory({}, { target: '2' });
    const other = await newMetric(test.warehouse, story.orgId, { name: 'Calls', target: '2' });
    await story.spend({ '2026-01-10': '100', '2026-01-31': '0' });
    expect(await evaluate(story)).toBe(0);
    const evaluations = vi.spyOn(test.warehouse, 'transaction');
    expect(await evaluate(story)).toBe(0);
    expect(evaluations).toHaveBeenCalledTimes(0);
    const statements = vi.spyOn(DuckDBConnection.prototype, 'runAndReadAll');
    await story.values({ '2026-01-31': 40 });
    expect(await evaluate(story)).toBe(1); // 100 ÷ 40 = 2.5
    const asked = JSON.stringify(statements.mock.calls);
    expect(asked).toContain(story.metric.id);
    expect(asked).not.toContain(other.id);
    evaluations.mockRestore();
    statements.mockRestore();
    // A month of the other metric that went above its target meanwhile is not forgotten.
    await writeValues(
      test.warehouse,
      { orgId: story.orgId, metricId: other.id },
      [{ period: '2026-01-31', label: '', value: 10 }],
      { source: 'hand', by: BY.actor, now: NOW },
    );
    expect(await evaluate(story)).toBe(1);
    expect((await raised(story)).map(({ data }) => data['metric_name'])).toEqual(['Orders', 'Calls']);
  });

  onDuckDb(() => {
    it('raises an event if a new target lies below the unit cost, and none if it is lowered or removed', async () => {
      const story = await newStory();
      const { orgId, metric } = story;
      const setTarget = (target: string | null) =>
        updateMetric(test.warehouse, orgId, metric.id, { target }, BY_ADMIN);
      await story.spend({ '2025-12-10': '100', '2026-01-10': '100', '2026-01-31': '0' });
      await story.values({ '2025-12-10': 100, '2026-01-31': 50 });
      expect(await evaluate(story)).toBe(0);
      await setTarget('1.5');
      expect(await evaluate(story)).toBe(1);
      await setTarget('0.5');
      expect(await evaluate(story)).toBe(0); // December is above it too, but is not the newest month
      await setTarget(null);
      expect(await evaluate(story)).toBe(0);
      await setTarget('1.5');
      expect(await evaluate(story)).toBe(1);
      expect((await raised(story)).map(({ data }) => data['period']).sort()).toEqual(['2026-01', '2026-01']);
    });

    it('raises no event for late spend of a locked month', async () => {
      const story = await newStory({}, { target: '2' });
      await story.spend({ '2026-01-10': '100', '2026-01-31': '0' });
      await story.values({ '2026-01-10': 50 });
      await story.settle();
      await story.lock('2026-01');
      await story.spend({ '2026-01-10': '900', '2026-01-31': '0' });
      expect(await evaluate(story)).toBe(0);
    });
  });

  it('raises an event if an admin reseals a team’s bill with late spend', async () => {
    const story = await newTeamStory(test);
    const shop = await story.team('Shop', [account('1')], new Date('2026-01-10T06:00:00Z'));
    const bill = (cost: string) => [{ day: '2026-01-31', cloud: 'aws', account: '1', cost }];
    await story.spend('2026-01', { cloud_spend: bill('100') });
    const users = await newMetric(test.warehouse, story.orgId, {
      frequency: 'monthly',
      scope: { type: 'team', team_id: shop },
      target: '20',
    });
    await story.values(users, '2026-01', { '': 10 });
    await story.settle();
    await story.spend('2026-01', { cloud_spend: bill('300') });
    const evaluated = () => evaluateEvents(test.warehouse, story.orgId, NOW);
    expect(await evaluated()).toBe(0);
    await story.reseal('2026-01', 'the late invoice is right', NOW);
    expect([await evaluated(), await evaluated()]).toEqual([1, 0]);
    expect((await raised(story)).map(({ data }) => data['unit_cost'])).toEqual([30]);
  });

  onDuckDb(() => {
    it('compares a team’s month only once its shared costs have their split values', async () => {
      const story = await newTeamStory(test);
      const shop = await story.team('Shop', [account('1')], new Date('2026-01-10T06:00:00Z'));
      const requests = await story.metric();
      const split: Split = { type: 'metric', metric_id: requests.id, labels: { shop } };
      await story.sharedCost('Network', [account('2')], split, new Date('2026-01-10T06:00:00Z'));
      const line = (its: string, cost: string) => ({ day: '2026-01-31', cloud: 'aws', account: its, cost });
      await story.spend('2026-01', { cloud_spend: [line('1', '100'), line('2', '200')] });
      const users = await newMetric(test.warehouse, story.orgId, {
        frequency: 'monthly',
        scope: { type: 'team', team_id: shop },
        target: '5',
      });
      await story.values(users, '2026-01', { '': 10 });
      // Shop's own 100 ÷ 10 is above 5, but its part of the 200 is not known yet. With that part Shop costs 300 ÷ 10.
      const evaluated = (now: Date) => evaluateEvents(test.warehouse, story.orgId, now);
      expect(await evaluated(new Date('2026-02-02T06:00:00Z'))).toBe(0);
      await story.settle();
      expect(await evaluated(NOW)).toBe(0);
      await story.values(requests, '2026-01', { shop: 3 });
      expect([await evaluated(NOW), await evaluated(NOW)]).toEqual([1, 0]);
      expect((await raised(story)).map(({ data }) => data['unit_cost'])).toEqual([30]);
    });
  });

  /** Returns `count` days up to 6 February. The last one is `last`, the others are 10. */
  const days = (count: number, last: number): Record<Day, number> =>
    Object.fromEntries(
      Array.from({ length: count }, (_, back) => [addDays('2026-02-06', -back), back === 0 ? last : 10]),
    );
  const texts = (numbers: Record<Day, number>): Record<Day, string> =>
    Object.fromEntries(Object.entries(numbers).map(([day, cost]) => [day, cost.toString()]));
  const ones = (numbers: Record<Day, number>): Record<Day, number> =>
    Object.fromEntries(Object.keys(numbers).map((day) => [day, 1]));

  it('raises one event for a daily rise, even if the spend of the day is restated later', async () => {
    const story = await newStory();
    const hook = await newHook(story);
    await newHook(story, false);
    const costs = days(29, 15);
    await story.spend(texts(costs));
    await story.values(ones(costs));
    expect(await evaluate(story)).toBe(1);
    const subject = `${story.metric.id}/2026-02-06/daily_rise`;
    expect(await raised(story)).toEqual([
      {
        subject,
        data: {
          metric_id: story.metric.id,
          metric_name: 'Orders',
          reason: 'daily_rise',
          period: '2026-02-06',
          unit_cost: 15,
          expected: 10,
          currency: 'USD',
          unit: 'order',
        },
      },
    ]);
    await story.spend(texts(days(29, 10))); // restated below the limit, then above it again
    expect(await evaluate(story)).toBe(0);
    await story.spend(texts(days(29, 30)));
    expect(await evaluate(story)).toBe(0);
    expect(await deliveriesOf(story, hook.id)).toEqual([subject]);
  });

  onDuckDb(() => {
    it('compares a day once it is over and every source has delivered it', async () => {
      const story = await newStory();
      const costs = { ...days(29, 10), '2026-02-07': 50 };
      await story.spend(texts(costs));
      await story.values(ones(costs));
      expect(await evaluate(story)).toBe(0);
      const midnight = new Date('2026-02-08T00:00:00Z');
      await story.spend(texts(costs), story.source.id, midnight);
      expect(await evaluate(story, midnight)).toBe(1);
    });

    it.runIf(THOROUGH)(
      'compares a day despite an old gap, and waits only for sources of the metric’s own spend',
      async () => {
        const story = await newStory({}, {
          scope: { type: 'spend', spend: [{ source: 'cloud', cloud: 'aws', account: '1111' }] },
        } satisfies Partial<Metric>);
        const { orgId } = story;
        // The servers' costs arrive once a month. January's are the newest.
        const servers = await newSource(test.warehouse, orgId, {
          name: 'Servers',
          kind: 'hosts',
          options: {},
        });
        await publishSpend(test.warehouse, { orgId, sourceId: servers.id }, '2026-01', {
          host_spend: ['2026-01-01', '2026-01-31'].map((day) => ({
            day,
            host: 'db',
            service: 'db',
            cost: '0.1',
          })),
        });
        const all = await newMetric(test.warehouse, orgId, { name: 'All' });
        // The bill has a day of November and no day of December.
        const costs = { ...days(29, 15), '2025-11-15': 10 };
        await story.spend(texts(costs));
        const values = ones(costs);
        await story.values(values);
        await writeValues(
          test.warehouse,
          { orgId, metricId: all.id },
          Object.entries(values).map(([period, value]) => ({ period, label: '', value })),
          { source: 'api', by: { type: 'key', id: 'key_1', name: 'Finance' }, now: NOW },
        );
        expect(await evaluate(story)).toBe(1);
        expect(await raised(story)).toMatchObject([
          { data: { metric_id: story.metric.id, period: '2026-02-06', expected: 10 } },
        ]);
      },
    );

    it('compares the running month with its target by the days with complete spend and values', async () => {
      const story = await newStory({}, { target: '2', rise: null });
      // Six days have a cost of 10 and 5 orders each. Six hours of the 7th cost 4, without orders yet: 64 ÷ 30 is above 2.
      const costs = Object.fromEntries(Object.keys(days(6, 10)).map((day) => [day, '10']));
      const values = Object.fromEntries(Object.keys(days(6, 10)).map((day) => [day, 5]));
      await story.spend({ ...costs, '2026-02-07': '4' });
      await story.values(values);
      expect(await evaluate(story, new Date('2026-02-07T06:30:00Z'))).toBe(0);
      // The 7th costs 16 for 5 orders: 76 ÷ 35.
      const morning = new Date('2026-02-08T06:30:00Z');
      await story.spend({ ...costs, '2026-02-07': '16' }, story.source.id, morning);
      expect(await evaluate(story, morning)).toBe(0);
      await story.values({ '2026-02-07': 5 });
      expect(await evaluate(story, morning)).toBe(1);
      expect(await raised(story)).toMatchObject([
        { data: { reason: 'above_target', period: '2026-02', unit_cost: 2.171429, target: 2 } },
      ]);
    });

    /** Returns `value` for each day from `start` to `end`. */
    const each = <Value>(start: Day, end: Day, value: Value): Record<Day, Value> => {
      const numbers: Record<Day, Value> = {};
      for (let day = start; day <= end; day = addDays(day, 1)) numbers[day] = value;
      return numbers;
    };
    const at = (time: string) => new Date(`2026-${time}:00Z`);
    const periodsOf = async (story: MonthStory) =>
      (await raised(story)).map(({ data }) => [data['period'], data['unit_cost']]);

    it.runIf(THOROUGH)('compares an ended month once its last day has a value', async () => {
      const story = await newStory({}, { target: '1.02', rise: null });
      await story.spend(each('2026-01-01', '2026-01-31', '10'), story.source.id, at('02-01T06:30'));
      await story.values(each('2026-01-01', '2026-01-30', 10));
      // 310 ÷ 300 is 1.033, only because the 31st lacks its value. With it January costs 310 ÷ 310.
      expect(await evaluate(story, at('02-01T06:30'))).toBe(0);
      await story.values({ '2026-01-31': 10 });
      expect(await evaluate(story, at('02-01T09:30'))).toBe(0);
      // With all values the month is above its target: 310 ÷ 302.
      await story.values({ '2026-01-31': 2 });
      expect(await evaluate(story, at('02-01T10:30'))).toBe(1);
      expect(await periodsOf(story)).toEqual([['2026-01', 1.02649]]);
    });

    it.runIf(THOROUGH)(
      'does not raise the event of a running month again if its last bill arrives after its values',
      async () => {
        const story = await newStory({}, { target: '0.99', rise: null });
        await story.spend(each('2026-01-01', '2026-01-30', '10'), story.source.id, at('01-31T06:30'));
        await story.values(each('2026-01-01', '2026-01-30', 10));
        expect(await evaluate(story, at('01-31T06:30'))).toBe(1);
        // 300 ÷ 310 would be below 0.99, and the bill of the 31st would bring it back to 310 ÷ 310.
        await story.values({ '2026-01-31': 10 });
        expect(await evaluate(story, at('02-01T06:30'))).toBe(0);
        await story.spend(each('2026-01-01', '2026-01-31', '10'), story.source.id, at('02-01T07:30'));
        expect(await evaluate(story, at('02-01T07:30'))).toBe(0);
        expect(await periodsOf(story)).toEqual([['2026-01', 1]]);
      },
    );

    it.runIf(THOROUGH)('compares a settled month even if its last day has no value', async () => {
      const story = await newStory({}, { target: '2', rise: null });
      await story.spend(each('2026-01-01', '2026-01-31', '10'));
      await story.values({ '2026-01-10': 100 }); // 310 ÷ 100
      expect(await evaluate(story)).toBe(0);
      await story.settle();
      expect([await evaluate(story), await evaluate(story)]).toEqual([1, 0]);
    });

    it('compares a monthly metric once its month has ended and has a value and a complete bill', async () => {
      const story = await newStory({}, { target: '2', rise: null, frequency: 'monthly' });
      await story.spend(each('2026-01-01', '2026-01-30', '10'), story.source.id, at('01-31T06:30'));
      await story.values({ '2026-01-01': 100 });
      expect(await evaluate(story, at('01-31T06:30'))).toBe(0);
      expect(await evaluate(story, at('02-01T06:30'))).toBe(0);
      await story.spend(each('2026-01-01', '2026-01-31', '10'), story.source.id, at('02-01T07:30'));
      expect(await evaluate(story, at('02-01T07:30'))).toBe(1);
      expect(await periodsOf(story)).toEqual([['2026-01', 3.1]]);
    });

    it('raises an event if a month above a lowered target completes later', async () => {
      const story = await newStory({}, { target: '10', rise: null });
      const spend = (through: Day, now: Date) =>
        story.spend({ ...each('2025-12-01', through, '10') }, story.source.id, now);
      await spend('2026-01-30', at('01-31T06:30'));
      await story.values(each('2025-12-01', '2026-01-31', 5));
      const morning = at('02-02T06:30');
      expect(await evaluate(story, morning)).toBe(0);
      await updateMetric(test.warehouse, story.orgId, story.metric.id, { target: '1' }, BY_ADMIN);
      // December is the newest complete month: 310 ÷ 155. January lacks the bill of its last day.
      expect([await evaluate(story, morning), await evaluate(story, morning)]).toEqual([1, 0]);
      expect(await periodsOf(story)).toEqual([['2025-12', 2]]);
      await spend('2026-01-31', morning);
      expect([await evaluate(story, morning), await evaluate(story, morning)]).toEqual([1, 0]);
      expect((await periodsOf(story)).sort()).toEqual([
        ['2025-12', 2],
        ['2026-01', 2],
      ]);
    });

    it.runIf(THOROUGH)(
      'raises events for a lowered target only in the running and the newest complete month',
      async () => {
        const story = await newStory({}, { target: '10', rise: null });
        const { orgId, metric } = story;
        const months = ['2025-10', '2025-11', '2025-12', '2026-01'];
        const costs = months.map((month) => [`${month}-01`, '0'] as const);
        await story.spend({
          ...Object.fromEntries(costs),
          ...Object.fromEntries(months.map((month) => [`${month}-10`, '100'])),
          '2026-02-01': '0',
          '2026-02-06': '100',
        });
        const values = Object.fromEntries(months.map((month) => [`${month}-10`, 50]));
        await story.values({ ...values, '2026-02-06': 50 });
        expect(await evaluate(story)).toBe(0);
        await updateMetric(test.warehouse, orgId, metric.id, { target: '1' }, BY_ADMIN);
        expect(await evaluate(story)).toBe(2);
        expect(await evaluate(story)).toBe(0);
        const periods = async () => (await raised(story)).map(({ data }) => data['period']);
        expect((await periods()).sort()).toEqual(['2026-01', '2026-02']);
        // A value that moves an old month above the same target raises an event.
        await story.values({ '2025-11-10': 200 });
        expect(await evaluate(story)).toBe(0);
        await story.values({ '2025-11-10': 20 });
        expect(await evaluate(story)).toBe(1);
        expect((await periods()).sort()).toEqual(['2025-11', '2026-01', '2026-02']);
      },
    );

    it('compares neither a day nor its month while a label has no value', async () => {
      const story = await newStory({}, { label_key: 'region', target: '1.05' });
      await story.spend(each('2026-01-01', '2026-02-06', '20'));
      await story.values(each('2026-01-01', '2026-02-06', 10), 'eu');
      await story.values(each('2026-01-01', '2026-02-05', 10), 'us');
      // The 6th would cost 20 ÷ 10, twice the 1 that is expected, and February 120 ÷ 110.
      expect(await evaluate(story)).toBe(0);
      await story.values({ '2026-02-06': 10 }, 'us');
      expect(await evaluate(story)).toBe(0);
    });

    it.runIf(THOROUGH)('compares a day that lacks a label once a later day has values', async () => {
      const story = await newStory({}, { label_key: 'region' });
      await story.spend(each('2026-01-01', '2026-02-06', '20'));
      await story.values(each('2026-01-01', '2026-02-06', 10), 'eu');
      await story.values(each('2026-01-01', '2026-02-05', 10), 'us');
      expect(await evaluate(story)).toBe(0);
      await story.values({ '2026-02-07': 10 }, 'eu');
      expect(await evaluate(story)).toBe(1);
      expect(await periodsOf(story)).toEqual([['2026-02-06', 2]]);
    });

    it.runIf(THOROUGH)(
      'compares a monthly metric once every label of the month before has a value',
      async () => {
        const story = await newStory(
          {},
          { label_key: 'region', target: '2', rise: null, frequency: 'monthly' },
        );
        await story.spend({
          ...each('2025-12-01', '2025-12-31', '10'),
          ...each('2026-01-01', '2026-01-31', '10'),
        });
        await story.values({ '2025-12-01': 100, '2026-01-01': 100 }, 'eu');
        await story.values({ '2025-12-01': 100 }, 'us');
        expect(await evaluate(story)).toBe(0); // 310 ÷ 100
        await story.values({ '2026-01-01': 50 }, 'us');
        expect(await evaluate(story)).toBe(1);
        expect(await periodsOf(story)).toEqual([['2026-01', 2.066667]]);
      },
    );

    it('adds up the labels of a day, and skips days whose value is 0', async () => {
      const story = await newStory({}, { label_key: 'region' });
      const costs = days(29, 10);
      await story.spend(texts(costs));
      await story.values(ones(costs), 'eu');
      await story.values(ones(costs), 'us');
      expect(await evaluate(story)).toBe(0);
      await story.values({ '2026-02-06': 0, '2026-02-05': 0 }, 'us'); // twice as dear: 10 ÷ 1 instead of 10 ÷ 2
      await story.values({ '2026-02-06': 0 }, 'eu');
      expect(await evaluate(story)).toBe(1);
      expect(await raised(story)).toMatchObject([
        { data: { period: '2026-02-05', unit_cost: 10, expected: 5 } },
      ]);
    });
  });

  it('raises a daily rise of a metric by its picked spend', async () => {
    const story = await newStory({}, {
      scope: { type: 'spend', spend: [{ source: 'cloud', cloud: 'aws', account: '2222' }] },
    } satisfies Partial<Metric>);
    const costs = days(29, 10);
    const lines = Object.keys(costs).flatMap((day) => [
      dayLine(day, day === '2026-02-06' ? '1' : '100', { SubAccountId: '1111' }),
      dayLine(day, day === '2026-02-06' ? '3' : '1', { SubAccountId: '2222' }),
      dayLine(day, day === '2026-02-06' ? '3' : '1', { SubAccountId: '2222', ServiceName: 'Other' }),
    ]);
    const target = { orgId: story.orgId, sourceId: story.source.id };
    await loadText(test, target, focusCsv(lines));
    await story.values(ones(costs));
    expect(await evaluate(story)).toBe(1);
    expect(await raised(story)).toMatchObject([
      { data: { period: '2026-02-06', unit_cost: 6, expected: 2 } },
    ]);
  });

  it('raises a daily rise of a team by its own spend and its parts of shared costs', async () => {
    const story = await newStory();
    const { orgId, source } = story;
    const own = (id: string, pick: string) =>
      createTeam(test.warehouse, orgId, { name: id, ownership: [account(pick)] }, BY_ADMIN);
    const shop = await own('Shop', '1111');
    const ads = await own('Ads', '2222');
    const share = (name: string, pick: string, split: Split) =>
      createSharedCost(test.warehouse, orgId, { name, spend: [account(pick)], split }, BY_ADMIN);
    const scope = { type: 'team', team_id: shop.id } as const;
    const visits = await newMetric(test.warehouse, orgId, { name: 'Visits', scope });
    const costs = days(29, 10);
    // A day costs 10 and half of 4, so 12. The last day costs 10 and half of 24, so 22.
    const lines = Object.keys(costs).flatMap((day) => [
      dayLine(day, '10', { SubAccountId: '1111' }),
      dayLine(day, day === '2026-02-06' ? '24' : '4', { SubAccountId: '3333' }),
      dayLine(day, '7', { SubAccountId: '4444' }),
    ]);
    await loadText(test, { orgId, sourceId: source.id }, focusCsv(lines));
    await share('Network', '3333', { type: 'even', team_ids: [shop.id, ads.id] });
    await writeValues(
      test.warehouse,
      { orgId, metricId: visits.id },
      Object.keys(costs).map((period) => ({ period, label: '', value: 1 })),
      { source: 'api', by: { type: 'key', id: 'key_1', name: 'Finance' }, now: NOW },
    );
    // Days are split like their month, so that they have no cost before the month's values arrive.
    const requests = await newMetric(test.warehouse, orgId, {
      name: 'Requests',
      frequency: 'monthly',
      label_key: 'service',
    });
    await share('Platform', '4444', { type: 'metric', metric_id: requests.id, labels: { shop: shop.id } });
    expect(await evaluate(story)).toBe(0);
    await writeValues(
      test.warehouse,
      { orgId, metricId: requests.id },
      ['2026-01-01', '2026-02-01'].map((period) => ({ period, label: 'shop', value: 3 })),
      { source: 'api', by: { type: 'key', id: 'key_1', name: 'Finance' }, now: NOW },
    );
    expect(await evaluate(story)).toBe(1);
    const numbers = { metric_id: visits.id, period: '2026-02-06', unit_cost: 29, expected: 19 };
    expect(await raised(story)).toMatchObject([{ data: { ...numbers, reason: 'daily_rise' } }]);
    expect(await evaluate(story)).toBe(0);
  });

  onDuckDb(() => {
    it('raises no event if the metric limits rises or is monthly, or if the plan lacks unit economics', async () => {
      const costs = days(29, 15);
      for (const story of [
        await newStory({}, { rise: null }),
        await newStory({}, { rise: { percent: 60, deviations: 4 } }),
        await newStory({ tier: 'starter' }),
      ]) {
        await story.spend(texts(costs));
        await story.values(ones(costs));
        expect(await evaluate(story)).toBe(0);
      }
      const monthly = await newStory({}, { frequency: 'monthly', rise: null });
      await monthly.spend(texts(costs));
      await monthly.values({ '2026-02-01': 1 });
      expect(await evaluate(monthly)).toBe(0);
      const starter = await newStory({ tier: 'starter' }, { target: '1' });
      await starter.spend({ '2026-01-10': '100', '2026-01-31': '0' });
      await starter.values({ '2026-01-31': 1 });
      expect(await evaluate(starter)).toBe(0);
      await updateOrganisation(
        test.warehouse,
        starter.orgId,
        { tier: 'business' },
        { actor: OPERATOR, now: NOW },
      );
      expect(await evaluate(starter)).toBe(1);
    });
  });

  it('raises an event once for two concurrent evaluations, and only in its own organisation', async () => {
    const [story, other] = [await newStory({}, { target: '1' }), await newStory({}, { target: '1' })];
    const hook = await newHook(story);
    const theirs = await newHook(other);
    await story.spend({ '2026-01-10': '100', '2026-01-31': '0' });
    await story.values({ '2026-01-31': 1 });
    const counts = await Promise.all([evaluate(story), evaluate(story), evaluate(other)]);
    expect(counts.sort()).toEqual([0, 0, 1]);
    expect(await raised(story)).toEqual([{ subject: anyText, data: expect.anything() as unknown }]);
    expect(await deliveriesOf(story, hook.id)).toHaveLength(1);
    expect(await deliveriesOf(other, theirs.id)).toEqual([]);
    expect(await evaluateEvents(test.warehouse, 'org_none', NOW)).toBe(0);
  });
});
