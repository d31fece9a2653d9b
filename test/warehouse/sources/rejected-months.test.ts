import { expect, it } from 'vitest';
import type { NewCostSource } from '../../../warehouse/sources/cost-sources.ts';
import { createTeam } from '../../../warehouse/teams/teams.ts';
import { sealBills } from '../../../warehouse/teams/bills/bill-sealing.ts';
import { monthBills } from '../../../warehouse/teams/bills/bills.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { describeOnBothEngines, type TestWarehouse } from '../../support/warehouse/engines.ts';
import { loadAiLines, loadClusterLines, loadHostLines } from '../../support/warehouse/feed-texts.ts';
import type { Tenant } from '../../support/warehouse/feeds.ts';
import { BY_ADMIN, loadText, NOW } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';
import { january, newMonthStory, type MonthStory } from '../months/month-story.ts';

/** A source of January 2026 that costs `cost` on each day, in four rows of a quarter, and one more row. */
interface Story {
  title: string;
  kind: Partial<NewCostSource>;
  /** Loads the source. `last` is the day and the cost of the further row; null without it. */
  load: (test: TestWarehouse, tenant: Tenant, last: { day: string; cost: string } | null) => Promise<unknown>;
  /** The further row as the file has it at first, and as it is right. */
  wrong: { day: string; cost: string };
  right: { day: string; cost: string };
  /** What January costs without that row, and with it. */
  costs: [without: number, all: number];
  sentence: string;
  amount: number | null;
}

const DAYS = Array.from({ length: 31 }, (_, index) => `2026-01-${String(index + 1).padStart(2, '0')}`);
/** Four rows a day are 124, so that one more is less than 1 %. */
const ROWS = DAYS.flatMap((day) => Array.from({ length: 4 }, () => day));
const inQuotes = (text: string) => (text.includes(',') ? `"${text}"` : text);

const STORIES: readonly Story[] = [
  {
    title: 'a bill of 620 in 124 rows, and 12,345.67',
    kind: {},
    load: (test, tenant, last) =>
      loadText(
        test,
        tenant,
        focusCsv([
          ...ROWS.map((day) => dayLine(day, '5')),
          ...(last === null ? [] : [dayLine(last.day, last.cost)]),
        ]),
      ),
    wrong: { day: '2026-01-20', cost: '12,345.67' },
    right: { day: '2026-01-20', cost: '12345.67' },
    costs: [620, 12_965.67],
    sentence:
      'has 1 rejected row in 2026-01, such as EffectiveCost: expected a decimal number, got "12,345.67"',
    amount: null,
  },
  {
    title: 'hosts of 248 in 124 rows, and $10,000.00',
    kind: { kind: 'hosts', options: {} },
    load: (test, tenant, last) =>
      loadHostLines(test, tenant, [
        ...ROWS.map((day) => `${day},web-1,nginx,2`),
        ...(last === null ? [] : [`${last.day},db-1,postgres,${inQuotes(last.cost)}`]),
      ]),
    wrong: { day: '2026-01-31', cost: '$10,000.00 ' },
    right: { day: '2026-01-31', cost: '10000.00' },
    costs: [248, 10_248],
    sentence: 'has 1 rejected row in 2026-01, such as cost: expected a decimal number, got "$10,000.00 "',
    amount: null,
  },
  {
    title: 'AI tools of 124 in 124 rows, and a day of another form that cost 900',
    kind: { kind: 'ai_tools', options: { usage_location: '/exports/usage' } },
    load: (test, tenant, last) =>
      loadAiLines(test, tenant, {
        spend: [
          ...ROWS.map((day) => `${day},chat,1`),
          ...(last === null ? [] : [`${last.day},chat,${last.cost}`]),
        ],
        usage: DAYS.map((day) => `${day},chat,github.com/acme/web,1`),
      }),
    wrong: { day: '15.01.2026', cost: '900' },
    right: { day: '2026-01-15', cost: '900' },
    costs: [124, 1_024],
    sentence:
      'has 1 rejected row whose month cannot be read and may be 2026-01, ' +
      'such as day: expected a day as YYYY-MM-DD or an instant, got "15.01.2026"',
    amount: 900,
  },
  {
    title: 'clusters of 1,240 in 124 rows, and (5.00)',
    kind: { kind: 'opencost', options: {} },
    load: (test, tenant, last) =>
      loadClusterLines(test, tenant, {
        allocations: [
          ...ROWS.map((day) => `${day},prod,shop,deployment,api,10,0`),
          ...(last === null ? [] : [`${last.day},prod,shop,deployment,web,${last.cost},0`]),
        ],
        assets: [],
      }),
    wrong: { day: '2026-01-01', cost: '(5.00)' },
    right: { day: '2026-01-01', cost: '-5.00' },
    costs: [1_240, 1_235],
    sentence: 'has 1 rejected row in 2026-01, such as TotalCost: expected a decimal number, got "(5.00)"',
    amount: null,
  },
];

