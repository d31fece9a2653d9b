import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { ingestSource } from '../../../../activities/sources/ingest-source.ts';
import { parsePrivateTargets } from '../../../../egress/requests/private-targets.ts';
import type { CostSource, NewCostSource } from '../../../../warehouse/sources/cost-sources.ts';
import { doubledNotes } from '../../../../warehouse/spend/assets/doubled-spend.ts';
import type { LoadScope } from '../../../../warehouse/sources/publishing/load.ts';
import { describeOnBothEngines } from '../../../support/warehouse/engines.ts';
import { loading, ingestOf } from '../../../support/warehouse/feeds.ts';
import { dayLine, focusCsv } from '../../../support/exports/focus-export.ts';
import { newSource } from '../../../support/warehouse/tenant.ts';
import { withOpened } from '../../../support/with-opened.ts';
import { newSpender } from './asset-story.ts';

/** Two sources read files; the stories check the total and the notes of both. */
describeOnBothEngines('spend that two sources read from files', (open, onDuckDb) => {
  const test = withOpened(open);

  const newStory = async () => {
    const { warehouse } = test;
    const { orgId, ...spender } = await newSpender(test);
    const root = join(await realpath(test.directory), randomUUID());
    const total = () =>
      spender.total({ start: '2025-12-01', end: '2026-01-31', previousStart: '2025-10-01' });
    return {
      total,
      path: (name: string) => join(root, name),
      write: async (files: Readonly<Record<string, string>>) => {
        for (const [name, text] of Object.entries(files)) {
          await mkdir(dirname(join(root, name)), { recursive: true });
          await writeFile(join(root, name), text);
        }
      },
      source: (name: string, location: string, changes: Partial<NewCostSource> = {}) =>
        newSource(warehouse, orgId, { name, location: join(root, location), ...changes }),
      ingest: async (source: CostSource, changes: Partial<LoadScope> = {}) => {
        const result = await loading(test, (sessions) =>
          ingestSource(source, {
            ...ingestOf(
              test,
              sessions,
              { orgId, sourceId: source.id },
              { runId: `run_${randomUUID()}`, ...changes },
            ),
            rules: { roots: [root], privateTargets: parsePrivateTargets('') },
            readAll: true,
          }),
        );
        await total();
        return doubledNotes(warehouse, orgId, source, result.months);
      },
    };
  };
  type Story = Awaited<ReturnType<typeof newStory>>;

  const workloads = (cluster: string, cost: string) =>
    `Date,Cluster,Namespace,ControllerKind,ControllerName,TotalCost\n2026-01-10,${cluster},shop,deployment,api,${cost}\n`;
  const nodes = (...rows: [cluster: string, id: string, cost: string][]) =>
    [
      'day,cluster,kind,provider_id,cost',
      ...rows.map(([cluster, id, cost]) => `2026-01-10,${cluster},node,${id},${cost}`),
      '',
    ].join('\n');
  const clusters = (
    story: Story,
    name: string,
    files: [allocations: string, assets: string | null],
    cluster?: string,
  ) => {
    const [location, assets] = files;
    const options = {
      ...(cluster === undefined ? {} : { cluster }),
      ...(assets === null ? {} : { assets_location: story.path(assets) }),
    };
    return story.source(name, location, { kind: 'opencost', options });
  };
  const ON_THE_10TH = 'on 1 day, 2026-01-10';

  onDuckDb(() => {
    it('is noted for cluster assets on no bill that both read, from one file or two', async () => {
      const story = await newStory();
      await story.write({
        'a.csv': workloads('alpha', '8'),
        'b.csv': workloads('beta', '5'),
        'all.csv': nodes(['alpha', 'cellar-1', '10'], ['beta', 'cellar-2', '7']),
        'alphas.csv': nodes(['alpha', 'cellar-1', '10']),
      });
      const one = await clusters(story, 'One', ['a.csv', 'all.csv']);
      const other = await clusters(story, 'Other', ['b.csv', 'all.csv']);
      expect(await story.ingest(one)).toEqual([]);
      expect(await story.total()).toBe(17);
      const notes = (name: string) => [
        `source "${name}" also reports cluster "alpha": 10 counts twice ${ON_THE_10TH}`,
        `source "${name}" also reports cluster "beta": 7 counts twice ${ON_THE_10TH}`,
      ];
      expect(await story.ingest(other)).toEqual(notes('One'));
      expect(await story.ingest(one)).toEqual(notes('Other'));
      expect(await story.total()).toBe(34);
      const mended = await newStory();
      await mended.write({
        'a.csv': workloads('alpha', '8'),
        'b.csv': workloads('beta', '5'),
        'alphas.csv': nodes(['alpha', 'cellar-1', '10']),
        'all.csv': nodes(['alpha', 'cellar-1', '10'], ['beta', 'cellar-2', '7']),
      });
      await mended.ingest(await clusters(mended, 'One', ['a.csv', 'alphas.csv']));
      expect(await mended.ingest(await clusters(mended, 'Other', ['b.csv', 'all.csv']))).toEqual([
        notes('One')[0],
      ]);
      expect(await mended.total()).toBe(27);
    });

    it('is all assets of a cluster that both report, or only its workloads once it is on a bill', async () => {
      const story = await newStory();
      await story.write({
        'a.csv': workloads('alpha', '6'),
        'b.csv': workloads('alpha', '6'),
        'c.csv': nodes(['alpha', 'i-node1', '10']),
        'd.csv': nodes(['alpha', 'i-node1', '10']),
        'bill.csv': focusCsv([
          dayLine('2026-01-10', '24', { ServiceCategory: 'Compute', ResourceId: 'i-node1' }),
        ]),
      });
      const one = await clusters(story, 'One', ['a.csv', 'c.csv']);
      const other = await clusters(story, 'Other', ['b.csv', 'd.csv']);
      await story.ingest(one);
      expect(await story.ingest(other)).toEqual([
        `source "One" also reports cluster "alpha": 10 counts twice ${ON_THE_10TH}`,
      ]);
      expect(await story.total()).toBe(20);
      await story.ingest(await story.source('Bill', 'bill.csv'));
      expect(await story.total()).toBe(24);
      expect(await story.ingest(one)).toEqual([
        `source "Other" also reports cluster "alpha": its workloads cost 6 twice ${ON_THE_10TH}; the lines of its bill count once`,
      ]);
    });

    it('is noted for one file that two sources assign to different clusters', async () => {
      const story = await newStory();
      const unnamed =
        'Date,Namespace,ControllerKind,ControllerName,TotalCost\n2026-01-10,shop,deployment,api,6\n';
      await story.write({ 'a.csv': unnamed });
      const one = await clusters(story, 'One', ['a.csv', null], 'prod');
      const other = await clusters(story, 'Other', ['a.csv', null], 'production');
      await story.ingest(one);
      const note = (name: string, names: string) => [
        `source "${name}" also counts the file ${story.path('a.csv')} that this source counts: 6 counts twice ${ON_THE_10TH}, ${names}`,
      ];
      expect(await story.ingest(other)).toEqual(note('One', 'as cluster "production" and as "prod"'));
      expect(await story.ingest(one)).toEqual(note('Other', 'as cluster "prod" and as "production"'));
      expect(await story.total()).toBe(12);
    });

    it('is only the spend of the shared file, even if both read more of the same account', async () => {
      const story = await newStory();
      const line = (day: string, cost: string, service = 'Amazon RDS') =>
        focusCsv([dayLine(day, cost, { ServiceName: service })]);
      await story.write({
        'december-12.csv': line('2025-12-10', '100'),
        'january-1.csv': line('2026-01-10', '24'),
        'january-2.csv': line('2026-01-10', '50', 'Amazon S3'),
      });
      const one = await story.source('One', '*1*.csv');
      const other = await story.source('Other', '*2*.csv');
      await story.ingest(one);
      expect(await story.ingest(other)).toEqual([
        `source "One" also counts the file ${story.path('december-12.csv')} that this source counts: 100 counts twice on 1 day, 2025-12-10`,
      ]);
      expect(await story.total()).toBe(274);
    });

    it('is all spend of a source that reads only files of the other one', async () => {
      const story = await newStory();
      await story.write({
        'all/shared.csv': focusCsv([dayLine('2026-01-10', '24')]),
        'all/credit.csv': focusCsv([dayLine('2026-01-10', '-50')]),
      });
      const one = await story.source('One', 'all/*.csv');
      const other = await story.source('Other', 'all/shared.csv');
      await story.ingest(one);
      const note = (name: string) =>
        `source "${name}" also counts the file ${story.path('all/shared.csv')} that this source counts: 24 counts twice ${ON_THE_10TH}`;
      expect(await story.ingest(other)).toEqual([note('One')]);
      expect(await story.ingest(one)).toEqual([note('Other')]);
      expect(await story.total()).toBe(-2);
    });

    it('is noted as an upper limit if both also read other files with the same lines', async () => {
      const story = await newStory();
      const line = (cost: string) => focusCsv([dayLine('2026-01-10', cost)]);
      await story.write({ 'shared-12.csv': line('24'), 'own-1.csv': line('6'), 'own-2.csv': line('9') });
      await story.ingest(await story.source('One', '*1*.csv'));
      expect(await story.ingest(await story.source('Other', '*2*.csv'))).toEqual([
        `source "One" also counts the file ${story.path('shared-12.csv')} that this source counts: up to 30 counts twice ${ON_THE_10TH}`,
      ]);
    });

    it('is nothing for a file of AI usage, because usage has no cost', async () => {
      const story = await newStory();
      await story.write({
        'seats.csv': 'day,tool,cost\n2026-01-10,copilot,10\n',
        'use.csv': 'day,tool,cost\n2026-01-10,copilot,4\n',
        'usage.csv': 'day,tool,repository,usage\n2026-01-10,copilot,github.com/acme/web,4\n',
      });
      const changes = { kind: 'ai_tools', options: { usage_location: story.path('usage.csv') } } as const;
      await story.ingest(await story.source('Seats', 'seats.csv', changes));
      expect(await story.ingest(await story.source('Use', 'use.csv', changes))).toEqual([]);
      expect(await story.total()).toBe(14);
    });

    it('is only the cost of services for a host on a bill', async () => {
      const story = await newStory();
      await story.write({
        'hosts.csv': 'day,host,service,cost,machine_id\n2026-01-10,db,postgres,4,i-db1\n2026-01-10,db,,3,\n',
        'bill.csv': focusCsv([
          dayLine('2026-01-10', '12', { ServiceCategory: 'Compute', ResourceId: 'i-db1' }),
        ]),
      });
      const one = await story.source('One', 'hosts.csv', { kind: 'hosts', options: {} });
      const other = await story.source('Other', 'hosts.csv', { kind: 'hosts', options: {} });
      await story.ingest(one);
      const note = `source "One" also counts the file ${story.path('hosts.csv')} that this source counts: `;
      expect(await story.ingest(other)).toEqual([`${note}7 counts twice ${ON_THE_10TH}`]);
      await story.ingest(await story.source('Bill', 'bill.csv'));
      expect(await story.ingest(other)).toEqual([
        `${note}of services 4 counts twice ${ON_THE_10TH}; the bill lines of their hosts count once`,
      ]);
      expect(await story.total()).toBe(12);
    });
  });

  it('is noted while both count it, even if one now reads another file and keeps the earlier days', async () => {
    const story = await newStory();
    await story.write({
      'hosts.csv': 'day,host,service,cost\n2026-01-10,db,postgres,9\n2026-01-11,db,postgres,9\n',
      'own.csv': 'day,host,service,cost\n2026-01-12,mail,postfix,5\n',
    });
    const one = await story.source('One', 'hosts.csv', { kind: 'hosts', options: {} });
    const other = await story.source('Other', 'hosts.csv', { kind: 'hosts', options: {} });
    await story.ingest(one);
    const notes = (name: string) => [
      `source "${name}" also counts the file ${story.path('hosts.csv')} that this source counts: ` +
        '18 counts twice on 2 days from 2026-01-10 to 2026-01-11',
    ];
    expect(await story.ingest(other)).toEqual(notes('One'));
    const moved = { ...other, location: story.path('own.csv') };
    for (const time of ['once', 'twice']) {
      expect({ time, notes: await story.ingest(moved) }).toEqual({ time, notes: notes('One') });
      expect({ time, notes: await story.ingest(one) }).toEqual({ time, notes: notes('Other') });
      expect(await story.total()).toBe(41); // 18 + 18 + 5
    }
    expect(await story.ingest(moved, { acceptShrink: true })).toEqual([]);
    expect(await story.ingest(one)).toEqual([]);
    expect(await story.total()).toBe(23);
  });
});
