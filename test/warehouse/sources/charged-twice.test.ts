import { afterAll, beforeAll, expect, it } from 'vitest';
import { addDays } from '../../../domain/shared/calendar.ts';
import { sourceMonths } from '../../../warehouse/sources/coverage.ts';
import { loadAiTools } from '../../../warehouse/sources/ai-tools-load.ts';
import { relationsOf } from '../../../warehouse/sources/feeds/scan-files.ts';
import { loadHosts } from '../../../warehouse/sources/hosts-load.ts';
import { loadOpenCost } from '../../../warehouse/sources/opencost/opencost-load.ts';
import { describeOnBothEngines, type TestWarehouse } from '../../support/warehouse/engines.ts';
import { dayLine, focusCsv, type FocusLine } from '../../support/exports/focus-export.ts';
import { loadWith, scopeOf } from '../../support/warehouse/feeds.ts';
import {
  loadPaths,
  newOrganisation,
  newSource,
  publishing,
  writeFiles,
} from '../../support/warehouse/tenant.ts';

const JANUARY = Array.from({ length: 31 }, (_, index) => addDays('2026-01-01', index));

describeOnBothEngines('charges that one source reads twice', (open, onDuckDb) => {
  let test: TestWarehouse;
  beforeAll(async () => {
    test = await open();
  });
  afterAll(() => test.close());

  const doubtsOf = async (orgId: string) => {
    const months = await sourceMonths(test.warehouse, orgId, { first: '2026-01', last: '2026-01' });
    return (months.get('2026-01') ?? []).flatMap(({ doubts }) =>
      doubts.map(({ sentence, amount, ways_out }) => [
        ...[sentence, Number(amount)],
        ways_out.map(({ action }) => action).join(),
      ]),
    );
  };

  const newBill = async () => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    const { id: sourceId } = await newSource(test.warehouse, orgId, { name: 'Bill' });
    return {
      orgId,
      load: async (files: Record<string, string>) =>
        loadPaths(test, { orgId, sourceId }, await writeFiles(test, files)),
    };
  };

  /** Lines of January of an account, whose day n costs n. */
  const lines = (account: string, cost: (day: number) => number, changes: Record<string, string> = {}) =>
    JANUARY.map((day, index) => dayLine(day, String(cost(index + 1)), { SubAccountId: account, ...changes }));

  it('are a doubt if a payer’s and a member’s export have the same account', async () => {
    const { orgId, load } = await newBill();
    // The member's export names resources, and has each day's cost in two lines.
    const payer = [...lines('1', (day) => day), ...lines('2', (day) => 3 * day)];
    const member = [
      ...lines('1', (day) => day / 4, { ResourceId: 'i-1' }),
      ...lines('1', (day) => (day * 3) / 4, { ResourceId: 'i-2' }),
    ];
    await load({ 'payer.csv': focusCsv(payer), 'member.csv': focusCsv(member) });
    expect(await doubtsOf(orgId)).toEqual([
      [
        'cost source "Bill" has account "aws/1" with the same amounts in two files on 31 days from 2026-01-01 to 2026-01-31: 496 counts twice',
        ...[496, 'run_source,stands,accept'],
      ],
    ]);
    await load({ 'payer.csv': focusCsv(payer) });
    expect(await doubtsOf(orgId)).toEqual([]);
  });

  onDuckDb(() => {
    it('are no doubt if files have other accounts, days or amounts of a bill', async () => {
      const { orgId, load } = await newBill();
      await load({
        'one.csv': focusCsv([...lines('1', () => 5), ...lines('3', (day) => day), ...lines('4', () => 0)]),
        'two.csv': focusCsv([
          ...lines('2', () => 5),
          ...lines('3', (day) => day + 0.1),
          ...lines('4', () => 0),
        ]),
        'three.csv': focusCsv(lines('3', (day) => 2 * day)),
      });
      expect(await doubtsOf(orgId)).toEqual([]);
      // Two files of days: the first days, and the others.
      await load({
        'first.csv': focusCsv(lines('1', () => 5).slice(0, 15)),
        'second.csv': focusCsv(lines('1', () => 5).slice(15)),
      });
      expect(await doubtsOf(orgId)).toEqual([]);
      // They have two days both, and then one of these with another amount.
      const overlap = (cost: (day: number) => number) => ({
        'first.csv': focusCsv(lines('1', () => 5).slice(0, 15)),
        'second.csv': focusCsv(lines('1', cost).slice(13)),
      });
      await load(overlap(() => 5));
      expect((await doubtsOf(orgId)).map(([, amount]) => amount)).toEqual([10]);
      await load(overlap((day) => (day === 15 ? 6 : 5)));
      expect(await doubtsOf(orgId)).toEqual([]);
    });

    it('are a doubt if one file rounds, or a newer file has restated most days', async () => {
      const { orgId, load } = await newBill();
      const amounts = async () => (await doubtsOf(orgId)).map(([, amount]) => Number(amount));
      // Two decimals beside eight: half of 31 × (1.23 + 1.23456789) is 38.2008…
      await load({
        'exact.csv': focusCsv(lines('1', () => 1.23456789)),
        'rounded.csv': focusCsv(lines('1', () => 1.23)),
      });
      expect((await amounts()).map((amount) => amount.toFixed(4))).toEqual(['38.2008']);
      // The 1st to the 12th were restated from 7 to 7.31. Of the 13th to the 20th, 8 × 7 is in both.
      const dumps = (restated: number) => ({
        'd20.csv': focusCsv(lines('1', () => 7).slice(0, 20)),
        'd31.csv': focusCsv(lines('1', (day) => (day <= restated ? 7.31 : 7))),
      });
      await load(dumps(12));
      expect(await amounts()).toEqual([56]);
      // 6 of 20 days are less than a third, 7 are not.
      await load(dumps(14));
      expect(await amounts()).toEqual([]);
      await load(dumps(13));
      expect(await amounts()).toEqual([49]);
    });

    it('are no doubt if both files name resources of equal prices, and none is in both', async () => {
      const { orgId, load } = await newBill();
      const gateway = (ResourceId: string) => focusCsv(lines('1', () => 1.08, { ResourceId }));
      await load({ 'eu.csv': gateway('nat-eu'), 'us.csv': gateway('nat-us') });
      expect(await doubtsOf(orgId)).toEqual([]);
      // A file without names may have the same gateway, and so does one with its ARN: 31 × 1.08.
      for (const other of ['', 'arn:aws:ec2:eu-west-1:1:natgateway/nat-eu']) {
        await load({ 'eu.csv': gateway('nat-eu'), 'us.csv': gateway(other) });
        expect((await doubtsOf(orgId)).map(([, amount]) => amount)).toEqual([33.48]);
      }
      // Equal prices of two services.
      await load({
        'one.csv': focusCsv(lines('1', () => 1.08, { ServiceName: 'Amazon VPC' })),
        'two.csv': focusCsv(lines('1', () => 1.08, { ServiceName: 'Amazon RDS' })),
      });
      expect(await doubtsOf(orgId)).toEqual([]);
    });
  });

  onDuckDb(() => {
    it('are a doubt if a file of a bill has each line twice, and its amounts differ', async () => {
      const { orgId, load } = await newBill();
      const doubted = async (rows: readonly FocusLine[]) => {
        await load({ 'bill.csv': focusCsv([...rows, ...lines('2', (day) => day)]) });
        return doubtsOf(orgId);
      };
      // 3, 4, 5 and 6 in turn: seven times 18, and 3 + 4 + 5.
      const turns = (changes = {}) => lines('1', (day) => 3 + ((day - 1) % 4), changes);
      expect(await doubted([...turns(), ...turns()])).toEqual([
        [
          'cost source "Bill" has each line of account "aws/1" twice on 31 days from 2026-01-01 to 2026-01-31: 138 counts twice',
          ...[138, 'run_source,stands,accept'],
        ],
      ]);
      expect(await doubted(turns())).toEqual([]);
      // A column that is not read tells them apart, or they cost the same each day, as two machines without a name do.
      expect(await doubted([...turns({ SkuId: 'a' }), ...turns({ SkuId: 'b' })])).toEqual([]);
      const machines = lines('1', () => 4);
      expect(await doubted([...machines, ...machines])).toEqual([]);
    });
  });

  const newHosts = async () => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    const { id: sourceId } = await newSource(test.warehouse, orgId, {
      name: 'Hosts',
      kind: 'hosts',
      options: {},
    });
    return {
      orgId,
      load: async (rows: readonly string[]) => {
        const paths = await writeFiles(test, {
          'hosts.csv': ['day,host,service,cost', ...rows, ''].join('\n'),
        });
        await loadWith(test, paths, (sessions, files) =>
          loadHosts(sessions, scopeOf({ orgId, sourceId }), files, publishing()),
        );
      },
    };
  };

  it('are a doubt if a file of hosts has each line twice, until a file has each once', async () => {
    const { orgId, load } = await newHosts();
    const rows = JANUARY.flatMap((day) => [
      `${day},web,shop,2`,
      `${day},web,__idle__,0.5`,
      `${day},db,sql,4`,
    ]);
    const twice = rows.filter((row) => row.includes('web'));
    await load([...rows, ...twice]);
    const sentence =
      'cost source "Hosts" has each line of host "web" twice on 31 days from 2026-01-01 to 2026-01-31: 77.5 counts twice';
    expect(await doubtsOf(orgId)).toEqual([[sentence, 77.5, 'run_source,stands,accept']]);
    // A file with one new day keeps the days before, and what is known of them.
    await load(['2026-01-31,web,shop,3', '2026-01-31,db,sql,4']);
    expect(await doubtsOf(orgId)).toEqual([[sentence, 77.5, 'run_source,stands,accept']]);
    await load(rows);
    expect(await doubtsOf(orgId)).toEqual([]);
  });

  onDuckDb(() => {
    it('are no doubt if lines of a host differ, or come twice on few days', async () => {
      const { orgId, load } = await newHosts();
      await load(
        JANUARY.flatMap((day, index) => [
          // Two machines of a service, with different costs.
          ...[`${day},web,shop,2`, `${day},web,shop,3`],
          ...(index < 2 ? [`${day},db,sql,4`, `${day},db,sql,4`] : [`${day},db,sql,4`]),
          // One of two services comes twice.
          ...[`${day},app,api,1`, `${day},app,api,1`, `${day},app,job,1`],
          ...[`${day},free,shop,0`, `${day},free,shop,0`],
        ]),
      );
      expect(await doubtsOf(orgId)).toEqual([]);
    });
  });

  onDuckDb(() => {
    /** Loads two files of a source, the second one of usage or of assets. */
    const newSourceOf = async (kind: 'ai_tools' | 'opencost') => {
      const { id: orgId } = await newOrganisation(test.warehouse);
      const { id: sourceId } = await newSource(
        test.warehouse,
        orgId,
        kind === 'ai_tools'
          ? { name: 'Feed', kind, options: { usage_location: '/exports/usage' } }
          : { name: 'Feed', kind, options: {} },
      );
      const scope = scopeOf({ orgId, sourceId });
      return async (first: readonly string[], second: readonly string[]) => {
        const texts = { 'first.csv': `${first.join('\n')}\n`, 'second.csv': `${second.join('\n')}\n` };
        await loadWith(test, await writeFiles(test, texts), (sessions, [one, two]) => {
          const files = [one, two].map((file) => (file === undefined ? [] : [file]));
          const [main = [], other = []] = files;
          return kind === 'ai_tools'
            ? loadAiTools(sessions, scope, { spend: main, usage: other }, publishing())
            : loadOpenCost(
                sessions,
                scope,
                { allocations: relationsOf(main), assets: relationsOf(other), cluster: 'p', from: 'files' },
                publishing(),
              );
        });
        return doubtsOf(orgId);
      };
    };

    it('are a doubt if a file has each line of an AI tool twice, and its amounts differ', async () => {
      const load = await newSourceOf('ai_tools');
      const usage = [
        'day,tool,repository,usage',
        ...JANUARY.map((day) => `${day},assistant,github.com/a/b,1`),
      ];
      // 3, 4, 5 and 6 in turn: seven times 18, and 3 + 4 + 5.
      const spend = JANUARY.map((day, index) => `${day},assistant,${3 + (index % 4)}`);
      expect(await load(['day,tool,cost', ...spend, ...spend], usage)).toEqual([
        [
          'cost source "Feed" has each line of tool "assistant" twice on 31 days from 2026-01-01 to 2026-01-31: 138 counts twice',
          ...[138, 'run_source,stands,accept'],
        ],
      ]);
      expect(await load(['day,tool,cost', ...spend], usage)).toEqual([]);
      // Two seats cost the same each day, and two people have lines of their own.
      const seats = JANUARY.flatMap((day) => [`${day},assistant,20`, `${day},assistant,20`]);
      expect(await load(['day,tool,cost', ...seats], usage)).toEqual([]);
      const people = ['ann', 'bob'].flatMap((user) => spend.map((row) => `${row},${user}`));
      expect(await load(['day,tool,cost,user', ...people], usage)).toEqual([]);
    });

    it('are a doubt if a file has each asset of a cluster twice, and names it', async () => {
      const load = await newSourceOf('opencost');
      const allocations = [
        'Date,Namespace,ControllerKind,ControllerName,TotalCost',
        ...JANUARY.map((day) => `${day},shop,deployment,api,1`),
      ];
      const header = 'day,cluster,kind,provider_id,cost';
      const nodes = (id: string) => JANUARY.map((day) => `${day},p,Node,${id},4`);
      expect(await load(allocations, [header, ...nodes('n1'), ...nodes('n1')])).toEqual([
        [
          'cost source "Feed" has each asset of cluster "p" twice on 31 days from 2026-01-01 to 2026-01-31: 124 counts twice',
          ...[124, 'run_source,stands,accept'],
        ],
      ]);
      for (const [one, other] of [
        ['n1', 'n2'],
        ['', ''],
      ] as const)
        expect(await load(allocations, [header, ...nodes(one), ...nodes(other)])).toEqual([]);
    });
  });
});
