import { expect, it } from 'vitest';
import { addDays, type Day } from '../../../../domain/shared/calendar.ts';
import {
  updateCostSource,
  type CostSource,
  type NewCostSource,
} from '../../../../warehouse/sources/cost-sources.ts';
import { sourceMonths } from '../../../../warehouse/sources/coverage.ts';
import { recordLoadFiles } from '../../../../warehouse/sources/publishing/load-files.ts';
import { computeSpend } from '../../../../warehouse/spend/compute-spend.ts';
import { costsOf } from '../../../support/warehouse/costs-of.ts';
import { settleMonths } from '../../../../warehouse/months/settlement.ts';
import { describeOnBothEngines } from '../../../support/warehouse/engines.ts';
import { publishSpend, type SpendRow, type SpendTable } from '../../../support/warehouse/published-spend.ts';
import { BY_ADMIN, newOrganisation, newSource, NOW } from '../../../support/warehouse/tenant.ts';
import { withOpened } from '../../../support/with-opened.ts';

type Row = Record<string, string | boolean | null>;

/** Rows of some days of January: one for each, from the first on, with the amount of its day of the month. */
const days = (
  row: Row,
  cost: (day: number) => number,
  [first, last]: [number, number] = [1, 31],
): SpendRow[] =>
  Array.from({ length: last - first + 1 }, (_, index) => ({
    day: addDays('2026-01-01', first - 1 + index),
    ...row,
    cost: String(cost(first + index)),
  }));

const AWS = { cloud: 'aws', account: '1' };

