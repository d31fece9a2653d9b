import { describe, expect, it } from 'vitest';
import { settles } from '../../../../domain/months/settlement.ts';
import { addDays, type Day, type Month } from '../../../../domain/shared/calendar.ts';
import { completeThrough } from '../../../../warehouse/spend/costs.ts';
import { computeSpend } from '../../../../warehouse/spend/compute-spend.ts';
import { sealBills } from '../../../../warehouse/teams/bills/bill-sealing.ts';
import { monthBills } from '../../../../warehouse/teams/bills/bills.ts';
import { createTeam } from '../../../../warehouse/teams/teams.ts';
import { sourceMonths } from '../../../../warehouse/sources/coverage.ts';
import { unitsOf } from '../../../../warehouse/sources/units/source-units.ts';
import { decideUnit } from '../../../../warehouse/sources/units/unit-decisions.ts';
import { stageAiTools } from '../../../../warehouse/sources/ai-tools-load.ts';
import { stageHosts } from '../../../../warehouse/sources/hosts-load.ts';
import { stageOpenCost } from '../../../../warehouse/sources/opencost/opencost-load.ts';
import { relationsOf } from '../../../../warehouse/sources/feeds/scan-files.ts';
import { textLike } from '../../../support/service/matchers.ts';
import { describeOnBothEngines } from '../../../support/warehouse/engines.ts';
import { dayLine, focusCsv, type FocusLine } from '../../../support/exports/focus-export.ts';
import { loading, loadWith, scopeOf } from '../../../support/warehouse/feeds.ts';
import { describeFile } from '../../../support/warehouse/describe-file.ts';
import {
  BY_ADMIN,
  loadText,
  newSource,
  NOW,
  published,
  writeFiles,
} from '../../../support/warehouse/tenant.ts';
import { withOpened } from '../../../support/with-opened.ts';
import { january, newMonthStory, type MonthStory } from '../../months/month-story.ts';

