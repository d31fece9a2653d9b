import { expect, it } from 'vitest';
import { lastDay, type Month } from '../../../domain/shared/calendar.ts';
import { fullyLoaded } from '../../../domain/teams/bill.ts';
import { updateCostSource, type NewCostSource } from '../../../warehouse/sources/cost-sources.ts';
import { decideUnit } from '../../../warehouse/sources/units/unit-decisions.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { publishSpend, type SpendRow, type SpendTable } from '../../support/warehouse/published-spend.ts';
import { BY_ADMIN, newSource } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';
import { account, namespace, newTeamStory } from './team-story.ts';

const at = (day: string): Date => new Date(`${day}T06:00:00Z`);

/** A whole month of a source: most of it on the first day, and 1 on the last. */
const wholeMonth = (month: Month, row: Record<string, string | boolean>, cost: number): SpendRow[] => [
  { day: `${month}-01`, ...row, cost: `${cost - 1}` },
  { day: lastDay(month), ...row, cost: '1' },
];

type Tables = Partial<Record<SpendTable, readonly SpendRow[]>>;

const aws = (month: Month, first: number, second: number): Tables => ({
  cloud_spend: [
    ...wholeMonth(month, { cloud: 'aws', account: '1' }, first),
    ...wholeMonth(month, { cloud: 'aws', account: '2' }, second),
  ],
});

/** Five sources. Shop owns account 1, azure and its namespace; Search owns account 2 and its service; nobody owns the tool. */
const FIVE: Record<string, { of: Partial<NewCostSource>; spend: (month: Month) => Tables }> = {
  aws: { of: {}, spend: (month) => aws(month, 310, 155) },
  azure: {
    of: {},
    spend: (month) => ({ cloud_spend: wholeMonth(month, { cloud: 'azure', account: 'sub' }, 62) }),
  },
  clusters: {
    of: { kind: 'opencost', options: {} },
    spend: (month) => ({
      kubernetes_spend: wholeMonth(
        month,
        { cluster: 'prod', namespace: 'shop', workload: 'deployment/api', is_idle: false },
        42,
      ),
    }),
  },
  hosts: {
    of: { kind: 'hosts', options: {} },
    spend: (month) => ({ host_spend: wholeMonth(month, { host: 'h1', service: 'db' }, 21) }),
  },
  ai: {
    of: { kind: 'ai_tools', options: { usage_location: '/exports/usage' } },
    spend: (month) => ({ ai_tool_spend: wholeMonth(month, { tool: 'assistant', kind: 'seat' }, 31) }),
  },
};

