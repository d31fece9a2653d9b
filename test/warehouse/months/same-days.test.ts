import { expect, it } from 'vitest';
import { dayOf, type Day } from '../../../domain/shared/calendar.ts';
import { monthRecords } from '../../../domain/months/month-record.ts';
import type { Split } from '../../../domain/teams/shared-cost.ts';
import { sealBills } from '../../../warehouse/teams/bills/bill-sealing.ts';
import { updateCostSource } from '../../../warehouse/sources/cost-sources.ts';
import { writeValues } from '../../../warehouse/metrics/write-values.ts';
import { monthFacts } from '../../../warehouse/months/month-facts.ts';
import { createSharedCost } from '../../../warehouse/teams/shared-costs.ts';
import { createTeam } from '../../../warehouse/teams/teams.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { publishSpend } from '../../support/warehouse/published-spend.ts';
import { BY_ADMIN, loadText, newMetric, newSource, NOW } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';
import { newMonthStory, type MonthStory } from './month-story.ts';
import { account } from '../teams/team-story.ts';

/** The running month is compared with the same days of the month before. Today is 7 February 2026. */

const SAME = { change_basis: 'same_days' };

/** Returns `value` for each day from `start` to `end`. */
function each<Value>(start: Day, end: Day, value: Value): Record<Day, Value> {
  const days: Record<Day, Value> = {};
  for (let at = Date.parse(start); at <= Date.parse(end); at += 86_400_000) days[dayOf(new Date(at))] = value;
  return days;
}

