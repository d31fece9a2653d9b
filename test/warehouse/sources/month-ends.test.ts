import { describe, expect, it } from 'vitest';
import { addDays, addMonths, monthOf, type Day } from '../../../domain/shared/calendar.ts';
import { dayLine, focusCsv, type FocusLine } from '../../support/exports/focus-export.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { loadPaths, loadText, writeFiles } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';
import { sourceMonths } from '../../../warehouse/sources/coverage.ts';
import { january, newMonthStory, type MonthStory } from '../months/month-story.ts';

/** Bills whose month ends at another time than the last midnight in UTC. Today is 7 February 2026, a Saturday. */
describeOnBothEngines('the end of a month', (open) => {
  const test = withOpened(open);

  const days = (from: Day, through: Day): Day[] => {
    const found: Day[] = [];
    for (let day = from; day <= through; day = addDays(day, 1)) found.push(day);
    return found;
  };

  const newStory = async (): Promise<MonthStory> => {
    const story = await newMonthStory(test);
    await story.changeSource({ name: 'Bill' });
    await story.values({ '2026-01-10': 10 });
    return story;
  };

  const target = ({ orgId, source }: MonthStory) => ({ orgId, sourceId: source.id });

  describe('of a bill in local time', () => {
    /** A local day of 24 dollars, in a bill of its local month. */
    const local = (day: Day, offset: string, more: FocusLine = {}): FocusLine =>
      dayLine(day, '24', {
        ChargePeriodStart: `${day}T00:00:00${offset}`,
        ChargePeriodEnd: `${addDays(day, 1)}T00:00:00${offset}`,
        BillingPeriodStart: `${monthOf(day)}-01T00:00:00${offset}`,
        BillingPeriodEnd: `${addMonths(monthOf(day), 1)}-01T00:00:00${offset}`,
        ...more,
      });

    const load = (story: MonthStory, lines: readonly FocusLine[]) =>
      loadText(test, target(story), focusCsv(lines));

    it.each(['+08:00', '+05:30', '+13:00', '-05:00', '-10:00'])(
      'with %s is the last day in UTC, once the bill of February has its other hours',
      async (offset) => {
        const story = await newStory();
        await load(
          story,
          days('2025-12-01', '2026-02-06').map((day) => local(day, offset)),
        );
        await story.settle();
        expect(await january(story)).toMatchObject({ cost: 744, status: 'ready_to_lock', missing: [] });
        expect(
          await test.warehouse.query(
            'SELECT billing_period FROM current_loads WHERE org_id = $org ORDER BY ALL',
            {
              org: story.orgId,
            },
          ),
        ).toEqual(['2025-12-01', '2026-01-01', '2026-02-01'].map((billing_period) => ({ billing_period })));
      },
    );

    it('waits for the bill of February, which has the last eight hours', async () => {
      const story = await newStory();
      await load(
        story,
        days('2025-12-01', '2026-01-31').map((day) => local(day, '+08:00')),
      );
      expect(await story.settle()).toEqual(['2025-12']);
      // Eight hours of January are in December, and eight of them are not there yet.
      expect(await january(story)).toMatchObject({
        cost: 736,
        reason: 'cost source "Bill" has not delivered 2026-01-31 (delivered through 2026-01-30)',
      });
      await load(
        story,
        days('2026-02-01', '2026-02-06').map((day) => local(day, '+08:00')),
      );
      expect(await story.settle()).toEqual(['2026-01']);
      expect(await january(story)).toMatchObject({ cost: 744, status: 'ready_to_lock' });
    });

    it('does not hide an account that has stopped on 12 January', async () => {
      const story = await newStory();
      await load(story, [
        ...days('2025-12-01', '2026-02-06').map((day) => local(day, '+08:00')),
        ...days('2025-12-01', '2026-01-12').map((day) => local(day, '+08:00', { SubAccountId: '2222' })),
      ]);
      await story.settle();
      // 12 days of it, of which eight hours are in December: 744 + 280.
      expect(await january(story)).toMatchObject({
        cost: 1024,
        status: 'open',
        missing: [
          {
            code: 'unit_missing',
            sentence: expect.stringContaining(
              'account 2222 (aws) of cost source "Bill" has no spend from 2026-01-13',
            ) as string,
          },
        ],
      });
    });
  });

  describe('of a bill without weekends', () => {
    const isWeekday = (day: Day): boolean => ![0, 6].includes(new Date(day).getUTCDay());

    const load = async (story: MonthStory, lines: readonly FocusLine[], writtenOn: Day) =>
      loadPaths(
        test,
        target(story),
        await writeFiles(test, { 'bill.csv': focusCsv(lines) }),
        {},
        { writtenOn },
      );

    const weekdays = (through: Day, from: Day = '2026-01-01'): Day[] => days(from, through).filter(isWeekday);

    it('is its last Friday, in a file of February', async () => {
      const story = await newStory();
      await load(
        story,
        weekdays('2026-01-30').map((day) => dayLine(day, '10')),
        '2026-02-02',
      );
      expect(await story.settle()).toEqual(['2026-01']);
      // 22 weekdays.
      expect(await january(story)).toMatchObject({ cost: 220, status: 'ready_to_lock', missing: [] });
    });

    it('is its last Friday before a Sunday, and if only the last of two files is of the next month', async () => {
      const story = await newStory();
      const files = [weekdays('2025-11-14', '2025-11-01'), weekdays('2025-11-28', '2025-11-15')];
      const paths = await writeFiles(
        test,
        Object.fromEntries(
          files.map((of, index) => [`${index}.csv`, focusCsv(of.map((day) => dayLine(day, '10')))]),
        ),
      );
      await loadPaths(test, target(story), paths, {}, { writtenOn: ['2025-11-15', '2025-12-02'] });
      const months = { first: '2025-11', last: '2025-11' };
      // 30 November 2025 is a Sunday.
      expect((await sourceMonths(test.warehouse, story.orgId, months)).get('2025-11')).toMatchObject([
        { lastCovered: '2025-11-30', missingFrom: null, missingUnits: [] },
      ]);
    });

    it.each<[what: string, days: Day[], writtenOn: Day, missing: string]>([
      ['in a file of 31 January', weekdays('2026-01-30'), '2026-01-31', '2026-01-31'],
      ['without its last Friday', weekdays('2026-01-29'), '2026-02-02', '2026-01-30 to 2026-01-31'],
      [
        'of which only eight days are known',
        weekdays('2026-01-30', '2026-01-20').slice(1),
        '2026-02-02',
        '2026-01-31',
      ],
      ['with one Sunday', [...weekdays('2026-01-30'), '2026-01-11'], '2026-02-02', '2026-01-31'],
    ])('is not known %s', async (_what, of, writtenOn, missing) => {
      const story = await newStory();
      await load(
        story,
        of.map((day) => dayLine(day, '10')),
        writtenOn,
      );
      expect(await story.settle()).toEqual([]);
      expect((await january(story)).reason).toContain(`cost source "Bill" has not delivered ${missing} (`);
    });
  });
});