describeOnBothEngines('the same charges from two sources', (open, onDuckDb) => {
  const test = withOpened(open);

  const newStory = async () => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    let decisions = 0;
    return {
      orgId,
      source: (name: string, changes: Partial<NewCostSource> = {}) =>
        newSource(test.warehouse, orgId, { name, ...changes }),
      load: (source: CostSource, tables: Partial<Record<SpendTable, readonly SpendRow[]>>) =>
        publishSpend(test.warehouse, { orgId, sourceId: source.id }, '2026-01', tables),
      /** Says that the newest load of a source has read a file. */
      readFrom: async (source: CostSource, file: string) => {
        const [load] = await test.warehouse.query<{ id: string }>(
          'SELECT max(load_id) AS id FROM loads WHERE org_id = $org AND source_id = $source',
          { org: orgId, source: source.id },
        );
        await test.warehouse.session((session) =>
          recordLoadFiles(session, { orgId, sourceId: source.id, loadId: load?.id ?? '' }, [file]),
        );
      },
      decide: (source: CostSource, unit: string, endedOn: Day | null, stands = false, now = NOW) =>
        test.warehouse.run(
          `INSERT INTO unit_decisions BY NAME SELECT $org AS org_id, $source AS source_id, $unit AS unit,
             $decision::UUID AS decision_id, $ended::DATE AS ended_on, $stands AS stands, $now::TIMESTAMP AS decided_at`,
          {
            org: orgId,
            source: source.id,
            unit,
            ended: endedOn,
            stands,
            now: now.toISOString(),
            decision: `019b0000-0000-7000-8000-${String((decisions += 1)).padStart(12, '0')}`,
          },
        ),
      total: async () => {
        const range = { previousStart: '2025-12-01', start: '2026-01-01', end: '2026-01-31' };
        return Number((await costsOf(test.warehouse, orgId, range, NOW)).total);
      },
      /** January's doubts: source, sentence, amount, and what each way out acts on. */
      doubts: async () => {
        await computeSpend(test.warehouse, orgId, NOW);
        const months = await sourceMonths(test.warehouse, orgId, { first: '2026-01', last: '2026-01' });
        return (months.get('2026-01') ?? []).flatMap(({ doubts }) =>
          doubts.map(({ code, sentence, amount, ways_out }) => ({
            code,
            sentence,
            amount: Number(amount),
            ways: ways_out.map(({ action, source_id }) => [action, source_id]),
          })),
        );
      },
    };
  };
  type Story = Awaited<ReturnType<typeof newStory>>;

  const sentences = async (story: Story) => (await story.doubts()).map(({ sentence }) => sentence);

  /** Two exports of account 1, whose day n costs n: 496 each in January. */
  const twoExports = async () => {
    const story = await newStory();
    const [old, fresh] = [await story.source('Old'), await story.source('Fresh')];
    await story.load(old, { cloud_spend: days(AWS, (day) => day) });
    await story.load(fresh, { cloud_spend: days(AWS, (day) => day) });
    return { ...story, old, fresh };
  };

  it('of an account hold the month back with what counts twice', async () => {
    const story = await twoExports();
    expect(await story.total()).toBe(992);
    expect(await story.doubts()).toEqual([
      {
        code: 'charges_twice',
        sentence:
          'cost source "Fresh" charges "aws/1" on the same 31 days from 2026-01-01 to 2026-01-31 as cost source "Old": ' +
          '496 counts twice (the amounts of the days are the same)',
        amount: 496,
        ways: [
          ['end_unit', story.fresh.id],
          ['end_unit', story.old.id],
          ['stands', story.fresh.id],
          ['accept', undefined],
        ],
      },
    ]);
    expect(await settleMonths(test.warehouse, story.orgId, NOW)).toEqual([]);
  });

  it('count once after the day on which a person ends the account in one of them', async () => {
    const story = await twoExports();
    // Nothing of the old export counts after the 20th: 496 + 210.
    await story.decide(story.old, 'aws/1', '2026-01-20');
    expect(await story.total()).toBe(706);
    expect(await story.doubts()).toMatchObject([{ amount: 210 }]);
    await story.decide(story.old, 'aws/1', '2025-12-31');
    expect(await story.total()).toBe(496);
    expect(await story.doubts()).toEqual([]);
    expect(await settleMonths(test.warehouse, story.orgId, NOW)).toEqual(['2026-01']);
    // A correction of a day that the fresh export lacks still counts.
    await story.load(story.fresh, { cloud_spend: days(AWS, (day) => day, [1, 30]) });
    expect(await story.total()).toBe(496);
    // The end is taken back, or set for both.
    await story.decide(story.old, 'aws/1', null);
    expect(await story.total()).toBe(465 + 496);
    for (const source of [story.old, story.fresh]) await story.decide(source, 'aws/1', '2025-12-31');
    expect(await story.total()).toBe(465 + 496);
    expect(await story.doubts()).toMatchObject([{ amount: 465 }]);
  });

  it('are right if a person says so of either', async () => {
    for (const which of ['old', 'fresh'] as const) {
      const story = await twoExports();
      await story.decide(story[which], 'aws/1', null, true);
      expect(await story.doubts()).toEqual([]);
      expect(await story.total()).toBe(992);
      await story.decide(story[which], 'aws/1', null);
      expect(await story.doubts()).toHaveLength(1);
    }
  });

  it('were in doubt before a person said that they are right, so that the month settles by backfill', async () => {
    const story = await twoExports();
    await story.doubts();
    await story.decide(story.fresh, 'aws/1', null, true, new Date('2026-02-12T06:00:00Z'));
    const doubtsOn = async (day: Day) => {
      const range = { first: '2026-01', last: '2026-01' };
      const months = await sourceMonths(test.warehouse, story.orgId, range, day);
      return (months.get('2026-01') ?? []).flatMap(({ doubts }) => doubts.map(({ code }) => code));
    };
    expect(await doubtsOn('2026-02-10')).toEqual(['charges_twice']);
    expect(await doubtsOn('2026-02-13')).toEqual([]);
    expect(await settleMonths(test.warehouse, story.orgId, new Date('2026-02-14T06:00:00Z'))).toEqual([
      '2026-01',
    ]);
    expect(
      await test.warehouse.query('SELECT backfilled FROM settled_months WHERE org_id = $org', {
        org: story.orgId,
      }),
    ).toEqual([{ backfilled: true }]);
  });

  onDuckDb(() => {
    it('are found on the days that both have, in three sources, and of hosts and tools', async () => {
      const story = await newStory();
      const bills = [await story.source('A'), await story.source('B'), await story.source('C')];
      // A to the 12th, B from the 10th on, C all days. B differs on the 11th.
      const [a, b, c] = bills;
      if (a === undefined || b === undefined || c === undefined) throw new Error('no sources');
      await story.load(a, { cloud_spend: days(AWS, (day) => day, [1, 12]) });
      await story.load(b, { cloud_spend: days(AWS, (day) => (day === 11 ? 90 : day), [10, 31]) });
      await story.load(c, { cloud_spend: days(AWS, (day) => day) });
      const hosts = [
        await story.source('H1', { kind: 'hosts', options: {} }),
        await story.source('H2', { kind: 'hosts', options: {} }),
      ];
      const tools = { kind: 'ai_tools', options: { usage_location: '/exports/usage' } } as const;
      const assistants = [await story.source('T1', tools), await story.source('T2', tools)];
      for (const source of hosts)
        await story.load(source, {
          host_spend: [
            ...days({ host: 'web', service: 'shop' }, () => 2),
            ...days({ host: 'web', service: null }, () => 0.5),
          ],
        });
      for (const source of assistants)
        await story.load(source, {
          ai_tool_spend: days({ tool: 'assistant', kind: 'seat' }, () => 3, [1, 3]),
        });
      const found = (await story.doubts()).map(({ sentence, amount }) => [
        /"(.*?)"/.exec(sentence)?.[1],
        amount,
      ]);
      // A and B agree on two of their three days, which says nothing. C has the 78 of A, and 13 + … + 31 of B.
      expect(found).toEqual([
        ['C', 78],
        ['C', 418],
        ['H2', 77.5],
        ['T2', 9],
      ]);
    });

    it('are no doubt if accounts, amounts or signs differ, or too few days are the same', async () => {
      const story = await newStory();
      const [one, other] = [await story.source('One'), await story.source('Other')];
      const load = (source: CostSource, rows: SpendRow[]) => story.load(source, { cloud_spend: rows });
      await load(one, [
        ...days({ cloud: 'aws', account: 'fixed-1' }, () => 5),
        ...days(AWS, (day) => day),
        ...days({ cloud: 'aws', account: 'zero' }, () => 0),
        ...days({ cloud: 'aws', account: 'one of two days' }, () => 4, [30, 31]),
        ...days({ cloud: 'aws', account: 'cents' }, () => 0.02),
        ...days({ cloud: 'aws', account: 'credit' }, () => 6),
        ...days({ cloud: 'gcp', account: 'cloud' }, () => 6),
        // Equal on 10 of 31 days, less than a third.
        ...days({ cloud: 'aws', account: 'mostly' }, (day) => day),
      ]);
      await load(other, [
        ...days({ cloud: 'aws', account: 'fixed-2' }, () => 5),
        ...days(AWS, (day) => day + 1),
        ...days({ cloud: 'aws', account: 'zero' }, () => 0),
        ...days({ cloud: 'aws', account: 'one of two days' }, (day) => (day === 31 ? 4 : 5), [30, 31]),
        ...days({ cloud: 'aws', account: 'cents' }, () => 0.03),
        ...days({ cloud: 'aws', account: 'credit' }, () => -6),
        ...days({ cloud: 'aws', account: 'cloud' }, () => 6),
        ...days({ cloud: 'aws', account: 'mostly' }, (day) => (day <= 10 ? day : day + 0.5)),
      ]);
      expect(await story.doubts()).toEqual([]);
      // One day more is a third: 1 + … + 11.
      await load(
        other,
        days({ cloud: 'aws', account: 'mostly' }, (day) => (day <= 11 ? day : day + 0.5)),
      );
      expect(await story.doubts()).toMatchObject([{ amount: 66 }]);
    });

    it('are found where an old export ends and a new one begins, and in a charge of one day a month', async () => {
      const story = await newStory();
      const [old, fresh] = [await story.source('Old'), await story.source('Fresh')];
      const support = { cloud: 'aws', account: 'support' };
      const free = { cloud: 'aws', account: 'free' };
      await story.load(old, {
        cloud_spend: [
          ...days(AWS, () => 16),
          ...days(support, () => 29, [1, 1]),
          ...days(free, () => 0, [30, 30]),
        ],
      });
      await story.load(fresh, {
        cloud_spend: [
          ...days(AWS, () => 16, [30, 31]),
          ...days(support, () => 29, [1, 1]),
          ...days(free, () => 0, [30, 30]),
        ],
      });
      // 31 × 16 + 2 × 16, and 29 twice. Two days of 16 and one of 29 are too much, an amount of 0 is none.
      expect(await story.total()).toBe(528 + 58);
      expect((await story.doubts()).map(({ amount }) => amount).sort()).toEqual([29, 32]);
    });

    it.each<[what: string, exact: number, rounded: number, amount: number]>([
      // 16.0003 × 31 = 496.0093 beside 496, of which the smaller counts twice.
      ['a ten-thousandth', 16.0003, 16, 496],
      ['two decimals beside eight', 1.23456789, 1.23, 38.13],
      ['cents that several lines lose', 0.30499, 0.3, 9.3],
      ['a thousandth', 5000, 4995.5, 154860.5],
      ['a small credit', -0.05432, -0.05, -1.55],
    ])('are found if one export rounds: %s', async (_, exact, rounded, amount) => {
      const story = await newStory();
      const [one, other] = [await story.source('One'), await story.source('Other')];
      const kind = { kind: 'hosts', options: {} } as const;
      const [hosts, others] = [await story.source('Hosts', kind), await story.source('Others', kind)];
      const web = { host: 'web', service: 'shop' };
      for (const [bill, host, cost] of [
        [one, others, rounded],
        [other, hosts, exact],
      ] as const) {
        await story.load(bill, { cloud_spend: days(AWS, () => cost) });
        await story.load(host, { host_spend: days(web, () => cost) });
      }
      expect((await story.doubts()).map((doubt) => doubt.amount)).toEqual([amount, amount]);
    });

    it.each<[cloud: string, older: string, newer: string]>([
      ['azure', 'ab12-cd', 'AB12-CD'],
      ['azure', 'ab12', '/subscriptions/ab12'],
      ['aws', '123456789012', '1234-5678-9012'],
      ['gcp', 'projects/shop/', 'shop'],
    ])(
      'are found if an account of %s is called %s in one and %s in the other',
      async (cloud, older, newer) => {
        const story = await newStory();
        const [one, other] = [await story.source('One'), await story.source('Other')];
        await story.load(one, { cloud_spend: days({ cloud, account: older }, () => 16) });
        await story.load(other, { cloud_spend: days({ cloud, account: newer }, () => 16) });
        expect(await story.total()).toBe(992);
        expect(await story.doubts()).toEqual([
          {
            code: 'charges_twice',
            sentence:
              `cost source "Other" charges "${cloud}/${newer}" on the same 31 days from 2026-01-01 to 2026-01-31 as cost source "One": ` +
              `496 counts twice (the amounts of the days are the same, and the other calls it "${cloud}/${older}")`,
            amount: 496,
            ways: [
              ['run_source', other.id],
              ['stands', other.id],
              ['accept', undefined],
            ],
          },
        ]);
      },
    );

    it('are found once of accounts whose names differ by a hyphen only', async () => {
      const story = await newStory();
      const [one, other] = [await story.source('One'), await story.source('Other')];
      for (const source of [one, other])
        await story.load(source, {
          cloud_spend: ['shop-1', 'shop1'].flatMap((account) => days({ cloud: 'gcp', account }, () => 5)),
        });
      // 2 × 31 × 5 of four times 155.
      expect((await story.doubts()).map(({ amount }) => amount)).toEqual([155, 155]);
    });

    it('are no doubt if both name resources of equal prices, and none is in both', async () => {
      const story = await newStory();
      const [eu, us] = [await story.source('EU'), await story.source('US')];
      const gateway = (resource_id: string | null) => ({
        cloud_spend: days({ ...AWS, resource_id }, () => 1.08),
      });
      await story.load(eu, gateway('nat-eu'));
      await story.load(us, gateway('nat-us'));
      expect(await story.doubts()).toEqual([]);
      // One gateway under two names, or under none in one of them: 31 × 1.08.
      for (const [source, name] of [
        [us, 'arn:aws:ec2:eu-west-1:1:natgateway/nat-eu'],
        [us, null],
        [us, 'nat-us'],
        [eu, null],
      ] as const) {
        await story.load(source, gateway(name));
        const found = name === 'nat-us' ? [] : [{ amount: 33.48 }];
        expect(await story.doubts()).toMatchObject(found);
      }
    });

    it('leave a tax in doubt that only the ended source has on a day of the other', async () => {
      const story = await twoExports();
      // The old export has 31 + 11 on the 31st. It no longer counts after the 20th: 496 + 210, and 11 is missing.
      await story.load(story.old, {
        cloud_spend: [...days(AWS, (day) => day), ...days(AWS, () => 11, [31, 31])],
      });
      await story.decide(story.old, 'aws/1', '2026-01-20');
      expect(await story.total()).toBe(706);
      const lost =
        'cost source "Old" has ended "aws/1", but has more of it than the other sources on 2026-01-31: 11 does not count';
      expect((await story.doubts()).filter(({ code }) => code === 'charges_left_out')).toEqual([
        {
          code: 'charges_left_out',
          sentence: lost,
          amount: 11,
          ways: [
            ['end_unit', story.old.id],
            ['stands', story.old.id],
            ['accept', undefined],
          ],
        },
      ]);
      // Ended before January, 496 counts, and the 29th and 30th have 7 more each.
      await story.load(story.old, {
        cloud_spend: [...days(AWS, (day) => day), ...days(AWS, (day) => (day === 31 ? 11 : 7), [29, 31])],
      });
      await story.decide(story.old, 'aws/1', '2025-12-31');
      expect(await story.doubts()).toMatchObject([
        { sentence: lost.replace('2026-01-31: 11', '3 days from 2026-01-29 to 2026-01-31: 25'), amount: 25 },
      ]);
      expect(await settleMonths(test.warehouse, story.orgId, NOW)).toEqual([]);
      await story.decide(story.old, 'aws/1', '2025-12-31', true);
      expect(await story.doubts()).toEqual([]);
      expect(await story.total()).toBe(496);
      expect(await settleMonths(test.warehouse, story.orgId, NOW)).toEqual(['2026-01']);
    });

    it('leave nothing in doubt if the ended source has less, rounds, or had other amounts all along', async () => {
      const cases: [what: string, ended: (day: number) => number][] = [
        ['less on the last days, as the newer export restates them', (day) => (day > 27 ? day - 2 : day)],
        ['amounts to a cent', (day) => day + 0.004],
        ['prices of another list', (day) => day * 1.3],
      ];
      for (const [what, ended] of cases) {
        const story = await twoExports();
        await story.load(story.old, { cloud_spend: days(AWS, ended) });
        await story.decide(story.old, 'aws/1', '2025-12-31');
        expect([what, await story.doubts(), await story.total()]).toEqual([what, [], 496]);
      }
    });

    it('end with the source that is deleted, and with the load that no longer has them', async () => {
      const story = await twoExports();
      expect(await story.doubts()).toHaveLength(1);
      await story.load(story.fresh, { cloud_spend: days({ cloud: 'aws', account: '2' }, (day) => day) });
      expect(await story.doubts()).toEqual([]);
      await story.load(story.fresh, { cloud_spend: days(AWS, (day) => day) });
      expect(await story.doubts()).toHaveLength(1);
      await updateCostSource(test.warehouse, story.orgId, story.old.id, 'delete', BY_ADMIN);
      expect(await story.doubts()).toEqual([]);
      expect(await story.total()).toBe(496);
    });

    it('are found in a file that both read even on one day, and up to the smaller amount', async () => {
      const story = await newStory();
      const [one, other] = [await story.source('One'), await story.source('Other')];
      await story.load(one, { cloud_spend: days(AWS, () => 24, [10, 10]) });
      await story.load(other, { cloud_spend: days(AWS, () => 30, [10, 11]) });
      expect(await sentences(story)).toEqual([]);
      for (const source of [one, other]) {
        // A new load, because files are known before the months are computed.
        await story.load(source, {
          cloud_spend: days(AWS, () => (source === one ? 24 : 30), [10, source === one ? 10 : 11]),
        });
        await story.readFrom(source, '/exports/shared.csv');
      }
      expect(await sentences(story)).toEqual([
        'cost source "Other" charges "aws/1" on the same day, 2026-01-10 as cost source "One": 24 counts twice (both read it from one file)',
      ]);
    });

    it('are found in a cluster that both report, whatever its amounts, and end with its end', async () => {
      const story = await newStory();
      const cluster = { kind: 'opencost', options: {} } as const;
      const [one, other] = [await story.source('One', cluster), await story.source('Other', cluster)];
      const workload = { cluster: 'prod', namespace: 'shop', workload: 'deployment/api', is_idle: false };
      await story.load(one, { kubernetes_spend: days(workload, () => 8) });
      await story.load(other, { kubernetes_spend: days(workload, () => 7, [10, 31]) });
      expect(await story.total()).toBe(248 + 154);
      expect(await story.doubts()).toMatchObject([
        { amount: 154, sentence: expect.stringContaining('(both report the cluster)') as string },
      ]);
      await story.decide(one, 'prod', '2026-01-09');
      // 9 × 8 of the first, and 22 × 7 of the other.
      expect(await story.total()).toBe(72 + 154);
      expect(await story.doubts()).toEqual([]);
    });

    it('are found in a file of clusters to which each source gives another name', async () => {
      const story = await newStory();
      const kind = { kind: 'opencost', options: {} } as const;
      const [one, other] = [await story.source('One', kind), await story.source('Other', kind)];
      const workload = { namespace: 'shop', workload: 'deployment/api', is_idle: false };
      const load = async () => {
        await story.load(one, { kubernetes_spend: days({ cluster: 'prod', ...workload }, () => 8) });
        await story.load(other, { kubernetes_spend: days({ cluster: 'main', ...workload }, () => 8) });
      };
      await load();
      // Two clusters can cost the same.
      expect(await story.doubts()).toEqual([]);
      await load();
      for (const source of [one, other]) await story.readFrom(source, '/exports/allocations.csv');
      expect(await story.total()).toBe(496);
      expect(await story.doubts()).toEqual([
        {
          code: 'charges_twice',
          sentence:
            'cost source "Other" charges "main" on the same 31 days from 2026-01-01 to 2026-01-31 as cost source "One": ' +
            '248 counts twice (both read it from one file, and this one calls it "main", the other "prod")',
          amount: 248,
          ways: [
            ['run_source', other.id],
            ['stands', other.id],
            ['accept', undefined],
          ],
        },
      ]);
    });
  });
});