describeOnBothEngines('a month with a rejected row', (open) => {
  const test = withOpened(open);

  const billOf = async (story: MonthStory) => {
    const { on } = await sealBills(test.warehouse, story.orgId, NOW);
    const bills = await test.warehouse.session((session) =>
      monthBills(on(session), story.orgId, { newest: '2026-01', count: 1 }),
    );
    return bills.at(-1);
  };

  it.each(STORIES)('waits until the row can be read: $title', async (told) => {
    const story = await newMonthStory(test);
    await story.changeSource({ name: 'Feed', ...told.kind });
    await createTeam(test.warehouse, story.orgId, { name: 'Search', ownership: [] }, BY_ADMIN);
    await story.values({ '2026-01-31': 31 });
    const tenant = { orgId: story.orgId, sourceId: story.source.id };
    await told.load(test, tenant, told.wrong);

    const sentence = `cost source "Feed" ${told.sentence}`;
    const [without, all] = told.costs;
    expect(await story.settle()).toEqual([]);
    expect(await january(story)).toMatchObject({
      status: 'open',
      cost: without,
      reason: sentence,
      can_lock: 'without_missing',
      missing: [{ code: 'rejected_rows', sentence, amount: told.amount }],
    });
    await expect(story.lock('2026-01')).rejects.toMatchObject({
      kind: 'conflict',
      message: expect.stringContaining(sentence) as string,
    });
    expect(await billOf(story)).toMatchObject({ status: 'estimate', holdingBack: [{ sentence }] });

    // The corrected file ends the doubt.
    await told.load(test, tenant, told.right);
    expect(await story.settle()).toEqual(['2026-01']);
    expect(await january(story)).toMatchObject({ status: 'ready_to_lock', cost: all, missing: [] });
    expect(await billOf(story)).toMatchObject({ status: 'sealed', holdingBack: [] });
    expect(await story.lock('2026-01')).toMatchObject({ status: 'locked', cost: all });
  });

  it('can be locked without the row, and the version names it', async () => {
    const [told] = STORIES;
    const story = await newMonthStory(test);
    await story.changeSource({ name: 'Feed' });
    await story.values({ '2026-01-31': 31 });
    await told?.load(test, { orgId: story.orgId, sourceId: story.source.id }, told.wrong);
    expect(await story.lock('2026-01', NOW, true)).toMatchObject({ status: 'locked', cost: 620 });
    expect(await story.versions('2026-01')).toMatchObject([
      { version: 1, missing: [`cost source "Feed" ${told?.sentence}`] },
    ]);
  });

  it('is no month that another run does not read', async () => {
    const story = await newMonthStory(test);
    const tenant = { orgId: story.orgId, sourceId: story.source.id };
    await story.values({ '2026-01-31': 31 });
    await STORIES[0]?.load(test, tenant, STORIES[0].wrong);
    const february = focusCsv([dayLine('2026-02-05', '1')]);
    await loadText(test, tenant, february, { startMonth: '2026-02' });
    expect(await january(story)).toMatchObject({ status: 'open', missing: [{ code: 'rejected_rows' }] });
  });
});