describeOnBothEngines('the running month', (open, onDuckDb) => {
  const test = withOpened(open);

  const running = async (story: MonthStory) => (await story.months(2, '2026-02'))[0];

  it('is compared by its complete days', async () => {
    const story = await newMonthStory(test);
    // 10 a day in January for 5 orders; 12 a day in February, and 3 in the first hours of the 7th.
    const january = each('2026-01-01', '2026-01-31', '10');
    await story.spend({ ...january, ...each('2026-02-01', '2026-02-06', '12'), '2026-02-07': '3' });
    await story.values(each('2026-01-01', '2026-01-31', 5));
    await story.values(each('2026-02-01', '2026-02-05', 4));
    // Values are complete through the 5th: 60 ÷ 20 against 50 ÷ 25. The record shows all that is known: 75 ÷ 20.
    const changes = { ...SAME, change_percent: 50, cost_change_percent: 20 };
    const [february, before] = await story.months(2, '2026-02');
    expect(february).toMatchObject({ cost: 75, unit_cost: 3.75, ...changes });
    expect(before).toMatchObject({ month: '2026-01', change_basis: 'month' });
    // The 6th brings 6 orders: 72 ÷ 26 against 60 ÷ 30. An order of today changes nothing.
    await story.values({ '2026-02-06': 6, '2026-02-07': 1 });
    expect(await running(story)).toMatchObject({
      ...SAME,
      change_percent: 38.461538,
      cost_change_percent: 20,
    });
  });

  onDuckDb(() => {
    it('is compared with all of a shorter month', async () => {
      const story = await newMonthStory(test, {}, { aggregation: 'average' });
      const now = new Date('2026-03-31T06:00:00Z');
      await story.spend(
        { ...each('2026-02-01', '2026-02-28', '1'), ...each('2026-03-01', '2026-03-30', '1') },
        story.source.id,
        now,
      );
      await story.values(each('2026-02-01', '2026-02-28', 2));
      await writeValues(
        test.warehouse,
        { orgId: story.orgId, metricId: story.metric.id },
        Object.keys(each('2026-03-01', '2026-03-30', 2)).map((period) => ({ period, label: '', value: 2 })),
        { source: 'api', by: { type: 'key', id: 'key_1', name: 'Finance' }, now },
      );
      // 30 ÷ 2 against 28 ÷ 2.
      const [march] = await story.months(2, '2026-03', now);
      expect(march).toMatchObject({ ...SAME, change_percent: 7.142857, cost_change_percent: 7.142857 });
    });

    it('has no change if days of either month are unknown', async () => {
      const story = await newMonthStory(test);
      await story.spend({ ...each('2026-02-01', '2026-02-06', '12') });
      await story.values(each('2026-01-01', '2026-02-06', 5));
      const nothing = { ...SAME, change_percent: null, cost_change_percent: null };
      expect(await running(story)).toMatchObject({ cost: 72, ...nothing });
      await story.spend(each('2026-01-01', '2026-01-31', '10'));
      expect(await running(story)).toMatchObject({ ...SAME, change_percent: 20, cost_change_percent: 20 });
      const young = await newMonthStory(test);
      await young.spend(each('2026-01-01', '2026-02-06', '10'));
      expect(await running(young)).toMatchObject(nothing); // no values
    });

    it('is compared only by its cost if values are missing on some of the days before', async () => {
      const story = await newMonthStory(test);
      await story.spend({
        ...each('2026-01-01', '2026-01-31', '10'),
        ...each('2026-02-01', '2026-02-06', '10'),
      });
      await story.values(each('2026-01-05', '2026-02-06', 10));
      // 60 ÷ 60 in February. January's 60 ÷ 20, with the values of two days, would be a fall by two thirds.
      const cost = { ...SAME, cost_change_percent: 0 };
      expect(await running(story)).toMatchObject({ ...cost, change_percent: null });
      await story.values(each('2026-01-01', '2026-01-04', 10));
      expect(await running(story)).toMatchObject({ ...cost, change_percent: 0 });
    });

    it('is compared by the days that have values of all labels', async () => {
      const story = await newMonthStory(test, {}, { label_key: 'region' });
      await story.spend({
        ...each('2026-01-01', '2026-01-31', '10'),
        ...each('2026-02-01', '2026-02-06', '12'),
      });
      await story.values(each('2026-01-01', '2026-02-06', 10), 'eu');
      await story.values(each('2026-01-01', '2026-02-05', 10), 'us');
      // 60 ÷ 100 against 50 ÷ 100 through the 5th. With the 6th, 72 ÷ 110 would be 31 % up on 60 ÷ 120.
      expect(await running(story)).toMatchObject({ ...SAME, change_percent: 20, cost_change_percent: 20 });
    });

    it('is compared only by the days before the first one that a source lacks', async () => {
      const story = await newMonthStory(test);
      await story.spend({
        ...each('2026-01-01', '2026-01-31', '10'),
        ...each('2026-02-01', '2026-02-06', '12'),
      });
      await story.values(each('2026-01-01', '2026-02-06', 5));
      expect(await running(story)).toMatchObject({ ...SAME, change_percent: 20 });
      // The hosts start on 1 February, but their feed begins on the 3rd.
      const hosts = await newSource(test.warehouse, story.orgId, {
        kind: 'hosts',
        options: {},
        starts_on: '2026-02-01',
      });
      const target = { orgId: story.orgId, sourceId: hosts.id };
      const rows = ['2026-02-03', '2026-02-06'].map((day) => ({ day, host: 'host-1', cost: '6' }));
      await publishSpend(test.warehouse, target, '2026-02', { host_spend: rows });
      expect(await running(story)).toMatchObject({
        ...SAME,
        change_percent: null,
        cost_change_percent: null,
      });
      // Now the hosts start on the 3rd: six days of 12 and twice 6 are 84 for 30 orders, 60 in January.
      await updateCostSource(test.warehouse, story.orgId, hosts.id, { starts_on: '2026-02-03' }, BY_ADMIN);
      expect(await running(story)).toMatchObject({ ...SAME, change_percent: 40, cost_change_percent: 40 });
    });

    it('of a monthly metric is compared only by its cost', async () => {
      const story = await newMonthStory(test, {}, { frequency: 'monthly', rise: null });
      await story.spend({
        ...each('2026-01-01', '2026-01-31', '10'),
        ...each('2026-02-01', '2026-02-06', '12'),
      });
      await story.values({ '2026-01-01': 100, '2026-02-01': 100 });
      expect(await running(story)).toMatchObject({ ...SAME, change_percent: null, cost_change_percent: 20 });
    });
  });

  it('of a team is compared by its owned spend and its parts of shared costs', async () => {
    const story = await newMonthStory(test);
    const { warehouse } = test;
    const { orgId, source, organisation } = story;
    const own = (name: string, pick: string) =>
      createTeam(warehouse, orgId, { name, ownership: [account(pick)] }, BY_ADMIN);
    const [shop, ads] = [await own('Shop', '1111'), await own('Ads', '2222')];
    const network = { name: 'Network', spend: [account('3333')] };
    const split: Split = { type: 'even', team_ids: [shop.id, ads.id] };
    await createSharedCost(warehouse, orgId, { ...network, split }, BY_ADMIN);
    const metric = await newMetric(warehouse, orgId, {
      name: 'Visits',
      scope: { type: 'team', team_id: shop.id },
    });
    // A day of January costs 8 and half of 4; a day of February 11 and half of 2.
    const lines = (days: Record<Day, unknown>, its: string, shared: string) =>
      Object.keys(days).flatMap((day) => [
        dayLine(day, its, { SubAccountId: '1111' }),
        dayLine(day, shared, { SubAccountId: '3333' }),
      ]);
    await loadText(
      test,
      { orgId, sourceId: source.id },
      focusCsv([
        ...lines(each('2026-01-01', '2026-01-31', 0), '8', '4'),
        ...lines(each('2026-02-01', '2026-02-06', 0), '11', '2'),
      ]),
    );
    const values = Object.keys(each('2026-01-01', '2026-02-06', 5));
    await writeValues(
      warehouse,
      { orgId, metricId: metric.id },
      values.map((period) => ({ period, label: '', value: 5 })),
      { source: 'api', by: { type: 'key', id: 'key_1', name: 'Finance' }, now: NOW },
    );
    const { on } = await sealBills(warehouse, orgId, NOW);
    const facts = await warehouse.session((session) =>
      monthFacts(on(session), orgId, [metric.id], { newest: '2026-02', count: 1, today: dayOf(NOW) }),
    );
    const settlement = { settleDays: organisation.settle_days };
    const [february] = monthRecords(facts.get(metric.id) ?? [], metric, settlement, NOW);
    // 72 against 60.
    expect(february).toMatchObject({ ...SAME, cost: 72, change_percent: 20, cost_change_percent: 20 });
  });
});
