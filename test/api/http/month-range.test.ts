import { expect, it } from 'vitest';
import { as } from '../../support/service/api-client.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { startLocalApi } from '../../support/service/local-api.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { withOpened } from '../../support/with-opened.ts';
import { newMonthStory } from '../../warehouse/months/month-story.ts';
import { account, newTeamStory } from '../../warehouse/teams/team-story.ts';

interface Month {
  month: string;
  cost: number | null;
  value: number | null;
  unit_cost: number | null;
  change_percent: number | null;
}

/** Today is 7 February 2026. */
describeOnBothEngines('the months of a request', (open) => {
  const api = withOpened(() => startLocalApi({ open }));

  /** A metric with 60 / 30 = 2 per unit in November 2024, 90 / 30 = 3 in December 2024 and 40 / 10 = 4 in January 2026. */
  const newStory = async () => {
    const story = await newMonthStory(api, {}, { label_key: 'region' });
    await story.spend({ '2024-11-30': '60', '2024-12-31': '90', '2026-01-31': '40' });
    await story.values({ '2024-11-30': 30, '2024-12-31': 30, '2026-01-31': 10 }, 'eu');
    const admin = as(api, await api.newKey(story.orgId));
    const path = `/metrics/${story.metric.id}/months`;
    return { ...story, admin, path, get: (query: string) => admin.get<Month[]>(`${path}?${query}`) };
  };

  it('are the last twelve, or those from start to end, of which each shows its change', async () => {
    const { get } = await newStory();
    const usual = expectPage(await get(''));
    expect(usual).toMatchObject({ next: null });
    expect(usual.items.map(({ month }) => month)).toEqual([
      ...['2026-02', '2026-01', '2025-12', '2025-11', '2025-10', '2025-09'],
      ...['2025-08', '2025-07', '2025-06', '2025-05', '2025-04', '2025-03'],
    ]);
    const winter = expectPage(await get('start=2024-11&end=2024-12'));
    expect(winter.next).toBeNull();
    expect(winter.items).toMatchObject([
      { month: '2024-12', cost: 90, value: 30, unit_cost: 3, change_percent: 50 },
      { month: '2024-11', cost: 60, value: 30, unit_cost: 2, change_percent: null },
    ]);
    const since = expectData(await get('start=2025-12'));
    expect(since.map(({ month, cost }) => [month, cost])).toEqual([
      ['2026-02', null],
      ['2026-01', 40],
      ['2025-12', null],
    ]);
    // The running month is the same in any range.
    expect(since[0]).toEqual(usual.items[0]);
    const until = expectData(await get('end=2024-12'));
    expect([until.length, until[0]?.month, until.at(-1)?.month]).toEqual([12, '2024-12', '2024-01']);
    expect(expectData(await get('start=1970-01'))).toHaveLength(56 * 12 + 2);
  });

  it('come in pages', async () => {
    const { get } = await newStory();
    const months: string[] = [];
    let cursor = '';
    for (let page = 1; page <= 3; page += 1) {
      const { items, next } = expectPage(await get(`start=2024-11&end=2025-03&limit=2${cursor}`));
      expect(next === null).toBe(page === 3);
      months.push(...items.map(({ month }) => month));
      cursor = `&cursor=${next ?? ''}`;
    }
    expect(months).toEqual(['2025-03', '2025-02', '2025-01', '2024-12', '2024-11']);
    const first = expectPage(await get('limit=1'));
    expect(first.items).toMatchObject([{ month: '2026-02' }]);
    const rest = expectPage(await get(`cursor=${first.next ?? ''}`));
    expect([rest.items.length, rest.next]).toEqual([11, null]);
    const more = expectPage(await get('limit=16'));
    expect([more.items.at(-1)?.month, more.next]).toEqual(['2024-11', null]);
  });

  it('have their labels', async () => {
    const { get } = await newStory();
    const labelled = expectPage(await get('by=label&top=1&start=2024-11&end=2025-01&limit=2'));
    expect(labelled.items).toMatchObject([
      { month: '2025-01', labels: [] },
      { month: '2024-12', labels: [{ label: 'eu', value: 30, share_percent: 100 }] },
    ]);
    const rest = expectPage(await get(`by=label&start=2024-11&end=2025-01&cursor=${labelled.next ?? ''}`));
    expect(rest).toMatchObject({ items: [{ month: '2024-11', labels: [{ value: 30 }] }], next: null });
  });

  it('are a 400 that names the field if there are none', async () => {
    const { get, admin } = await newStory();
    const refused: [string, RegExp][] = [
      ['start=2026-03', /^start: expected a month from 1970-01 to 2026-02, got "2026-03"/],
      ['end=2026-03', /^end: expected a month from 1970-01 to 2026-02, got "2026-03"/],
      ['start=2025-02&end=2025-01', /^start: expected a month from 1970-01 to 2025-01, got "2025-02"/],
      ['start=1969-12', /^start: expected a month from 1970-01/],
      ['end=0000-01', /^end: expected a month from 1970-01/],
      ['start=2025-1', /^start: expected a month as YYYY-MM/],
      ['limit=0', /^limit: expected a whole number from 1 to 1000/],
      ['cursor=nonsense', /^cursor: expected the next_cursor of the page before/],
      ['start=2025-01&cursor=IjIwMjQtMDEi', /^cursor: expected the next_cursor of the page before/],
      ['since=2025-01', /^since: unknown field in the query/],
    ];
    for (const [query, message] of refused) expectError(await get(query), 400, message);
    // Parameters come before existence.
    expectError(await admin.get('/metrics/met_none/months?limit=0'), 400);
    expectError(await admin.get('/metrics/met_none/months?end=2026-03'), 400);
    expectError(await admin.get('/metrics/met_none/months?end=2026-01'), 404);
  });

  it('of bills are chosen in the same way', async () => {
    const story = await newTeamStory(api);
    const admin = as(api, await api.newKey(story.orgId));
    await story.spend('2024-11', { cloud_spend: [{ day: '2024-11-30', account: '1', cost: '60' }] });
    const team = await story.team('Shop', [account('1')]);
    const range = 'start=2024-11&end=2024-12&limit=1';
    for (const path of [`/teams/${team}/bills`, '/teams/bills']) {
      const { items, next } = expectPage(await admin.get<{ month: string }[]>(`${path}?${range}`));
      expect(items).toMatchObject([{ month: '2024-12' }]);
      const rest = expectPage(await admin.get<{ month: string }[]>(`${path}?${range}&cursor=${next ?? ''}`));
      expect(rest).toMatchObject({ items: [{ month: '2024-11' }], next: null });
      expect(expectPage(await admin.get<object[]>(path)).items).toHaveLength(12);
      expectError(await admin.get(`${path}?end=2026-03`), 400, /^end: expected a month from 1970-01/);
    }
  });
});
