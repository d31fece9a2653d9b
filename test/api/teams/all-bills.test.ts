import { expect, it } from 'vitest';
import { as } from '../../support/service/api-client.ts';
import { expectData, expectError } from '../../support/service/envelope.ts';
import { startLocalApi } from '../../support/service/local-api.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { withOpened } from '../../support/with-opened.ts';
import { account, newTeamStory } from '../../warehouse/teams/team-story.ts';

interface MonthOfBills {
  month: string;
  bills: {
    team: { id: string; name: string };
    status: string;
    fully_loaded: number | null;
    reason: string | null;
  }[];
  unallocated: number | null;
  total: number | null;
}

interface Totals {
  month: string;
  status: string;
  bills: { team: { name: string }; fully_loaded: number | null }[];
  unallocated: number | null;
}

/**
 * Today is 7 February 2026. January in USD, 197 in all:
 *
 * | account            |     | Shop    | Search | unallocated |
 * | ------------------ | --- | ------- | ------ | ----------- |
 * | 1 owned by Shop    | 100 | 100     |        |             |
 * | 2 owned by Search  |  60 |         | 60     |             |
 * | 3 shared evenly    |  10 | 5       | 5      |             |
 * | 4 shared by percent|  20 | 70 % 14 | 20 % 4 | 2           |
 * | 5                  |   7 |         |        | 7           |
 * | fully loaded       | 197 | 119     | 69     | 9           |
 */
describeOnBothEngines('the bills of all teams', (open) => {
  const api = withOpened(() => startLocalApi({ open }));

  const newStory = async () => {
    const story = await newTeamStory(api);
    const reader = as(api, await api.newKey(story.orgId, { permission: 'read' }));
    const of = async (month: string) => {
      const { bills, ...rest } = expectData(await reader.get<MonthOfBills>(`/teams/bills/${month}`));
      return {
        ...rest,
        bills: bills.map(({ team, ...bill }) => [team.name, bill.status, bill.fully_loaded]),
      };
    };
    const costs = async (month: string, last: string) =>
      expectData(
        await reader.get<{ total: number }>(`/costs?start_date=${month}-01&end_date=${month}-${last}`),
      ).total;
    const totals = async () =>
      expectData(await reader.get<Totals[]>('/teams/bills')).map(({ month, status, bills, unallocated }) => [
        ...[month, status, unallocated],
        ...bills.map(({ team, fully_loaded }) => [team.name, fully_loaded]),
      ]);
    /** Replaces January's spend. It has `first` in account 1. */
    const january = (first: string) =>
      story.spend('2026-01', {
        cloud_spend: Object.entries({ 1: first, 2: '60', 3: '10', 4: '20', 5: '7' }).map(([id, cost]) => ({
          day: '2026-01-31',
          cloud: 'aws',
          account: id,
          cost,
        })),
      });
    return { ...story, reader, of, costs, totals, january };
  };

  it('add up with what no team pays to the cost of the month, as estimates and once sealed', async () => {
    const story = await newStory();
    const shop = await story.team('Shop', [account('1')]);
    const search = await story.team('Search', [account('2')]);
    await story.sharedCost('Network', [account('3')], { type: 'even', team_ids: [shop, search] });
    await story.sharedCost('Support', [account('4')], {
      type: 'fixed',
      shares: [
        { team_id: shop, percent: 70 },
        { team_id: search, percent: 20 },
      ],
    });
    await story.january('100');
    await story.spend('2026-02', {
      cloud_spend: [{ day: '2026-02-01', cloud: 'aws', account: '1', cost: '8' }],
    });
    const numbers = { unallocated: 9, total: 197 };
    expect(await story.of('2026-01')).toEqual({
      month: '2026-01',
      ...numbers,
      bills: [
        ['Search', 'estimate', 69],
        ['Shop', 'estimate', 119],
      ],
    });
    expect(await story.costs('2026-01', '31')).toBe(197);
    expect(await story.of('2026-02')).toEqual({
      month: '2026-02',
      unallocated: 0,
      total: 8,
      bills: [
        ['Search', 'estimate', 0],
        ['Shop', 'estimate', 8],
      ],
    });
    expect(await story.costs('2026-02', '28')).toBe(8);

    expect(await story.settle()).toContain('2026-01');
    expect(await story.of('2026-01')).toMatchObject({
      ...numbers,
      bills: [
        ['Search', 'sealed', 69],
        ['Shop', 'sealed', 119],
      ],
    });

    // 30 arrive late. They move no sealed bill.
    await story.january('130');
    await story.team('Data');
    expect(await story.of('2026-01')).toEqual({
      month: '2026-01',
      unallocated: 39,
      total: 227,
      bills: [
        ['Data', 'waiting', null],
        ['Search', 'sealed', 69],
        ['Shop', 'sealed', 119],
      ],
    });
    expect(await story.costs('2026-01', '31')).toBe(227);

    const totals = await story.totals();
    expect(totals).toHaveLength(12);
    expect(totals.slice(0, 2)).toEqual([
      ['2026-02', 'estimate', 0, ['Data', 0], ['Search', 0], ['Shop', 8]],
      ['2026-01', 'sealed', 39, ['Data', null], ['Search', 69], ['Shop', 119]],
    ]);
    expect(totals.at(-1)).toEqual([
      '2025-03',
      'estimate',
      null,
      ['Data', null],
      ['Search', null],
      ['Shop', null],
    ]);
  });

  it('have all fields of a bill, equal to those of the team', async () => {
    const story = await newStory();
    const shop = await story.team('Shop', [account('1')]);
    await story.january('100');
    const all = expectData(await story.reader.get<MonthOfBills>('/teams/bills/2026-01'));
    const own = expectData(await story.reader.get<{ month: string }[]>(`/teams/${shop}/bills`));
    const january = own.find(({ month }) => month === '2026-01');
    expect(all.bills).toEqual([{ team: { id: shop, name: 'Shop' }, ...january }]);
    expect(all.bills[0]).toMatchObject({
      direct: 100,
      shared: 0,
      unallocated: 97,
      by_source: { cloud: 100 },
    });
  });

  it('are none without teams, and not known without spend', async () => {
    const story = await newStory();
    await story.january('100');
    expect(await story.of('2026-01')).toEqual({ month: '2026-01', bills: [], unallocated: 197, total: 197 });
    const nothing = { month: '2025-03', unallocated: null, total: null };
    expect(await story.of('2025-03')).toEqual({ ...nothing, bills: [] });
    await story.team('Shop', [account('1')]);
    expect(await story.of('2025-03')).toEqual({ ...nothing, bills: [['Shop', 'estimate', null]] });
  });

  it('are of the last twelve months only', async () => {
    const { reader } = await newStory();
    for (const month of ['2025-02', '2026-03'])
      expectError(
        await reader.get(`/teams/bills/${month}`),
        400,
        `month: expected a month from 2025-03 to 2026-02, got "${month}"`,
      );
    expectError(await reader.get('/teams/bills/2026-13'), 400, /^month: expected a month as YYYY-MM/);
  });
});
