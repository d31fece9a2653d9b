import { rename } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { addDays } from '../../../domain/shared/calendar.ts';
import { sourceMonths } from '../../../warehouse/sources/coverage.ts';
import { stageAiTools } from '../../../warehouse/sources/ai-tools-load.ts';
import { relationsOf } from '../../../warehouse/sources/feeds/scan-files.ts';
import { stageHosts } from '../../../warehouse/sources/hosts-load.ts';
import { stageOpenCost } from '../../../warehouse/sources/opencost/opencost-load.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { dayLine, focusCsv, type FocusLine } from '../../support/exports/focus-export.ts';
import { loadWith, scopeOf } from '../../support/warehouse/feeds.ts';
import {
  loadPaths,
  newOrganisation,
  newSource,
  published,
  writeFiles,
} from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

const JANUARY = Array.from({ length: 31 }, (_, index) => addDays('2026-01-01', index));

describeOnBothEngines('charges that one source reads twice', (open, onDuckDb) => {
  const test = withOpened(open);

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
      load: async (
        files: Record<string, string>,
        renamed = (paths: readonly string[]) => Promise.resolve(paths),
      ) => loadPaths(test, { orgId, sourceId }, await renamed(await writeFiles(test, files))),
    };
  };

  /** Lines of January of an account, whose day n costs n. */
  const lines = (account: string, cost: (day: number) => number, changes: Record<string, string> = {}) =>
    JANUARY.map((day, index) => dayLine(day, String(cost(index + 1)), { SubAccountId: account, ...changes }));

  /** Renames files so that the remainders of DuckDB's hashes of their paths are `of`, 2 × `of`, and 4 × `of`. */
  const numbered = (of: number) => (paths: readonly string[]) =>
    Promise.all(
      paths.map(async (path, index) => {
        const [found] = await test.warehouse.query<{ path: string }>(
          `SELECT $path || range || '.csv' AS path FROM range(1000000)
           WHERE hash($path || range || '.csv') % 65536 = $number LIMIT 1`,
          { path, number: 2 ** index * of },
        );
        if (found === undefined) throw new Error(`no name of ${path} has the number`);
        await rename(path, found.path);
        return found.path;
      }),
    );

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
      // Two decimals beside eight: 31 × 1.23 is in both.
      await load({
        'exact.csv': focusCsv(lines('1', () => 1.23456789)),
        'rounded.csv': focusCsv(lines('1', () => 1.23)),
      });
      expect(await amounts()).toEqual([38.13]);
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

    it('are a doubt with all that counts more than once if three files have an account', async () => {
      const { orgId, load } = await newBill();
      const payer = focusCsv([...lines('1', (day) => day), ...lines('2', (day) => 3 * day)]);
      const member = focusCsv([
        ...lines('1', (day) => day / 4, { ResourceId: 'i-1' }),
        ...lines('1', (day) => (day * 3) / 4, { ResourceId: 'i-2' }),
      ]);
      const old = (through = 31) => focusCsv(lines('1', (day) => day, { RegionId: 'eu' }).slice(0, through));
      // 1 + 2 + … + 31 is 496, and counts three times.
      await load({ 'payer.csv': payer, 'member.csv': member, 'old.csv': old() });
      expect(await doubtsOf(orgId)).toEqual([
        [
          'cost source "Bill" has account "aws/1" with the same amounts in three files on 31 days from 2026-01-01 to 2026-01-31: 992 counts twice',
          ...[992, 'run_source,stands,accept'],
        ],
      ]);
      // Also if the numbers of all files have the same bit in two sums of bits, which take them for one file.
      for (const of of [57 * 59, 61 * 62]) {
        await load({ 'payer.csv': payer, 'member.csv': member, 'old.csv': old() }, numbered(of));
        expect((await doubtsOf(orgId)).map(([, amount]) => amount)).toEqual([992]);
      }
      // The old export ends on the 10th, after 55. Or the third file has other charges of the account.
      await load({ 'payer.csv': payer, 'member.csv': member, 'old.csv': old(10) });
      expect((await doubtsOf(orgId)).map(([, amount]) => amount)).toEqual([551]);
      const support = focusCsv(lines('1', (day) => day + 7, { ServiceName: 'Support' }));
      await load({ 'payer.csv': payer, 'member.csv': member, 'support.csv': support });
      expect((await doubtsOf(orgId)).map(([, amount]) => amount)).toEqual([496]);
      await load({ 'payer.csv': payer, 'support.csv': support });
      expect(await doubtsOf(orgId)).toEqual([]);
    });

    it('are a doubt if three large files have an account, and none if they are parts of a bill', async () => {
      const { id: orgId } = await newOrganisation(test.warehouse);
      const { id: sourceId } = await newSource(test.warehouse, orgId, { name: 'Bill' });
      /** Three files, each with 400,000 lines of January. `cost` is the SQL of a line's cost in a file, by its number. */
      const doubted = async (cost: string) => {
        const paths = await writeFiles(test, { 'a.csv': '', 'b.csv': '', 'c.csv': '' });
        const files = paths.map((path) => path.replace('.csv', '.parquet'));
        for (const [file, path] of files.entries())
          await test.warehouse.query(
            `COPY (SELECT TIMESTAMP '2026-01-01' + to_days(CAST(line % 31 AS INTEGER)) AS ChargePeriodStart,
               ChargePeriodStart + INTERVAL 1 HOUR AS ChargePeriodEnd, DATE '2026-01-01' AS BillingPeriodStart, 'USD' AS BillingCurrency,
               'AWS' AS ProviderName, '1' AS SubAccountId, CAST(${cost} AS DECIMAL(18,6)) AS EffectiveCost, EffectiveCost AS BilledCost
             FROM (SELECT range AS line, ${file} AS file FROM range(400000))) TO '${path}'`,
          );
        await loadPaths(test, { orgId, sourceId }, files);
        return (await doubtsOf(orgId)).map(([, amount]) => amount);
      };
      // Day n costs n / 1000 a line. Each has 12,903 lines, and the first seven 12,904: 12.903 × 496 + 0.028.
      expect(await doubted('(line % 31 + 1) / 1000')).toEqual([2 * 6399.916]);
      // Each line has another cost in each file.
      expect(await doubted('hash(line, file) % 1000 / 1000')).toEqual([]);
    });

    it('are no doubt if three files are parts of a bill', async () => {
      const { orgId, load } = await newBill();
      const part = (share: number, changes = {}) => focusCsv(lines('1', (day) => day * share, changes));
      await load({ 'a.csv': part(0.2), 'b.csv': part(0.3), 'c.csv': part(0.5) });
      expect(await doubtsOf(orgId)).toEqual([]);
      const gateway = (ResourceId: string) => focusCsv(lines('1', () => 1.08, { ResourceId }));
      await load({ 'eu.csv': gateway('nat-eu'), 'us.csv': gateway('nat-us'), 'ap.csv': gateway('nat-ap') });
      expect(await doubtsOf(orgId)).toEqual([]);
      const service = (ServiceName: string) => focusCsv(lines('1', () => 1.08, { ServiceName }));
      await load({
        'a.csv': service('Amazon VPC'),
        'b.csv': service('Amazon RDS'),
        'c.csv': service('AWS KMS'),
      });
      expect(await doubtsOf(orgId)).toEqual([]);
    });

    it.each([
      ['111122223333', '1111-2222-3333'],
      ['Shop', 'shop'],
      ['/subscriptions/s-1', 'S1'],
    ])('are a doubt if one of two files calls account %s %s', async (one, other) => {
      const { orgId, load } = await newBill();
      await load({
        'a.csv': focusCsv(lines(one, (day) => day)),
        'b.csv': focusCsv(lines(other, (day) => day)),
      });
      const found = await doubtsOf(orgId);
      expect(found.map(([, amount, ways]) => [amount, ways])).toEqual([[496, 'run_source,stands,accept']]);
      expect(found[0]?.[0]).toMatch(
        /with the same amounts in two files, and one calls it "aws\/.*", on 31 days/,
      );
      // Other amounts, or another account.
      await load({
        'a.csv': focusCsv(lines(one, (day) => day)),
        'b.csv': focusCsv(lines(other, (day) => day + 1)),
      });
      expect(await doubtsOf(orgId)).toEqual([]);
      await load({
        'a.csv': focusCsv(lines(one, (day) => day)),
        'b.csv': focusCsv(lines(`${other}9`, (day) => day)),
      });
      expect(await doubtsOf(orgId)).toEqual([]);
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
      const thrice = await doubted([...turns(), ...turns(), ...turns()]);
      expect(thrice).toEqual([
        [
          'cost source "Bill" has each line of account "aws/1" three times on 31 days from 2026-01-01 to 2026-01-31: 276 counts twice',
          ...[276, 'run_source,stands,accept'],
        ],
      ]);
      // Each line comes four or six times, as a bill of days has one for each six or four hours.
      for (const often of [4, 6])
        expect(await doubted(Array.from({ length: often }, () => turns()).flat())).toEqual([]);
      // One line comes twice, and one four times: three times on average.
      const other = turns({ ServiceName: 'Amazon S3' });
      const mixed = [...turns(), ...turns(), ...other, ...other, ...other, ...other];
      expect(await doubted(mixed)).toEqual([]);
    });

    it('are a doubt if all lines of a bill stand twice, although each day costs the same', async () => {
      const { orgId, load } = await newBill();
      const flat = [
        ...lines('1', () => 4),
        ...lines('1', () => 1, { ServiceName: 'Amazon S3' }),
        ...lines('2', () => 6),
      ];
      const doubted = async (rows: readonly FocusLine[]) => {
        await load({ 'bill.csv': focusCsv(rows) });
        return (await doubtsOf(orgId)).map(([, amount]) => amount);
      };
      // 31 × 5 and 31 × 6.
      expect(await doubted([...flat, ...flat])).toEqual([155, 186]);
      expect(await doubted(flat)).toEqual([]);
      // Two machines with a disk each are two different lines. A third one comes once in another account.
      const machines = flat.filter((line) => line['SubAccountId'] === '1');
      expect(await doubted([...machines, ...machines])).toEqual([]);
      expect(await doubted([...machines, ...machines, ...lines('2', () => 6)])).toEqual([]);
    });

    it('are a doubt if all lines of an account stand twice and name their resources', async () => {
      const { orgId, load } = await newBill();
      const named = (...ids: string[]) => ids.flatMap((ResourceId) => lines('1', () => 2, { ResourceId }));
      const doubted = async (rows: readonly FocusLine[]) => {
        await load({ 'bill.csv': focusCsv([...rows, ...lines('2', () => 6)]) });
        return (await doubtsOf(orgId)).map(([, amount]) => amount);
      };
      // 31 × 3 × 2.
      expect(await doubted([...named('a', 'b', 'c'), ...named('a', 'b', 'c')])).toEqual([186]);
      expect(await doubted(named('a', 'b', 'c', 'd', 'e', 'f'))).toEqual([]);
      // A gateway with two equal lines, and one of three resources that comes once.
      expect(await doubted([...named('a'), ...named('a')])).toEqual([]);
      expect(await doubted([...named('a', 'b', 'c'), ...named('a', 'b')])).toEqual([]);
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
          published(sessions, scopeOf({ orgId, sourceId }), (load) => stageHosts(sessions, load, files)),
        );
      },
    };
  };

  it('are a doubt if a file of hosts has each line twice, until a file has each once', async () => {
    const { orgId, load } = await newHosts();
    // Day n of "web" costs 2 for the shop, and n / 31 is idle: 62 and 16.
    const rows = JANUARY.flatMap((day, index) => [
      `${day},web,shop,2`,
      `${day},web,__idle__,${(index + 1) / 31}`,
      `${day},db,sql,4`,
    ]);
    const twice = rows.filter((row) => row.includes('web'));
    await load([...rows, ...twice]);
    const sentence =
      'cost source "Hosts" has each line of host "web" twice on 31 days from 2026-01-01 to 2026-01-31: 78 counts twice';
    expect(await doubtsOf(orgId)).toEqual([[sentence, 78, 'run_source,stands,accept']]);
    // A file with one new day keeps the days before, and what is known of them.
    await load(['2026-01-31,web,shop,3', '2026-01-31,db,sql,4']);
    expect(await doubtsOf(orgId)).toEqual([[sentence, 78, 'run_source,stands,accept']]);
    await load(rows);
    expect(await doubtsOf(orgId)).toEqual([]);
  });

  onDuckDb(() => {
    it('are a doubt if all lines of a host stand two or three times, although each day costs the same', async () => {
      const { orgId, load } = await newHosts();
      const doubted = async (...rows: string[][]) => {
        await load(rows.flat());
        return (await doubtsOf(orgId)).map(([, amount]) => amount);
      };
      const [web, idle, db, disk] = ['web,shop,2', 'web,__idle__,0.5', 'db,sql,4', 'db,sql,1'].map((line) =>
        JANUARY.map((day) => `${day},${line}`),
      ) as [string[], string[], string[], string[]];
      // 31 × 2, and then 31 × 4 and 31 × 2.5.
      expect(await doubted(web, web)).toEqual([62]);
      expect(await doubted(web, idle, db, web, idle, db)).toEqual([124, 77.5]);
      // Two thirds of 31 × 6, and one third is right.
      expect(await doubted(web, web, web)).toEqual([124]);
      // One host has two equal lines, and the other three.
      expect(await doubted(db, db, idle, idle, idle)).toEqual([124, 31]);
      expect(await doubted(web, idle, db)).toEqual([]);
      // One line of a host comes once, or four times.
      expect(await doubted(web, web, db, db, disk)).toEqual([62]);
      expect(await doubted(web, web, web, web)).toEqual([]);
    });

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
            ? published(sessions, scope, (load) =>
                stageAiTools(sessions, load, { spend: main, usage: other }),
              )
            : published(sessions, scope, (load) =>
                stageOpenCost(sessions, load, {
                  allocations: relationsOf(main),
                  assets: relationsOf(other),
                  cluster: 'p',
                  from: 'files',
                }),
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
      const tools = ['assistant', 'editor', 'review'].flatMap((tool) =>
        JANUARY.map((day) => `${day},${tool},20`),
      );
      expect(await load(['day,tool,cost', ...tools, ...tools], usage)).toEqual([]);
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

    it('are a doubt if a file has each allocation of a cluster twice, and names its containers', async () => {
      const load = await newSourceOf('opencost');
      const header = 'Date,Namespace,ControllerKind,ControllerName,Pod,Container,TotalCost';
      const named = (pod: string, container = 'main') =>
        JANUARY.map((day) => `${day},shop,deployment,api,${pod},${container},1.5`);
      const idle = JANUARY.map((day) => `${day},__idle__,,,__idle__,__idle__,0.5`);
      const unmounted = JANUARY.map((day) => `${day},__unmounted__,,,__unmounted__,__unmounted__,0.25`);
      const none = ['day,cluster,kind,provider_id,cost'];
      const doubted = async (...rows: string[][]) => load([header, ...rows.flat()], none);
      // 31 × 1.5.
      expect(await doubted(named('api-1'), named('api-1'))).toEqual([
        [
          'cost source "Feed" has each allocation of cluster "p" twice on 31 days from 2026-01-01 to 2026-01-31: 46.5 counts twice',
          ...[46.5, 'run_source,stands,accept'],
        ],
      ]);
      // Half of 31 × (3 + 1).
      expect((await doubted(named('api-1'), named('api-1'), idle, idle)).map(([, amount]) => amount)).toEqual(
        [62],
      );
      for (const sound of [
        [named('api-1'), idle],
        [named('api-1'), idle, idle, unmounted, unmounted],
        [named('api-1'), named('api-2')],
        [named('api-1', 'main'), named('api-1', 'proxy')],
        [named(''), named('')],
        [named('api-1'), named('api-1'), named('api-2')],
      ])
        expect(await doubted(...sound)).toEqual([]);
    });

    it('are a doubt if each allocation stands in two files of a source, until one is gone', async () => {
      const { id: orgId } = await newOrganisation(test.warehouse);
      const { id: sourceId } = await newSource(test.warehouse, orgId, {
        name: 'Feed',
        kind: 'opencost',
        options: {},
      });
      const load = async (files: Record<string, string>) => {
        await loadWith(test, await writeFiles(test, files), (sessions, found) =>
          published(sessions, scopeOf({ orgId, sourceId }), (load) =>
            stageOpenCost(sessions, load, {
              allocations: relationsOf(found),
              assets: null,
              cluster: 'p',
              from: 'files',
            }),
          ),
        );
        return (await doubtsOf(orgId)).map(([, amount]) => amount);
      };
      const file = (...names: string[]) =>
        [
          'Date,Name,Namespace,ControllerKind,ControllerName,TotalCost',
          ...names.flatMap((name) => JANUARY.map((day) => `${day},${name},shop,deployment,api,1`)),
        ].join('\n') + '\n';
      // 31 × 2 of a and b. Without the other file, c counts once beside them.
      expect(await load({ 'old.csv': file('a', 'b'), 'new.csv': file('b', 'a') })).toEqual([62]);
      expect(await load({ 'old.csv': file('a', 'b'), 'new.csv': file('c') })).toEqual([]);
    });
  });
});
