import { describe, expect, it } from 'vitest';
import { addDays } from '../../../domain/shared/calendar.ts';
import type { MonthFacts } from '../../../domain/months/month-facts.ts';
import { listMonthVersions } from '../../../warehouse/months/month-locks.ts';
import { computeSpend } from '../../../warehouse/spend/compute-spend.ts';
import { monthFacts } from '../../../warehouse/months/month-facts.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { loadText, money, newMetric, newSource, NOW } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';
import { january, newMonthStory, type StoryChanges } from './month-story.ts';

describeOnBothEngines('months', (open, onDuckDb) => {
  const test = withOpened(open);

  const newStory = (...changes: StoryChanges) => newMonthStory(test, ...changes);

  describe('the facts of a month', () => {
    it('are its spend, its values and the number of their changes', async () => {
      const story = await newStory();
      await story.spend({ '2025-12-31': '1000', '2026-01-01': '10.000000000000001', '2026-01-31': '5' });
      await story.spend({ '2026-02-01': '7', '2026-02-06': '1' });
      await story.values({ '2025-12-31': 100, '2026-01-01': 3, '2026-01-31': 4 });
      await story.values({ '2026-01-31': 5 });
      const { on } = await computeSpend(test.warehouse, story.orgId, NOW);
      const facts = await test.warehouse.session((session) =>
        monthFacts(on(session), story.orgId, [story.metric.id], { newest: '2026-02', count: 2 }),
      );
      const none = {
        coverage: expect.anything() as MonthFacts['coverage'],
        team: false,
        uncollected: [],
        valueSum: null,
        valuePeriods: 0,
        valueChanges: 0,
        valueDoubts: [],
        missingLastDays: null,
        valueNotes: [],
        settled: false,
        lock: null,
      };
      expect(facts.get(story.metric.id)).toEqual([
        {
          ...none,
          month: '2025-12',
          cost: money('1000'),
          valueSum: '100.0000000000',
          valuePeriods: 1,
          valueChanges: 1,
        },
        {
          ...none,
          month: '2026-01',
          cost: '15.000000000000001',
          valueSum: '8.0000000000',
          valuePeriods: 2,
          valueChanges: 3,
        },
        { ...none, month: '2026-02', cost: money('8') },
      ]);
    });

    onDuckDb(() => {
      it('have the same spend for all metrics of an organisation, and the values of each', async () => {
        const story = await newStory();
        const other = await newMetric(test.warehouse, story.orgId);
        await story.spend({ '2026-01-10': '100', '2026-01-31': '0' });
        await story.values({ '2026-01-10': 20 });
        const { on } = await computeSpend(test.warehouse, story.orgId, NOW);
        const facts = await test.warehouse.session((session) =>
          monthFacts(on(session), story.orgId, [story.metric.id, other.id], { newest: '2026-01', count: 1 }),
        );
        expect(facts.get(story.metric.id)?.[1]).toMatchObject({
          cost: money('100'),
          valueSum: '20.0000000000',
        });
        expect(facts.get(other.id)?.[1]).toMatchObject({ cost: money('100'), valueSum: null });
      });
    });

    it('count a charge that is spread over the running month only up to today', async () => {
      const story = await newStory();
      // 28 over the 28 days of February. On the 7th, seven of them count.
      await loadText(
        test,
        { orgId: story.orgId, sourceId: story.source.id },
        focusCsv([
          dayLine('2026-02-01', '28', {
            ChargePeriodStart: '2026-02-01T00:00:00Z',
            ChargePeriodEnd: '2026-03-01T00:00:00Z',
          }),
        ]),
      );
      expect((await story.months(1, '2026-02'))[0]?.cost).toBe(7);
      const march = new Date('2026-03-06T00:00:00Z');
      expect((await story.months(1, '2026-02', march))[0]?.cost).toBe(28);
    });

    it('have a cost of 0 only if a bill of the month is loaded, otherwise null', async () => {
      const story = await newStory();
      await story.spend({ '2025-11-30': '1', '2026-01-31': '1' });
      const costs = (await story.months(4)).map(({ month, cost }) => [month, cost]);
      expect(costs).toEqual([
        ['2026-01', 1],
        ['2025-12', null],
        ['2025-11', 1],
        ['2025-10', null],
      ]);
      await story.spend({ '2025-12-15': '0' });
      expect((await story.months(2))[1]).toMatchObject({ month: '2025-12', cost: 0 });
    });

    onDuckDb(() => {
      it('average over the periods that have a value', async () => {
        const story = await newStory({}, { aggregation: 'average' });
        await story.spend({ '2026-01-10': '90', '2026-01-31': '0' });
        await story.values({ '2026-01-10': 10, '2026-01-20': 20 });
        // Mean 15 over the two days that have one: 90 ÷ 15.
        expect(await january(story)).toMatchObject({ value: 15, unit_cost: 6 });
      });

      it("average each day's sum over its labels", async () => {
        const story = await newStory({}, { aggregation: 'average', label_key: 'region' });
        await story.spend({ '2026-01-10': '90', '2026-01-31': '0' });
        await story.values({ '2026-01-10': 10, '2026-01-20': 20 }, 'eu');
        await story.values({ '2026-01-10': 6 }, 'us');
        // Days sum up to 16 and 20; their mean is 18: 90 ÷ 18.
        expect(await january(story)).toMatchObject({ value: 18, unit_cost: 5 });
      });

      it('never include another organisation', async () => {
        const [mine, theirs] = [await newStory(), await newStory()];
        await theirs.spend({ '2026-01-10': '1000', '2026-01-31': '0' });
        await theirs.values({ '2026-01-10': 50 });
        await theirs.settle();
        await theirs.lock('2026-01');
        await mine.spend({ '2026-01-10': '1', '2026-01-31': '0' });
        expect(await january(mine)).toMatchObject({ cost: 1, value: null, status: 'open', version: null });
        const { on } = await computeSpend(test.warehouse, mine.orgId, NOW);
        // Their metric has no facts in my organisation.
        const facts = await test.warehouse.session((session) =>
          monthFacts(on(session), mine.orgId, [theirs.metric.id], { newest: '2026-01', count: 1 }),
        );
        expect(facts.get(theirs.metric.id)).toEqual([]);
        expect(await listMonthVersions(test.warehouse, mine.orgId, theirs.metric.id, '2026-01')).toEqual([]);
      });

      it('lose the spend of a deleted source', async () => {
        const story = await newStory();
        const second = await newSource(test.warehouse, story.orgId);
        await story.spend({ '2026-01-10': '10', '2026-01-31': '0' });
        await story.spend({ '2026-01-10': '5', '2026-01-31': '0' }, second.id);
        expect((await january(story)).cost).toBe(15);
        await story.changeSource('delete', second.id);
        expect((await january(story)).cost).toBe(10);
        await story.changeSource('delete');
        expect((await january(story)).cost).toBeNull();
      });
    });
  });

  describe('settlement', () => {
    onDuckDb(() => {
      it('waits for the settle days to pass in full', async () => {
        const story = await newStory({ settle_days: 5 });
        await story.spend({ '2026-01-01': '1', '2026-01-31': '1' });
        // 1 to 5 February are the five full days.
        expect(await story.settle(new Date('2026-02-05T23:59:59.999Z'))).toEqual([]);
        expect(await story.settle(new Date('2026-02-06T00:00:00.000Z'))).toEqual(['2026-01']);
        expect(await story.settle(new Date('2026-02-06T00:00:01.000Z'))).toEqual([]); // it has settled already
      });

      it('needs no full day with settle_days 0, and 31 days with settle_days 31', async () => {
        const [none, many] = [await newStory({ settle_days: 0 }), await newStory({ settle_days: 31 })];
        for (const story of [none, many]) await story.spend({ '2026-01-01': '1', '2026-01-31': '1' });
        expect(await none.settle(new Date('2026-01-31T23:59:59.999Z'))).toEqual([]);
        expect(await none.settle(new Date('2026-02-01T00:00:00.000Z'))).toEqual(['2026-01']);
        // 28 days of February and three of March.
        expect(await many.settle(new Date('2026-03-03T23:59:59.999Z'))).toEqual([]);
        expect(await many.settle(new Date('2026-03-04T00:00:00.000Z'))).toEqual(['2026-01']);
      });
    });

    it('waits until every active source has delivered the last day', async () => {
      const story = await newStory();
      const second = await newSource(test.warehouse, story.orgId, { name: 'Azure' });
      await story.spend({ '2026-01-01': '1', '2026-01-31': '1' });
      expect(await story.settle()).toEqual([]);
      await story.spend({ '2026-01-30': '1' }, second.id);
      expect(await story.settle()).toEqual([]);
      await story.values({ '2026-01-10': 1 });
      expect((await january(story)).reason).toBe(
        'cost source "Azure" has not delivered 2026-01-31 (delivered through 2026-01-30)',
      );
      await story.spend({ '2026-01-31': '0' }, second.id); // a day without cost is delivered too
      expect(await story.settle()).toEqual(['2026-01']);
    });

    onDuckDb(() => {
      it('does not wait for paused or deleted sources', async () => {
        const story = await newStory();
        const paused = await newSource(test.warehouse, story.orgId, { schedule_paused: true });
        const deleted = await newSource(test.warehouse, story.orgId);
        await story.spend({ '2026-01-31': '1' });
        await story.spend({ '2026-01-02': '1' }, paused.id);
        expect(await story.settle()).toEqual([]);
        await story.changeSource('delete', deleted.id);
        expect(await story.settle()).toEqual(['2026-01']);
      });

      it('happens with paused sources alone once they have delivered the month', async () => {
        const story = await newStory();
        await story.spend({ '2025-12-31': '1', '2026-01-30': '1' });
        await story.changeSource({ schedule_paused: true });
        expect(await story.settle()).toEqual(['2025-12']); // nobody has delivered 31 January
      });

      it('never happens without a source or before the first spend', async () => {
        const empty = await newStory();
        expect(await empty.settle()).toEqual([]);
        await empty.changeSource('delete');
        expect(await empty.settle()).toEqual([]);

        const story = await newStory();
        await story.spend({ '2025-12-15': '1', '2026-01-31': '1' });
        expect(await story.settle()).toEqual(['2025-12', '2026-01']); // not November
      });

      it("catches up over a year's end and a short February, oldest first, once", async () => {
        const story = await newStory();
        const days: Record<string, string> = {};
        for (let day = '2025-11-15'; day <= '2026-03-10'; day = addDays(day, 1)) days[day] = '1';
        const now = new Date('2026-03-06T00:00:00Z');
        await story.spend(days, story.source.id, now);
        expect(await story.settle(new Date('2026-03-05T23:59:59Z'))).toEqual([
          '2025-11',
          '2025-12',
          '2026-01',
        ]);
        expect(await story.settle(now)).toEqual(['2026-02']);
        expect(await story.settle(now)).toEqual([]);
      });

      it('knows leap days', async () => {
        const story = await newStory();
        const now = new Date('2024-03-06T00:00:00Z');
        await story.spend({ '2024-02-28': '1' }, story.source.id, now);
        expect(await story.settle(now)).toEqual([]); // the 29th is missing
        await story.spend({ '2024-02-28': '1', '2024-02-29': '1' }, story.source.id, now);
        expect(await story.settle(now)).toEqual(['2024-02']);
      });
    });

    it('is recorded once when two requests settle at once, separately for each organisation', async () => {
      const [story, other] = [await newStory(), await newStory()];
      await story.spend({ '2026-01-31': '1' });
      const answers = await Promise.all([story.settle(), story.settle(), other.settle()]);
      expect(answers.flat()).toEqual(['2026-01']);
      expect((await january(other)).status).toBe('open');
    });

    onDuckDb(() => {
      it('does not count days as delivered because a charge is spread over them', async () => {
        const story = await newStory();
        // A fee for all of January does not show that the usage of the 31st has arrived.
        await loadText(
          test,
          { orgId: story.orgId, sourceId: story.source.id },
          focusCsv([
            dayLine('2026-01-10', '1'),
            dayLine('2026-01-01', '31', {
              ChargePeriodStart: '2026-01-01T00:00:00Z',
              ChargePeriodEnd: '2026-02-01T00:00:00Z',
            }),
          ]),
        );
        expect(await story.settle()).toEqual([]);
      });
    });
  });
});
