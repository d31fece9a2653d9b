import { expect, it } from 'vitest';
import { as } from '../../support/service/api-client.ts';
import { expectData, expectError } from '../../support/service/envelope.ts';
import { startLocalApi } from '../../support/service/local-api.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { withOpened } from '../../support/with-opened.ts';
import { newMonthStory, type StoryChanges } from '../../warehouse/months/month-story.ts';

interface Part {
  label: string | null;
  value: number;
  share_percent: number | null;
}

interface LabelledMonth {
  value: number | null;
  labels: Part[];
  current?: { value: number; labels: Part[] };
}

/** Today is 7 February 2026. */
describeOnBothEngines('the largest labels of a metric', (open) => {
  const api = withOpened(() => startLocalApi({ open }));

  const newStory = async (metric: StoryChanges[1] = {}) => {
    const story = await newMonthStory(api, {}, { label_key: 'region', ...metric });
    const admin = as(api, await api.newKey(story.orgId));
    const get = (query: string) => admin.get<LabelledMonth[]>(`/metrics/${story.metric.id}/months?${query}`);
    /** Returns February, January and December. */
    const months = async (query: string) =>
      expectData(await get(`by=label&${query}`))
        .slice(0, 3)
        .map(({ value, labels, current }) => ({
          value,
          labels,
          ...(current === undefined ? {} : { current }),
        }));
    return { ...story, admin, get, months };
  };

  /** In all sa has 40, us 38, eu 30 and ap 3. */
  const regions = async () => {
    const story = await newStory();
    await story.values({ '2025-12-10': 10, '2026-01-10': 20 }, 'eu');
    await story.values({ '2025-12-10': 5, '2026-01-10': 30, '2026-02-01': 3 }, 'us');
    await story.values({ '2025-12-10': 1, '2026-01-10': 2 }, 'ap');
    await story.values({ '2026-01-11': 40 }, 'sa');
    return story;
  };

  it('are those with the largest sums over all months; the others add up to the rest of each month', async () => {
    const story = await regions();
    const [february, january, december] = await story.months('top=2');
    expect(february).toEqual({ value: 3, labels: [{ label: 'us', value: 3, share_percent: 100 }] });
    // us 30 ÷ 92, sa 40 ÷ 92, and eu 20 + ap 2 of 92
    expect(january).toEqual({
      value: 92,
      labels: [
        { label: 'sa', value: 40, share_percent: 43.478261 },
        { label: 'us', value: 30, share_percent: 32.608696 },
        { label: null, value: 22, share_percent: 23.913043 },
      ],
    });
    // December's largest is eu, which is not among the two of all months.
    expect(december).toEqual({
      value: 16,
      labels: [
        { label: 'us', value: 5, share_percent: 31.25 },
        { label: null, value: 11, share_percent: 68.75 },
      ],
    });
  });

  it('have no rest if they are all, and the same order in each month', async () => {
    const story = await regions();
    const named = (months: { labels: Part[] }[]) =>
      months.map(({ labels }) => labels.map(({ label }) => label));
    for (const top of [4, 100])
      expect(named(await story.months(`top=${top}`))).toEqual([
        ['us'],
        ['sa', 'us', 'eu', 'ap'],
        ['us', 'eu', 'ap'],
      ]);
    // Equal sums are in order of their names: eu has 30 + 8.
    await story.values({ '2026-02-02': 8 }, 'eu');
    expect(named(await story.months('top=2'))).toEqual([
      ['eu', null],
      ['sa', 'eu', null],
      ['eu', null],
    ]);
    expect(named(await story.months(''))[1]).toEqual(['sa', 'us', 'eu', 'ap']);
  });

  it('divide an average like its month', async () => {
    const story = await newStory({ aggregation: 'average' });
    await story.values({ '2026-01-10': 4 }, 'a');
    await story.values({ '2026-01-10': 2 }, 'b');
    await story.values({ '2026-01-11': 3, '2026-01-10': 0 }, 'c');
    // 9 on two days. a has 4 ÷ 2, and the others 5 ÷ 2.
    expect((await story.months('top=1'))[1]).toEqual({
      value: 4.5,
      labels: [
        { label: 'a', value: 2, share_percent: 44.444444 },
        { label: null, value: 2.5, share_percent: 55.555556 },
      ],
    });
  });

  it('are those of the lock, and stay so beside today’s values', async () => {
    const story = await regions();
    await story.spend({ '2026-01-10': '92', '2026-01-31': '0' });
    await story.settle();
    await story.lock('2026-01');
    await story.values({ '2026-01-12': 100 }, 'ap');
    await story.values({ '2026-01-12': 50 }, 'new');
    const [, january] = await story.months('top=2');
    // sa and us stay the largest. Today's 242 have ap 102, new 50 and eu 20 as their rest.
    expect(january).toMatchObject({
      value: 92,
      labels: [
        { label: 'sa', value: 40 },
        { label: 'us', value: 30 },
        { label: null, value: 22 },
      ],
      current: {
        value: 242,
        labels: [
          { label: 'sa', value: 40, share_percent: 16.528926 },
          { label: 'us', value: 30, share_percent: 12.396694 },
          { label: null, value: 172, share_percent: 71.07438 },
        ],
      },
    });
    const [, all] = await story.months('top=5');
    expect(all?.current?.labels.map(({ label }) => label)).toEqual(['sa', 'us', 'eu', 'ap', 'new']);
  });

  it('are few of many', async () => {
    const story = await newStory();
    // Shop n has n, for n from 1 to 100: 5,050 in all.
    const values = Array.from({ length: 100 }, (_, index) => ({
      period: '2026-01-10',
      label: `shop ${index + 1}`,
      value: index + 1,
    }));
    expectData(await story.admin.post(`/metrics/${story.metric.id}/values`, { values }));
    expect((await story.months('top=2'))[1]).toMatchObject({
      value: 5050,
      labels: [
        { label: 'shop 100', value: 100 },
        { label: 'shop 99', value: 99 },
        { label: null, value: 4851 },
      ],
    });
  });

  it('are from 1 to 100, and only of labels', async () => {
    const { get } = await newStory();
    for (const top of ['0', '101', '1.5', 'all', ''])
      expectError(await get(`by=label&top=${top}`), 400, /^top: expected a whole number from 1 to 100, got/);
    expectError(await get('top=3'), 400, /^top: expected only with by=label/);
    const plain = await newStory({ label_key: null });
    expectError(await plain.get('by=label&top=3'), 400, /^by: expected no "label"/);
  });
});