describeOnBothEngines('bills of months that began late', (open, onDuckDb) => {
  const test = withOpened(open);

  /** Returns an organisation with two teams, whose sources are connected one by one. */
  const newStory = async () => {
    const story = await newTeamStory(test, 'late');
    const shop = await story.team(
      'Shop',
      [account('1'), { source: 'cloud', cloud: 'azure', account: 'sub' }, namespace('shop')],
      at('2026-01-10'),
    );
    const search = await story.team(
      'Search',
      [account('2'), { source: 'host', host: 'h1', service: 'db' }],
      at('2026-01-10'),
    );
    const sources = new Map<string, string>();
    const load = async (name: string, month: Month, day: string, tables: Tables): Promise<void> => {
      const sourceId = sources.get(name) ?? '';
      await publishSpend(test.warehouse, { orgId: story.orgId, sourceId }, month, tables, at(day));
    };
    return {
      ...story,
      shop,
      search,
      load,
      /** Connects a source and loads months of it. Like each run, it then settles months and seals bills. */
      connect: async (name: string, day: string, months: Partial<Record<Month, Tables>>): Promise<string> => {
        const source = await newSource(
          test.warehouse,
          story.orgId,
          { ...FIVE[name]?.of, name },
          new Date(at(day).getTime() - 60_000),
        );
        sources.set(name, source.id);
        for (const [month, tables] of Object.entries(months)) await load(name, month, day, tables ?? {});
        await story.settle(at(day));
        return source.id;
      },
      disconnect: (name: string, day: string) =>
        updateCostSource(test.warehouse, story.orgId, sources.get(name) ?? '', 'delete', {
          ...BY_ADMIN,
          now: at(day),
        }),
      /** What each team pays, what nobody pays, and whether the month follows today. */
      bills: async (month: Month, day: string) => {
        const found = await story.month(month, at(day));
        const fully = (team: string): number => {
          const bill = found.bills?.get(team);
          return bill === undefined ? NaN : Number(fullyLoaded(bill));
        };
        return [fully(shop), fully(search), Number(found.unallocated), found.followsToday];
      },
      causes: async (month: Month) =>
        (await story.versions(shop, month)).map((bill) => [
          ...[Number(fullyLoaded(bill)), bill.sealed_because, bill.reason],
        ]),
    };
  };

  const WHY = 'the month had ended before its first spend, or before one of its sources was connected';

  it.each([
    ['the bill first', ['aws', 'azure', 'clusters', 'hosts', 'ai']],
    ['the bill last', ['ai', 'hosts', 'clusters', 'azure', 'aws']],
    ['the bill in the middle', ['hosts', 'azure', 'aws', 'ai', 'clusters']],
  ])('are right once five sources are connected in one afternoon, %s', async (_, order) => {
    const story = await newStory();
    for (const name of order)
      await story.connect(name, '2026-02-07', { '2026-01': FIVE[name]?.spend('2026-01') ?? {} });
    // 310 + 62 + 42, 155 + 21, and the tool's 31.
    expect(await story.bills('2026-01', '2026-02-07')).toEqual([414, 176, 31, true]);
  });

  it('follow today until the next month has settled, and no longer', async () => {
    const story = await newStory();
    await story.connect('aws', '2026-02-07', { '2026-01': aws('2026-01', 310, 155) });
    await story.connect('azure', '2026-02-07', { '2026-01': FIVE['azure']?.spend('2026-01') ?? {} });
    expect(await story.bills('2026-01', '2026-02-07')).toEqual([372, 155, 0, true]);
    await story.load('aws', '2026-01', '2026-02-10', aws('2026-01', 320, 155));
    expect(await story.bills('2026-01', '2026-02-10')).toEqual([382, 155, 0, true]);
    for (const day of ['2026-02-20', '2026-03-05']) {
      await story.load('aws', '2026-02', day, aws('2026-02', 280, 140));
      await story.load('azure', '2026-02', day, FIVE['azure']?.spend('2026-02') ?? {});
    }
    // The same run brings a last correction of January. Nobody reads the bills before February settles.
    await story.load('aws', '2026-01', '2026-03-06', aws('2026-01', 325, 155));
    expect(await story.settle(at('2026-03-06'))).toEqual(['2026-02']);
    expect(await story.bills('2026-01', '2026-03-06')).toEqual([387, 155, 0, false]);
    expect(await story.bills('2026-02', '2026-03-06')).toEqual([342, 140, 0, false]);
    // Late spend and another owner move neither month.
    await story.load('aws', '2026-01', '2026-03-08', aws('2026-01', 400, 155));
    await story.load('aws', '2026-02', '2026-03-08', aws('2026-02', 300, 140));
    await story.own(story.search, [account('2'), account('3')], at('2026-03-08'));
    expect(await story.bills('2026-01', '2026-03-08')).toEqual([387, 155, 75, false]);
    expect(await story.bills('2026-02', '2026-03-08')).toEqual([342, 140, 20, false]);
    expect(await story.causes('2026-01')).toEqual([
      [387, 'backfill', 'changed since: spend'],
      [382, 'backfill', 'changed since: spend'],
      [372, 'backfill', 'changed since: spend'],
      [310, 'backfill', WHY],
    ]);
    expect(await story.causes('2026-02')).toEqual([[342, 'settled', null]]);
  });

  it('take in a source that is connected after its month sealed, only before the next month settles', async () => {
    const story = await newStory();
    await story.connect('aws', '2026-01-02', {});
    for (const [month, days] of Object.entries({
      '2026-01': ['2026-01-20', '2026-02-05'],
      '2026-02': ['2026-02-20', '2026-03-05'],
    }))
      for (const day of days) await story.load('aws', month, day, aws(month, 100, 50));
    await story.settle(at('2026-02-06'));
    await story.load('aws', '2026-01', '2026-02-06', aws('2026-01', 103, 50));
    // It settled in time with all sources of that day.
    expect(await story.bills('2026-01', '2026-02-06')).toEqual([100, 50, 3, false]);
    // A source without spend of January changes nothing there.
    await story.connect('ai', '2026-02-08', { '2026-02': FIVE['ai']?.spend('2026-02') ?? {} });
    expect(await story.bills('2026-01', '2026-02-08')).toEqual([100, 50, 3, false]);
    await story.connect('hosts', '2026-02-09', { '2026-01': FIVE['hosts']?.spend('2026-01') ?? {} });
    expect(await story.bills('2026-01', '2026-02-09')).toEqual([103, 71, 0, true]);
    // Connected by mistake, disconnected, and connected again with other numbers.
    await story.disconnect('hosts', '2026-02-10');
    expect(await story.bills('2026-01', '2026-02-10')).toEqual([103, 50, 0, true]);
    await story.connect('hosts', '2026-02-11', {
      '2026-01': { host_spend: wholeMonth('2026-01', { host: 'h1', service: 'db' }, 20) },
    });
    for (const day of ['2026-02-20', '2026-03-05']) {
      await story.load('hosts', '2026-02', day, FIVE['hosts']?.spend('2026-02') ?? {});
      await story.load('ai', '2026-02', day, FIVE['ai']?.spend('2026-02') ?? {});
    }
    expect(await story.settle(at('2026-03-06'))).toEqual(['2026-02']);
    expect(await story.bills('2026-01', '2026-03-06')).toEqual([103, 70, 0, false]);
    // In March January is closed, and February is not.
    const azure = FIVE['azure']?.spend ?? (() => ({}));
    await story.connect('azure', '2026-03-12', { '2026-01': azure('2026-01'), '2026-02': azure('2026-02') });
    expect(await story.bills('2026-01', '2026-03-12')).toEqual([103, 70, 62, false]);
    expect(await story.bills('2026-02', '2026-03-12')).toEqual([162, 71, 31, true]);
  });

  onDuckDb(() => {
    it('keep the seal of an admin, whatever is connected later', async () => {
      const story = await newStory();
      await story.connect('aws', '2026-02-07', { '2026-01': aws('2026-01', 310, 155) });
      await story.reseal('2026-01', 'the ledger has these', at('2026-02-07'));
      for (const [name, day] of [
        ['azure', '2026-02-07'],
        ['hosts', '2026-03-12'],
      ] as const) {
        await story.connect(name, day, { '2026-01': FIVE[name]?.spend('2026-01') ?? {} });
        expect((await story.bills('2026-01', day)).slice(0, 2)).toEqual([310, 155]);
      }
      expect(await story.bills('2026-01', '2026-03-12')).toEqual([310, 155, 62 + 21, false]);
    });

    it('are not closed by a month that was complete late itself, but by the one after it', async () => {
      const story = await newStory();
      await story.connect('aws', '2026-02-07', { '2026-01': aws('2026-01', 310, 155) });
      // February had to be complete on 9 March.
      await story.load('aws', '2026-02', '2026-03-12', aws('2026-02', 280, 140));
      expect(await story.settle(at('2026-03-12'))).toEqual(['2026-02']);
      await story.load('aws', '2026-01', '2026-03-13', aws('2026-01', 320, 155));
      expect(await story.bills('2026-01', '2026-03-13')).toEqual([320, 155, 0, true]);
      for (const day of ['2026-03-20', '2026-04-05'])
        await story.load('aws', '2026-03', day, aws('2026-03', 200, 100));
      expect(await story.settle(at('2026-04-06'))).toEqual(['2026-03']);
      await story.load('aws', '2026-01', '2026-04-07', aws('2026-01', 330, 155));
      expect(await story.bills('2026-01', '2026-04-07')).toEqual([320, 155, 10, false]);
    });

    it('are estimates again once a person takes back that charges stand twice', async () => {
      const story = await newStory();
      const bill = { '2026-01': aws('2026-01', 310, 155) };
      await story.connect('aws', '2026-02-07', bill);
      const twin = await story.connect('twin', '2026-02-07', bill);
      const say = async (stands: boolean): Promise<string> => {
        for (const unit of ['aws/1', 'aws/2'])
          await decideUnit(test.warehouse, story.orgId, { sourceId: twin, unit }, { stands }, BY_ADMIN);
        await story.settle(at('2026-02-08'));
        return (await story.month('2026-01', at('2026-02-08'))).status;
      };
      expect(await say(true)).toBe('sealed');
      expect(await story.bills('2026-01', '2026-02-08')).toEqual([620, 310, 0, true]);
      expect(await say(false)).toBe('estimate');
      expect(await say(true)).toBe('sealed');
    });

    it('wait for a source that came later and stops within the month', async () => {
      const story = await newStory();
      await story.connect('aws', '2026-02-07', { '2026-01': aws('2026-01', 310, 155) });
      const tool = (days: readonly number[]): Tables => ({
        ai_tool_spend: days.map((day) => ({
          day: `2026-01-${String(day).padStart(2, '0')}`,
          tool: 'assistant',
          kind: 'seat',
          cost: '1',
        })),
      });
      const days = Array.from({ length: 31 }, (_, index) => index + 1);
      await story.connect('ai', '2026-02-08', { '2026-01': tool(days.slice(0, 10)) });
      expect((await story.month('2026-01', at('2026-02-08'))).status).toBe('estimate');
      await story.load('ai', '2026-01', '2026-02-09', tool(days));
      await story.settle(at('2026-02-09'));
      expect(await story.bills('2026-01', '2026-02-09')).toEqual([310, 155, 31, true]);
      expect((await story.month('2026-01', at('2026-02-09'))).status).toBe('sealed');
    });

    it('stay estimates while a source that came later is in doubt', async () => {
      const story = await newStory();
      await story.connect('aws', '2026-02-07', { '2026-01': aws('2026-01', 310, 155) });
      const status = async () => (await story.month('2026-01', at('2026-02-08'))).status;
      expect(await status()).toBe('sealed');
      await story.connect('hosts', '2026-02-08', {});
      await story.load('hosts', '2026-01', '2026-02-08', FIVE['hosts']?.spend('2026-01') ?? {});
      await test.warehouse.run(
        `INSERT INTO load_doubts BY NAME
         SELECT org_id, source_id, load_id, billing_period, billing_period AS month, 'rejected_rows' AS code,
           'has a row without an amount' AS phrase
         FROM current_loads WHERE org_id = $org AND kind = 'hosts'`,
        { org: story.orgId },
      );
      await story.settle(at('2026-02-08'));
      expect(await status()).toBe('estimate');
      // Of what is known now: 155 + 21.
      expect(await story.bills('2026-01', '2026-02-08')).toEqual([310, 176, 0, true]);
      expect(await story.versions(story.search)).toHaveLength(1);
      await story.load('hosts', '2026-01', '2026-02-09', {
        host_spend: wholeMonth('2026-01', { host: 'h1', service: 'db' }, 22),
      });
      expect(await story.bills('2026-01', '2026-02-09')).toEqual([310, 177, 0, true]);
      expect(await story.versions(story.search)).toHaveLength(2);
    });

    it('get no version from a source that is made anew with the same spend', async () => {
      const story = await newStory();
      await story.connect('aws', '2026-02-07', { '2026-01': aws('2026-01', 40, 30) });
      await story.disconnect('aws', '2026-02-08');
      await story.connect('aws', '2026-02-08', { '2026-01': aws('2026-01', 40, 30) });
      expect(await story.bills('2026-01', '2026-02-08')).toEqual([40, 30, 0, true]);
      expect(await story.causes('2026-01')).toEqual([[40, 'backfill', WHY]]);
    });

    it('follow today in all months of a year that two sources bring at once, in either order', async () => {
      const months = ['03', '04', '05', '06', '07', '08', '09', '10', '11', '12', '01'].map(
        (month) => `${month === '01' ? '2026' : '2025'}-${month}`,
      );
      const year = (name: string) =>
        Object.fromEntries(months.map((month) => [month, FIVE[name]?.spend(month) ?? {}]));
      for (const order of [
        ['aws', 'hosts'],
        ['hosts', 'aws'],
      ]) {
        const story = await newStory();
        for (const name of order) await story.connect(name, '2026-02-07', year(name));
        for (const month of months)
          expect(await story.bills(month, '2026-02-07')).toEqual([310, 176, 0, true]);
        for (const day of ['2026-02-20', '2026-03-05'])
          for (const name of order)
            await story.load(name, '2026-02', day, FIVE[name]?.spend('2026-02') ?? {});
        expect(await story.settle(at('2026-03-06'))).toEqual(['2026-02']);
        await story.load('aws', '2026-01', '2026-03-07', aws('2026-01', 311, 155));
        await story.load('aws', '2025-12', '2026-03-07', aws('2025-12', 311, 155));
        // January has ended in time and is closed. December was complete late, so only an admin closes it.
        expect(await story.bills('2026-01', '2026-03-07')).toEqual([310, 176, 1, false]);
        expect(await story.bills('2025-12', '2026-03-07')).toEqual([311, 176, 0, true]);
      }
    });

    it('wait for split values even if the next month settles meanwhile, and then stay', async () => {
      const story = await newStory();
      await story.connect('aws', '2026-02-07', { '2026-01': aws('2026-01', 310, 155) });
      const requests = await story.metric();
      const split = { type: 'metric', metric_id: requests.id, labels: { web: story.shop } } as const;
      await story.sharedCost('Platform', [account('3')], split, at('2026-02-07'));
      await story.load('aws', '2026-01', '2026-02-08', {
        cloud_spend: [...(aws('2026-01', 310, 155).cloud_spend ?? []), ...THIRD],
      });
      for (const day of ['2026-02-20', '2026-03-05'])
        await story.load('aws', '2026-02', day, aws('2026-02', 280, 140));
      expect(await story.settle(at('2026-03-06'))).toEqual(['2026-02']);
      expect((await story.month('2026-01', at('2026-03-06'))).status).toBe('waiting');
      await story.values(requests, '2026-01', { web: 1 }, at('2026-03-07'));
      expect(await story.bills('2026-01', '2026-03-07')).toEqual([319, 155, 0, false]);
      await story.load('aws', '2026-01', '2026-03-08', aws('2026-01', 310, 155));
      expect(await story.bills('2026-01', '2026-03-08')).toEqual([319, 155, -9, false]);
    });
  });
});

/** A third account, 9 in all. */
const THIRD = wholeMonth('2026-01', { cloud: 'aws', account: '3' }, 9);