describeOnBothEngines('coverage by account, cluster, host and AI tool', (open, onDuckDb) => {
  const test = withOpened(open);

  const range = (from: Day, through: Day): Day[] => {
    const days: Day[] = [];
    for (let day = from; day <= through; day = addDays(day, 1)) days.push(day);
    return days;
  };

  const weekdays = (days: readonly Day[]): Day[] =>
    days.filter((day) => ![0, 6].includes(new Date(day).getUTCDay()));

  const lines = (days: readonly Day[], cost: string, more: FocusLine = {}): FocusLine[] =>
    days.map((day) => dayLine(day, cost, more));

  const B = { SubAccountId: '2222', SubAccountName: 'Search' };
  const JANUARY = range('2026-01-01', '2026-01-31');
  const FEBRUARY = range('2026-02-01', '2026-02-06');

  /** Returns an organisation whose January has 31 orders, and a bill with these lines. */
  const billStory = async (...bill: FocusLine[][]): Promise<MonthStory> => {
    const story = await newMonthStory(test);
    await story.changeSource({ name: 'Bills' });
    await story.values({ '2026-01-10': 31, '2026-02-03': 6 });
    await load(story, ...bill);
    return story;
  };

  const load = (story: MonthStory, ...bill: FocusLine[][]) =>
    loadText(test, { orgId: story.orgId, sourceId: story.source.id }, focusCsv(bill.flat()));

  const sound = async (story: MonthStory, cost: number): Promise<void> => {
    expect(await january(story)).toMatchObject({ cost, missing: [], notes: [] });
    expect(await story.settle()).toEqual(['2026-01']);
    expect(await january(story)).toMatchObject({ status: 'ready_to_lock', can_lock: 'now' });
  };

  const heldBack = async (story: MonthStory, cost: number, sentences: unknown[], amounts?: unknown[]) => {
    expect(await story.settle()).toEqual([]);
    const month = await january(story);
    expect(month).toMatchObject({ cost, status: 'open', can_lock: 'without_missing' });
    expect(month.missing.map(({ sentence }) => sentence)).toEqual(sentences);
    if (amounts !== undefined) expect(month.missing.map(({ amount }) => amount)).toEqual(amounts);
    for (const { sentence } of month.missing) expect(month.reason).toContain(sentence);
    await expect(story.lock('2026-01')).rejects.toThrow(/2026-01 cannot be locked/);
  };

  describe('of a bill', () => {
    it('lacks the days after the last usage if only a credit has the last day: 287 of 743', async () => {
      const story = await billStory(
        lines(range('2026-01-01', '2026-01-12'), '24'),
        lines(['2026-01-31'], '-1', { ChargeCategory: 'Tax' }),
      );
      await heldBack(story, 287, [
        'cost source "Bills" has not delivered 2026-01-13 to 2026-01-31 (delivered through 2026-01-12)',
      ]);
      await load(story, lines(JANUARY, '24'), lines(['2026-01-31'], '-1', { ChargeCategory: 'Tax' }));
      await sound(story, 743);
    });

    it.each(['Purchase', 'Credit', 'Adjustment'])(
      'lacks them if the last day has only a %s: 207 of 527',
      async (category) => {
        const story = await billStory(
          lines(range('2026-01-01', '2026-01-12'), '16'),
          lines(['2026-01-31'], '15', { ChargeCategory: category }),
        );
        await heldBack(story, 207, [expect.stringContaining('has not delivered 2026-01-13 to 2026-01-31')]);
      },
    );

    it('lacks the days of an account that stops: 364 of 744', async () => {
      const story = await billStory(lines(JANUARY, '4'), lines(range('2026-01-01', '2026-01-12'), '20', B));
      await heldBack(
        story,
        364,
        [
          'account 2222 (aws) of cost source "Bills" has no spend from 2026-01-13 to 2026-01-31, after spend on every day ' +
            'until 2026-01-12; at its average of 20 a day, that is an estimated 380',
        ],
        [380],
      );
      expect(await january(story)).toMatchObject({
        complete_through: '2026-01-12',
        missing: [
          {
            code: 'unit_missing',
            ways_out: [
              { action: 'end_unit', source_id: story.source.id, unit: 'aws/2222' },
              { action: 'run_source', source_id: story.source.id },
              { action: 'accept' },
            ],
          },
        ],
      });
      // The export is corrected.
      await load(story, lines(JANUARY, '4'), lines(JANUARY, '20', B));
      await sound(story, 744);
    });

    it('lacks the days of a cloud that stops: 305 of 465', async () => {
      const azure = { ProviderName: 'Microsoft', SubAccountId: 'sub-1' };
      const story = await billStory(
        lines(JANUARY, '5'),
        lines(range('2026-01-01', '2026-01-15'), '10', azure),
      );
      await heldBack(
        story,
        305,
        [
          expect.stringMatching(
            /^account sub-1 \(azure\) of cost source "Bills" has no spend from 2026-01-16 /,
          ),
        ],
        [160],
      );
    });

    it('lacks a hole that ends in the next month: 200 of 310', async () => {
      const story = await billStory(lines(range('2026-01-01', '2026-01-20'), '10'), lines(FEBRUARY, '10'));
      await heldBack(
        story,
        200,
        [
          'account 1111 (aws) of cost source "Bills" has no spend from 2026-01-21 to 2026-01-31, after spend on every day ' +
            'until 2026-01-20 and again from 2026-02-01; at its average of 10 a day, that is an estimated 110',
        ],
        [110],
      );
    });

    it('lacks a single day: 300 of 310', async () => {
      const story = await billStory(
        lines(
          JANUARY.filter((day) => day !== '2026-01-20'),
          '10',
        ),
      );
      await heldBack(story, 300, [
        expect.stringContaining('has no spend on 2026-01-20, after spend on every day'),
      ]);
    });

    it('keeps a team bill an estimate, and months of its running costs end before: 240 of 620', async () => {
      const story = await billStory(
        lines(JANUARY, '1'),
        lines(FEBRUARY, '1'),
        lines(range('2026-01-01', '2026-01-12'), '20', B),
      );
      const { id: team } = await createTeam(
        test.warehouse,
        story.orgId,
        { name: 'Search', ownership: [{ source: 'cloud', cloud: 'aws', account: '2222' }] },
        BY_ADMIN,
      );
      const bill = async () => {
        await story.settle();
        const { on } = await sealBills(test.warehouse, story.orgId, NOW);
        const months = await test.warehouse.session((session) =>
          monthBills(on(session), story.orgId, { newest: '2026-01', count: 1 }),
        );
        const ofMonth = months.at(-1);
        return [ofMonth?.status, Number(ofMonth?.bills?.get(team)?.direct)];
      };
      expect(await bill()).toEqual(['estimate', 240]);
      const { on } = await computeSpend(test.warehouse, story.orgId, NOW);
      await test.warehouse.session(async (session) => {
        expect(await completeThrough(on(session), story.orgId, '2026-01-01', NOW)).toBe('2026-01-12');
      });
      await load(
        story,
        lines(JANUARY, '1'),
        lines(FEBRUARY, '1'),
        lines(JANUARY, '20', B),
        lines(FEBRUARY, '20', B),
      );
      expect(await bill()).toEqual(['sealed', 620]);
    });

    onDuckDb(() => {
      it('no longer lacks an account that a person has ended, until it returns and stops again', async () => {
        const story = await billStory(lines(JANUARY, '4'), lines(range('2026-01-01', '2026-01-12'), '20', B));
        const end = (day: Day | null) =>
          decideUnit(
            test.warehouse,
            story.orgId,
            { sourceId: story.source.id, unit: 'aws/2222' },
            { endedOn: day },
            BY_ADMIN,
          );
        await end('2026-01-20');
        await heldBack(
          story,
          364,
          [expect.stringContaining('has no spend from 2026-01-13 to 2026-01-19')],
          [140],
        );
        await end(null);
        await heldBack(story, 364, [expect.stringContaining('from 2026-01-13 to 2026-01-31')]);
        await end('2026-01-12');
        await sound(story, 364);
        await load(
          story,
          lines(JANUARY, '4'),
          lines([...range('2026-01-01', '2026-01-12'), ...range('2026-01-20', '2026-01-25')], '20', B),
        );
        expect(await january(story)).toMatchObject({
          status: 'open',
          missing: [
            // The account had not ended on the 12th, because it is back in the same month.
            { sentence: textLike(/from 2026-01-13 to 2026-01-19/), amount: 140 },
            { sentence: textLike(/from 2026-01-26 to 2026-01-31/), amount: 120 },
          ],
        });
      });

      it('lacks the days of an account with daily purchases that stops: 435 of 775', async () => {
        const fees = { ...B, ChargeCategory: 'Purchase' };
        const tax = lines(['2026-01-31'], '1', { ...B, ChargeCategory: 'Tax' });
        const story = await billStory(
          lines(JANUARY, '5'),
          lines(range('2026-01-01', '2026-01-14'), '20', fees),
        );
        await heldBack(story, 435, [textLike(/^account 2222 .* from 2026-01-15 to 2026-01-31/)], [340]);
        await load(story, lines(JANUARY, '5'), lines(range('2026-01-01', '2026-01-14'), '20', fees), tax);
        await heldBack(story, 436, [textLike(/^account 2222 .* from 2026-01-15 to 2026-01-31/)], [340]);
        await load(story, lines(JANUARY, '5'), lines(JANUARY, '20', fees));
        await sound(story, 775);
      });

      it('raises no doubt about a purchase long before the first usage of an account', async () => {
        const story = await billStory(
          lines(JANUARY, '5'),
          lines(['2026-01-02'], '90', { ...B, ChargeCategory: 'Purchase' }),
          lines(range('2026-01-20', '2026-01-31'), '2', B),
        );
        await sound(story, 155 + 90 + 24);
      });

      it('is accepted by a lock, and is no longer waited for after a whole accepted month', async () => {
        const story = await newMonthStory(test);
        await story.changeSource({ name: 'Bills' });
        await story.values({ '2026-01-10': 31, '2026-02-03': 28, '2026-03-03': 31, '2026-04-02': 1 });
        const [march, may] = [new Date('2026-03-07T06:00:00Z'), new Date('2026-05-07T06:00:00Z')];
        const spend = (through: Day, now: Date) =>
          loadText(
            test,
            { orgId: story.orgId, sourceId: story.source.id },
            focusCsv([
              ...lines(range('2026-01-01', through), '4'),
              ...lines(range('2026-01-01', '2026-02-12'), '20', B),
            ]),
            { now },
          );
        await spend('2026-03-06', march);
        expect(await story.settle(march)).toEqual(['2026-01']);
        const [february] = await story.months(1, '2026-02', march);
        expect(february?.missing).toMatchObject([{ amount: 320 }]);
        await story.lock('2026-02', march, true);
        expect(await story.versions('2026-02')).toMatchObject([
          { missing: [expect.stringContaining('account 2222 (aws)')] },
        ]);
        await spend('2026-05-06', may);
        // March was not without the account before, so that it is held back once more.
        expect(await story.settle(may)).toEqual([]);
        await story.lock('2026-03', may, true);
        const months = await story.months(2, '2026-04', may);
        expect(months).toMatchObject([{ missing: [] }, { status: 'locked' }]);
        expect(await story.settle(may)).toEqual(['2026-04']);
      });

      it('does not wait for an account that had ended a month before the source was created', async () => {
        const story = await billStory(
          lines(range('2025-11-01', '2026-01-31'), '4'),
          lines(range('2025-11-01', '2025-11-20'), '20', B),
        );
        const months = await story.months(3);
        expect(months.map(({ month, missing }) => [month, missing.map(({ amount }) => amount)])).toEqual([
          ['2026-01', []],
          ['2025-12', [620]],
          ['2025-11', [200]],
        ]);
      });

      it('waits for an account that was gone for the month in which the source was created: 560 and 620', async () => {
        const april = new Date('2026-04-07T06:00:00Z');
        const story = await billStory();
        await loadText(
          test,
          { orgId: story.orgId, sourceId: story.source.id },
          focusCsv([
            ...lines(range('2026-01-01', '2026-04-06'), '4'),
            ...lines(range('2026-01-01', '2026-01-20'), '20', B),
          ]),
          { now: april },
        );
        const months = await story.months(3, '2026-03', april);
        expect(months.map(({ month, missing }) => [month, missing.map(({ amount }) => amount)])).toEqual([
          ['2026-03', [620]],
          ['2026-02', [560]],
          ['2026-01', [220]],
        ]);
      });

      it('waits for six months, whatever months are asked for', async () => {
        const story = await billStory();
        await loadText(
          test,
          { orgId: story.orgId, sourceId: story.source.id },
          focusCsv([
            ...lines(range('2025-12-10', '2026-08-31'), '4'),
            ...lines(range('2025-12-10', '2026-01-03'), '20', B),
          ]),
          { now: new Date('2026-09-07T06:00:00Z') },
        );
        const lacking = async (first: Month, last: Month) => {
          const months = await sourceMonths(test.warehouse, story.orgId, { first, last });
          return (months.get(last) ?? []).flatMap(({ missingUnits }) =>
            missingUnits.map(({ days }) => days.length),
          );
        };
        for (const first of ['2025-12', '2026-07']) expect(await lacking(first, '2026-07')).toEqual([31]);
        for (const first of ['2025-12', '2026-08']) expect(await lacking(first, '2026-08')).toEqual([]);
      });

      it('lacks a hole after a first day, which only the days of the next month show: 144 of 184', async () => {
        const now = new Date('2026-02-20T06:00:00Z');
        const story = await billStory();
        await loadText(
          test,
          { orgId: story.orgId, sourceId: story.source.id },
          focusCsv([
            ...lines(range('2026-01-01', '2026-02-19'), '4'),
            ...lines(['2026-01-29', ...range('2026-02-01', '2026-02-19')], '20', B),
          ]),
          { now },
        );
        const [record] = await story.months(1, '2026-01', now);
        expect(record).toMatchObject({
          cost: 144,
          missing: [{ sentence: textLike(/^account 2222 .* from 2026-01-30 to 2026-01-31, /), amount: 40 }],
        });
      });

      it('does not wait for the accounts of a paused source', async () => {
        const story = await billStory(lines(JANUARY, '4'), lines(range('2026-01-01', '2026-01-12'), '20', B));
        await story.changeSource({ schedule_paused: true });
        await sound(story, 364);
        await story.changeSource({ schedule_paused: false });
        expect(await january(story)).toMatchObject({ status: 'open', missing: [{ amount: 380 }] });
      });

      it('has no day that had not ended when it was read', async () => {
        const story = await newMonthStory(test);
        const { orgId, source } = story;
        const planned = focusCsv(lines(range('2026-01-01', '2026-01-10'), '20', B));
        const now = new Date('2026-01-09T12:00:00Z');
        await loadText(test, { orgId, sourceId: source.id }, planned, { now });
        expect(await unitsOf(test.warehouse, orgId, source.id, '2026-01')).toMatchObject([
          { unit: 'aws/2222', firstDay: '2026-01-01', lastDay: '2026-01-08' },
        ]);
      });

      it('was missing on the last day in time, so that the month settles by backfill', async () => {
        const later = new Date('2026-02-12T06:00:00Z');
        const settledOn = async (story: MonthStory, day: Day) => {
          const months = { first: '2026-01', last: '2026-01' };
          const sources = (await sourceMonths(test.warehouse, story.orgId, months, day)).get('2026-01') ?? [];
          return settles('2026-01', { settleDays: 5, sources }, day);
        };
        const stopped = () =>
          billStory(lines(JANUARY, '4'), lines(range('2026-01-01', '2026-01-12'), '20', B));
        const ended = await stopped();
        await decideUnit(
          test.warehouse,
          ended.orgId,
          { sourceId: ended.source.id, unit: 'aws/2222' },
          { endedOn: '2026-01-12' },
          { ...BY_ADMIN, now: later },
        );
        const corrected = await stopped();
        await loadText(
          test,
          { orgId: corrected.orgId, sourceId: corrected.source.id },
          focusCsv([...lines(JANUARY, '4'), ...lines(JANUARY, '20', B)]),
          { now: later },
        );
        for (const story of [ended, corrected])
          expect([await settledOn(story, '2026-02-10'), await settledOn(story, '2026-02-13')]).toEqual([
            false,
            true,
          ]);
      });

      it('is not back by a correction of an earlier day on the next bill: 365 of 745', async () => {
        const correction = { ...B, BillingPeriodStart: '2026-02-01T00:00:00Z' };
        const story = await billStory(
          lines([...JANUARY, ...FEBRUARY], '4'),
          lines(range('2026-01-01', '2026-01-12'), '20', B),
          lines(['2026-01-05'], '1', correction),
        );
        await heldBack(
          story,
          365,
          [
            'account 2222 (aws) of cost source "Bills" has no spend from 2026-01-13 to 2026-01-31, after spend on every day ' +
              'until 2026-01-12; at its average of 20 a day, that is an estimated 380',
          ],
          [380],
        );
      });

      it('is accepted in one source only', async () => {
        const may = new Date('2026-05-07T06:00:00Z');
        const story = await billStory();
        await story.values({ '2026-03-03': 31, '2026-04-02': 30 });
        const { id } = await newSource(test.warehouse, story.orgId, { name: 'Second' });
        const read = (sourceId: string, account: FocusLine[]) =>
          loadText(
            test,
            { orgId: story.orgId, sourceId },
            focusCsv([
              ...lines(range('2026-02-01', '2026-05-06'), '4', { SubAccountId: sourceId }),
              ...account,
            ]),
            { now: may },
          );
        await read(story.source.id, lines(range('2026-02-01', '2026-02-12'), '20', B));
        await read(id, lines(range('2026-02-01', '2026-05-06'), '3', B));
        // February and March are locked without the account of the first source.
        await story.lock('2026-02', may, true);
        await story.lock('2026-03', may, true);
        const april = async () => (await story.months(1, '2026-04', may))[0]?.missing;
        expect(await april()).toEqual([]);
        await read(id, lines(range('2026-02-01', '2026-02-12'), '3', B));
        expect(await april()).toMatchObject([{ sentence: textLike(/of cost source "Second"/), amount: 90 }]);
      });

      it('raises no doubt about an account that was never daily, or that begins', async () => {
        const support = { SubAccountId: '3333' };
        const story = await billStory(
          lines(range('2025-11-01', '2026-01-31'), '10'),
          lines(FEBRUARY, '10'),
          lines(['2025-11-03', '2025-12-03', '2026-01-05'], '50', support),
          lines(range('2026-01-20', '2026-01-31'), '2', { SubAccountId: '4444' }),
          lines(FEBRUARY, '2', { SubAccountId: '4444' }),
          lines(['2026-01-04', '2026-01-09', '2026-01-17'], '1', { SubAccountId: '5555' }),
        );
        expect(await january(story)).toMatchObject({ cost: 310 + 50 + 24 + 3, missing: [] });
        expect(await story.settle()).toEqual(['2025-11', '2025-12', '2026-01']);
      });

      it('raises no doubt about an account that rests at weekends, or on a few days', async () => {
        const days = range('2025-12-01', '2026-02-06');
        const story = await billStory(
          lines(days, '1'),
          lines(weekdays(days), '5', B),
          // Two days in a row without spend, twice.
          lines(
            days.filter((day) => !/-(06|07|20|21)$/.test(day)),
            '2',
            { SubAccountId: '3333' },
          ),
          // Holidays: four working days.
          lines(
            weekdays(days).filter(
              (day) => !['2025-12-24', '2025-12-25', '2025-12-26', '2025-12-29'].includes(day),
            ),
            '3',
            { SubAccountId: '4444' },
          ),
        );
        const missing = (await story.months(2)).flatMap((month) => month.missing);
        expect(missing.map(({ sentence }) => sentence)).toEqual([]);
      });

      it('lacks an account that rests at weekends once it is gone for a week: 60 of 110', async () => {
        const days = weekdays(range('2025-12-01', '2026-01-16'));
        const story = await billStory(lines(range('2025-12-01', '2026-02-06'), '0'), lines(days, '5', B));
        const [record] = await story.months();
        expect(record).toMatchObject({ cost: 60 });
        expect(record?.missing).toMatchObject([
          {
            sentence: textLike(/from 2026-01-19 to 2026-01-30, after spend on every day until 2026-01-16/),
            amount: 50,
          },
        ]);
      });

      it('names the source once if all of its accounts end on one day', async () => {
        const story = await billStory(
          ...Array.from({ length: 20 }, (_, index) =>
            lines(range('2026-01-01', '2026-01-28'), '1', { SubAccountId: `${1000 + index}` }),
          ),
        );
        await heldBack(story, 560, [
          'cost source "Bills" has not delivered 2026-01-29 to 2026-01-31 (delivered through 2026-01-28)',
        ]);
      });

      it('names the twenty dearest accounts, and counts the others', async () => {
        const story = await billStory(
          lines(JANUARY, '1'),
          ...Array.from({ length: 25 }, (_, index) =>
            lines(range('2026-01-01', '2026-01-30'), `${index + 1}`, { SubAccountId: `acc-${index + 1}` }),
          ),
        );
        const { missing } = await january(story);
        expect(missing).toHaveLength(21);
        expect(missing[0]).toMatchObject({ amount: 25 });
        expect(missing.at(-1)).toMatchObject({
          sentence:
            '5 more of cost source "Bills" have no spend on days on which they had some before: account acc-5 (aws), ' +
            'account acc-4 (aws), account acc-3 (aws), and 2 more',
          amount: 1 + 2 + 3 + 4 + 5,
          // Nobody can end several accounts at once.
          ways_out: [{ action: 'run_source' }, { action: 'accept' }],
        });
      });
    });
  });

  /** Returns a story whose only source has this kind. */
  const storyOf = async (kind: 'hosts' | 'opencost' | 'ai_tools') => {
    const story = await newMonthStory(test);
    await story.changeSource('delete');
    const { id } = await newSource(test.warehouse, story.orgId, { name: 'Feed', kind, options: {} });
    await story.values({ '2026-01-10': 31 });
    return { ...story, source: { ...story.source, id } };
  };

  const loadHostDays = async (
    story: MonthStory,
    rows: readonly (readonly [host: string, days: readonly Day[], cost: string])[],
  ): Promise<void> => {
    const text = [
      'day,host,service,cost',
      ...rows.flatMap(([host, days, cost]) => days.map((day) => `${day},${host},web,${cost}`)),
    ];
    const paths = await writeFiles(test, { 'hosts.csv': `${text.join('\n')}\n` });
    const scope = scopeOf({ orgId: story.orgId, sourceId: story.source.id });
    await loadWith(test, paths, (sessions, files) =>
      published(sessions, scope, (load) => stageHosts(sessions, load, files)),
    );
  };

  type ClusterDays = readonly (readonly [cluster: string, days: readonly Day[], cost: string])[];

  /** Loads allocations, and the assets if there are any, from files that were written on this day. */
  const loadClusterDays = async (
    story: MonthStory,
    allocations: ClusterDays,
    assets?: ClusterDays,
    writtenOn?: Day,
  ): Promise<void> => {
    const text = (header: string, rows: ClusterDays, more: (cost: string) => string): string =>
      [
        header,
        ...rows.flatMap(([cluster, days, cost]) => days.map((day) => `${day},${cluster},${more(cost)}`)),
        '',
      ].join('\n');
    const columns = 'Date,Cluster,Namespace,ControllerKind,ControllerName,TotalCost';
    const [path = '', assetPath = ''] = await writeFiles(test, {
      'allocations.csv': text(columns, allocations, (cost) => `shop,deployment,api,${cost}`),
      'assets.csv': text(
        'day,cluster,kind,provider_id,cost',
        assets ?? [],
        (cost) => `node,i-0a1b2c3d4e5f60718,${cost}`,
      ),
    });
    const scope = scopeOf({ orgId: story.orgId, sourceId: story.source.id });
    await loading(test, async (sessions) => {
      const file = await describeFile(sessions.reader, path);
      const assetFile = await describeFile(sessions.reader, assetPath);
      const feeds = {
        allocations: relationsOf([file]),
        assets:
          assets === undefined
            ? null
            : relationsOf([{ ...assetFile, ...(writtenOn === undefined ? {} : { writtenOn }) }]),
        cluster: null,
        from: 'files' as const,
      };
      return published(sessions, scope, (load) => stageOpenCost(sessions, load, feeds));
    });
  };

  describe('of clusters', () => {
    it('lacks every day between the first and the last: 12 of 124', async () => {
      const story = await storyOf('opencost');
      await loadClusterDays(story, [['prod', ['2026-01-01', '2026-01-02', '2026-01-31'], '4']]);
      await heldBack(
        story,
        12,
        [
          'cluster prod of cost source "Feed" has no spend from 2026-01-03 to 2026-01-30, after spend on every day until ' +
            '2026-01-02 and again from 2026-01-31; at its average of 4 a day, that is an estimated 112',
        ],
        [112],
      );
      await loadClusterDays(story, [['prod', JANUARY, '4']]);
      await sound(story, 124);
    });

    it('lacks a second cluster that falls silent: 45 of 155', async () => {
      const story = await storyOf('opencost');
      // The second cluster stops at noon of its fourth day.
      await loadClusterDays(story, [
        ['prod', JANUARY, '1'],
        ['batch', range('2026-01-01', '2026-01-03'), '4'],
        ['batch', ['2026-01-04'], '2'],
      ]);
      await heldBack(story, 45, [expect.stringMatching(/^cluster batch .* from 2026-01-05 to 2026-01-31, /)]);
      await loadClusterDays(story, [
        ['prod', JANUARY, '1'],
        ['batch', JANUARY, '4'],
      ]);
      await sound(story, 155);
    });

    onDuckDb(() => {
      it('lacks days even if the feed has only three, far apart: 9 of 93', async () => {
        const story = await storyOf('opencost');
        await loadClusterDays(story, [['prod', ['2026-01-01', '2026-01-15', '2026-01-31'], '3']]);
        await heldBack(story, 9, [
          expect.stringContaining('from 2026-01-16 to 2026-01-30'),
          expect.stringContaining('from 2026-01-02 to 2026-01-14'),
        ]);
      });

      it('raises no doubt about a day with assets only: 124', async () => {
        const story = await storyOf('opencost');
        const without = JANUARY.filter((day) => day !== '2026-01-12');
        await loadClusterDays(story, [['prod', without, '1']], [['prod', JANUARY, '4']]);
        await sound(story, 124);
        // Without both, a day is estimated at the cost of its assets.
        const both = await storyOf('opencost');
        await loadClusterDays(both, [['prod', without, '1']], [['prod', without, '4']]);
        await heldBack(both, 120, [textLike(/^cluster prod .* no spend on 2026-01-12, /)], [4]);
      });

      it('lacks days with allocations only: 109 of 124', async () => {
        const story = await storyOf('opencost');
        const assets = (days: readonly Day[]) =>
          loadClusterDays(story, [['prod', JANUARY, '1']], [['prod', days, '4']]);
        await assets(range('2026-01-01', '2026-01-26'));
        const sentence =
          'cost source "Feed" has allocations of cluster "prod" without assets on 5 days from 2026-01-27 to 2026-01-31, ' +
          'so that only the allocations count; by its average assets, an estimated 15 is missing';
        await heldBack(story, 109, [sentence], [15]);
        await assets(JANUARY);
        await sound(story, 124);
        const middle = await storyOf('opencost');
        await loadClusterDays(
          middle,
          [['prod', JANUARY, '1']],
          [['prod', JANUARY.filter((day) => day !== '2026-01-12'), '4']],
        );
        await heldBack(middle, 121, [textLike(/without assets on 1 day, 2026-01-12, /)], [3]);
        // Allocations alone are no doubt.
        const alone = await storyOf('opencost');
        await loadClusterDays(alone, [['prod', JANUARY, '1']]);
        await sound(alone, 31);
      });

      it('lacks the last day if only its assets were written before it had ended: 121 of 124', async () => {
        const story = await storyOf('opencost');
        const assets = (last: string): ClusterDays => [
          ['prod', range('2026-01-01', '2026-01-30'), '4'],
          ['prod', ['2026-01-31'], last],
        ];
        await loadClusterDays(story, [['prod', JANUARY, '1']], assets('1'), '2026-01-31');
        await heldBack(story, 121, [
          'cost source "Feed" has not delivered 2026-01-31 (its files were written before 2026-01-31 had ended)',
        ]);
        await loadClusterDays(story, [['prod', JANUARY, '1']], assets('4'), '2026-02-01');
        await sound(story, 124);
      });

      it('raises no doubt about a build cluster that rests at weekends, or one that begins', async () => {
        const story = await storyOf('opencost');
        await loadClusterDays(story, [
          ['prod', [...JANUARY, ...FEBRUARY], '1'],
          ['build', weekdays([...JANUARY, ...FEBRUARY]), '2'],
          ['new', [...range('2026-01-21', '2026-01-31'), ...FEBRUARY], '1'],
          ['new-build', weekdays([...range('2026-01-14', '2026-01-31'), ...FEBRUARY]), '1'],
        ]);
        await sound(story, 31 + 44 + 11 + 13);
      });
    });
  });

  describe('of hosts', () => {
    it('lacks the days of a hole: 105 of 155', async () => {
      const story = await storyOf('hosts');
      const hole = range('2026-01-11', '2026-01-20');
      await loadHostDays(story, [['db-1', JANUARY.filter((day) => !hole.includes(day)), '5']]);
      await heldBack(
        story,
        105,
        [
          'host db-1 of cost source "Feed" has no spend from 2026-01-11 to 2026-01-20, after spend on every day until ' +
            '2026-01-10 and again from 2026-01-21; at its average of 5 a day, that is an estimated 50',
        ],
        [50],
      );
      await loadHostDays(story, [['db-1', hole, '5']]);
      await sound(story, 155);
    });

    onDuckDb(() => {
      it('lacks a host that stops: 105 of 155', async () => {
        const story = await storyOf('hosts');
        await loadHostDays(story, [
          ['web-1', JANUARY, '3'],
          ['db-1', range('2026-01-01', '2026-01-06'), '2'],
        ]);
        // After six days nobody knows whether a host was meant to stay.
        expect((await january(story)).missing).toEqual([]);
        await loadHostDays(story, [
          ['web-1', JANUARY, '3'],
          ['db-1', range('2026-01-01', '2026-01-12'), '2'],
        ]);
        await heldBack(
          story,
          93 + 24,
          [expect.stringMatching(/^host db-1 .* from 2026-01-13 to 2026-01-31, /)],
          [38],
        );
      });

      it('lacks five hosts that stop if only a cheap one begins: 1356.9 of 3256.9', async () => {
        const story = await storyOf('hosts');
        const stopped = (others: readonly (readonly [string, readonly Day[], string])[]) =>
          loadHostDays(story, [
            ['db-1', [...JANUARY, ...FEBRUARY], '5'],
            ...[1, 2, 3, 4, 5].map((n) => [`web-${n}`, range('2026-01-01', '2026-01-12'), '20'] as const),
            ...others,
          ]);
        const since = [...range('2026-01-13', '2026-01-31'), ...FEBRUARY];
        await stopped([['tiny', since, '0.1']]);
        const sentences = [1, 2, 3, 4, 5].map((n) =>
          textLike(new RegExp(`^host web-${n} .* from 2026-01-13`)),
        );
        await heldBack(story, 1356.9, sentences, [380, 380, 380, 380, 380]); // 155 + 1200 + 1.9
        await stopped([['large', since, '49']]);
        await heldBack(story, 155 + 1200 + 19 * 49, sentences);
        await stopped([['large', since, '50']]);
        await sound(story, 155 + 1200 + 19 * 50);
      });

      it('raises no doubt about a host whose successor begins up to three days before or after its end', async () => {
        const story = await storyOf('hosts');
        const successor = async (from: Day) => {
          await loadHostDays(story, [
            ['db-1', [...JANUARY, ...FEBRUARY], '5'],
            ['web-1', range('2026-01-01', '2026-01-15'), '4'],
            [`web-${from}`, [...range(from, '2026-01-31'), ...FEBRUARY], '4'],
          ]);
          return (await january(story)).missing.map(({ amount }) => amount);
        };
        for (const from of ['2026-01-12', '2026-01-13', '2026-01-18'])
          expect(await successor(from)).toEqual([]);
        for (const from of ['2026-01-11', '2026-01-19']) expect(await successor(from)).toEqual([64]);
      });

      it('raises no doubt about a host that another replaces, or one that is billed monthly or weekly', async () => {
        const story = await storyOf('hosts');
        await loadHostDays(story, [
          ['web-1', [...JANUARY, ...FEBRUARY], '1'],
          ['web-2', range('2026-01-01', '2026-01-12'), '2'],
          ['web-3', [...range('2026-01-13', '2026-01-31'), ...FEBRUARY], '2'],
          ['rented', ['2026-01-01', '2026-02-01'], '30'],
          [
            'weekly',
            ['2026-01-02', '2026-01-09', '2026-01-16', '2026-01-23', '2026-01-30', '2026-02-06'],
            '7',
          ],
        ]);
        await sound(story, 31 + 62 + 30 + 35);
      });
    });
  });

  onDuckDb(() => {
    describe('of AI tools', () => {
      const loadToolDays = async (
        story: MonthStory,
        rows: readonly (readonly [tool: string, days: readonly Day[], cost: string])[],
      ): Promise<void> => {
        const text = [
          'day,tool,cost',
          ...rows.flatMap(([tool, days, cost]) => days.map((day) => `${day},${tool},${cost}`)),
        ];
        const paths = await writeFiles(test, {
          'spend.csv': `${text.join('\n')}\n`,
          'usage.csv': 'day,tool,repository,usage\n2026-01-01,copilot,github.com/acme/shop,1\n',
        });
        const scope = scopeOf({ orgId: story.orgId, sourceId: story.source.id });
        await loadWith(test, paths, (sessions, [spend, usage]) =>
          published(sessions, scope, (load) =>
            stageAiTools(sessions, load, {
              spend: spend === undefined ? [] : [spend],
              usage: usage === undefined ? [] : [usage],
            }),
          ),
        );
      };

      it('lack a tool that stops: 91 of 155', async () => {
        const story = await storyOf('ai_tools');
        await loadToolDays(story, [
          ['copilot', JANUARY, '1'],
          ['cursor', range('2026-01-01', '2026-01-15'), '4'],
        ]);
        await heldBack(
          story,
          91,
          [expect.stringMatching(/^tool cursor .* from 2026-01-16 to 2026-01-31, /)],
          [64],
        );
      });

      it('raise no doubt on weekends and two days off', async () => {
        const story = await storyOf('ai_tools');
        const days = [...JANUARY, ...FEBRUARY];
        await loadToolDays(story, [
          ['copilot', days, '1'],
          ['cursor', weekdays(days), '4'],
          ['claude', days.filter((day) => !['2026-01-19', '2026-01-20'].includes(day)), '2'],
        ]);
        await sound(story, 31 + 88 + 58);
      });
    });
  });
});
