import { expect, it } from 'vitest';
import type { SpendPick } from '../../../domain/spend/spend-pick.ts';
import { removeDeadSpend } from '../../../warehouse/engine/maintenance/maintenance.ts';
import { updateCostSource, type NewCostSource } from '../../../warehouse/sources/cost-sources.ts';
import { dayLine, focusCsv, type FocusLine } from '../../support/exports/focus-export.ts';
import { startLocalApi } from '../../support/service/local-api.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { publishSpend } from '../../support/warehouse/published-spend.ts';
import { choose } from '../../support/warehouse/spend-choices.ts';
import {
  BY_ADMIN,
  loadPaths,
  loadText,
  newOrganisation,
  newSource,
  NOW,
  writeFiles,
} from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

/**
 * What can be picked, and what picks would cost. Spend of 28 January, by hand (USD):
 *
 *   account 1111, Shop: S3 10 (team search), RDS 30 (team web), node i-1 25 (team web), of cluster prod
 *   account 2222, Search: S3 5 (team search)
 *   subscription sub-1 of Azure: Virtual Machines 7 in resource group rg-web (env prod)
 *   cluster prod: shop/api 12, shop/worker 3; its node is billed 25, so that 10 are idle
 *   host db-1: postgres 9, idle 2; tool assistant 10: web 3 of 4 parts, api 1
 */
const DAY = '2026-01-28';

const shop = { SubAccountId: '1111', SubAccountName: 'Shop' };
const tagged = (team: string): FocusLine => ({ Tags: JSON.stringify({ team }) });
const BILL: readonly FocusLine[] = [
  dayLine(DAY, '10', { ...shop, ServiceName: 'Amazon S3', ...tagged('search') }),
  dayLine(DAY, '30', { ...shop, ServiceName: 'Amazon RDS', ...tagged('web') }),
  dayLine(DAY, '25', {
    ...shop,
    ServiceName: 'Amazon EC2',
    ServiceCategory: 'Compute',
    ResourceId: 'arn:aws:ec2:eu-west-1:1111:instance/i-1',
    ...tagged('web'),
  }),
  dayLine(DAY, '5', {
    SubAccountId: '2222',
    SubAccountName: 'Search',
    ServiceName: 'Amazon S3',
    ...tagged('search'),
  }),
  dayLine(DAY, '7', {
    ProviderName: 'Microsoft',
    SubAccountId: 'sub-1',
    SubAccountName: '',
    ServiceName: 'Virtual Machines',
    ResourceId: '/subscriptions/sub-1/resourceGroups/RG-Web/providers/x/disk-1',
    Tags: '{"env":"prod"}',
  }),
];

const service = (value: string, account = '1111'): SpendPick => ({
  source: 'cloud',
  cloud: 'aws',
  account,
  service: value,
});
const account = (id: string, cloud = 'aws'): SpendPick => ({ source: 'cloud', cloud, account: id });
const tag = (key: string, value: string, cloud = 'aws'): SpendPick => ({
  source: 'cloud',
  cloud,
  tag: { key, value },
});
const namespace: SpendPick = { source: 'kubernetes', cluster: 'prod', namespace: 'shop' };
const workload = (name: string): SpendPick => ({ ...namespace, workload: `deployment/${name}` });
const repository = (name: string): SpendPick => ({
  source: 'repository',
  repository: `github.com/acme/${name}`,
});
const HOST: SpendPick = { source: 'host', host: 'db-1' };
const idleCluster: SpendPick = { source: 'kubernetes', cluster: 'prod', idle: true };

interface Option {
  pick: SpendPick;
  name: string;
  month: string | null;
  cost: number | null;
  collected_from: string | null;
}

interface Answer<Data> {
  status: number;
  data: Data;
  error: string;
  next_cursor: string | null;
}

interface Calls {
  call: <Data = unknown>(
    method: 'GET' | 'POST',
    url: string,
    body?: object,
    key?: string,
  ) => Promise<Answer<Data>>;
}

interface Preview {
  month: string | null;
  cost: number | null;
  picks: (Omit<Option, 'month'> & { own: number | null })[];
  overlap: number | null;
  conflicts: string[];
  notes: string[];
}

describeOnBothEngines('what can be picked', (open, onDuckDb) => {
  const test = withOpened(open);
  const api = withOpened(() => startLocalApi({ shared: test }));

  const newStory = async (tier: 'enterprise' | 'starter' = 'enterprise') => {
    const { id: orgId } = await newOrganisation(test.warehouse, { tier });
    const { id: sourceId } = await newSource(test.warehouse, orgId);
    const [read, admin] = [await api.newKey(orgId, { permission: 'read' }), await api.newKey(orgId)];
    const call: Calls['call'] = async (method, url, body, key = read) => {
      const answer = await api.app.inject({
        method,
        url: `/api/v1${url}`,
        headers: { 'x-api-key': key },
        ...(body === undefined ? {} : { payload: body }),
      });
      return { ...answer.json<Omit<Answer<never>, 'status'>>(), status: answer.statusCode };
    };
    const metric = async (spend: SpendPick[], name: string) => {
      const body = { name, unit: 'order', aggregation: 'total', frequency: 'monthly' };
      const made = await call<{ id: string }>(
        'POST',
        '/metrics',
        { ...body, scope: { type: 'spend', spend } },
        admin,
      );
      expect(made).toMatchObject({ status: 200 });
      return made.data.id;
    };
    return {
      orgId,
      sourceId,
      admin,
      call,
      metric,
      load: (lines: readonly FocusLine[], now = NOW) =>
        loadText(test, { orgId, sourceId }, focusCsv(lines), { now }),
      options: async (query = ''): Promise<Option[]> =>
        (await call<Option[]>('GET', `/spend/options?limit=1000${query}`)).data,
      preview: async (spend: SpendPick[], user?: object) =>
        call<Preview>('POST', '/spend/preview', { spend, ...(user === undefined ? {} : { user }) }),
      /** Returns what a metric costs in January. */
      january: async (metricId: string): Promise<number | null | undefined> => {
        const found = await call<{ months: { month: string; cost: number | null }[] }>(
          'GET',
          `/metrics/${metricId}`,
        );
        return found.data.months.find(({ month }) => month === '2026-01')?.cost;
      },
    };
  };
  type Story = Awaited<ReturnType<typeof newStory>>;

  const loadAll = async (story: Story): Promise<void> => {
    await story.load(BILL);
    const { orgId } = story;
    const other = async (source: Partial<NewCostSource>) => ({
      orgId,
      sourceId: (await newSource(test.warehouse, orgId, source)).id,
    });
    const allocation = (name: string | null, cost: string) => ({
      day: DAY,
      cluster: 'prod',
      namespace: name && 'shop',
      workload: name && `deployment/${name}`,
      is_idle: name === null,
      cost,
    });
    await publishSpend(test.warehouse, await other({ kind: 'opencost', options: {} }), '2026-01', {
      kubernetes_spend: [allocation('api', '12'), allocation('worker', '3'), allocation(null, '6')],
      cluster_assets: [{ day: DAY, cluster: 'prod', kind: 'node', provider_id: 'i-1', cost: '20' }],
    });
    await publishSpend(test.warehouse, await other({ kind: 'hosts', options: {} }), '2026-01', {
      host_spend: [
        { day: DAY, host: 'db-1', service: 'postgres', cost: '9' },
        { day: DAY, host: 'db-1', service: null, cost: '2' },
      ],
    });
    await publishSpend(
      test.warehouse,
      await other({ kind: 'ai_tools', options: { usage_location: '/usage' } }),
      '2026-01',
      {
        ai_tool_spend: [{ day: DAY, tool: 'assistant', kind: 'seat', cost: '10' }],
        ai_usage: [
          { day: DAY, tool: 'assistant', repository: 'github.com/acme/web', usage: '3' },
          { day: DAY, tool: 'assistant', repository: 'github.com/acme/api', usage: '1' },
        ],
      },
    );
  };

  const ALL: [pick: SpendPick, name: string, cost: number, collectedFrom: string | null][] = [
    [tag('team', 'web'), 'aws / team=web', 55, null],
    [account('1111'), 'Shop', 40, 'always'],
    [service('Amazon RDS'), 'Shop / Amazon RDS', 30, null],
    [service('Amazon EC2'), 'Shop / Amazon EC2', 25, null],
    [namespace, 'prod / shop', 15, 'always'],
    [tag('team', 'search'), 'aws / team=search', 15, null],
    [workload('api'), 'prod / shop / deployment/api', 12, 'always'],
    [idleCluster, 'prod / idle', 10, 'always'],
    [service('Amazon S3'), 'Shop / Amazon S3', 10, null],
    [HOST, 'db-1', 9, 'always'],
    [{ source: 'host', host: 'db-1', service: 'postgres' }, 'db-1 / postgres', 9, 'always'],
    [repository('web'), 'github.com/acme/web', 7.5, 'always'],
    [account('sub-1', 'azure'), 'sub-1', 7, 'always'],
    [{ ...account('sub-1', 'azure'), resource_group: 'rg-web' } as SpendPick, 'sub-1 / rg-web', 7, null],
    [
      { ...account('sub-1', 'azure'), service: 'Virtual Machines' } as SpendPick,
      'sub-1 / Virtual Machines',
      7,
      null,
    ],
    [tag('env', 'prod', 'azure'), 'azure / env=prod', 7, null],
    [account('2222'), 'Search', 5, 'always'],
    [service('Amazon S3', '2222'), 'Search / Amazon S3', 5, null],
    [workload('worker'), 'prod / shop / deployment/worker', 3, 'always'],
    [repository('api'), 'github.com/acme/api', 2.5, 'always'],
    [{ source: 'host', host: 'db-1', idle: true }, 'db-1 / idle', 2, 'always'],
  ];
  const listed = ALL.map(([pick, name, cost, collected_from]) => ({
    pick,
    name,
    month: '2026-01',
    cost,
    collected_from,
  }));

  /** Saves all metrics before it reads the first, so that their costs are computed once. */
  const costLikeMetrics = async (story: Story, picks: readonly SpendPick[]): Promise<void> => {
    const ids = [];
    for (const pick of picks) ids.push(await story.metric([pick], JSON.stringify(pick)));
    const costOf = new Map(listed.map(({ pick, cost }) => [JSON.stringify(pick), cost]));
    for (const [index, pick] of picks.entries())
      expect([pick, await story.january(ids[index] ?? '')]).toEqual([pick, costOf.get(JSON.stringify(pick))]);
  };

  it('is everything in the newest complete month, dearest first, and costs what a metric says', async () => {
    const story = await newStory();
    expect(await story.options()).toEqual([]);
    await loadAll(story);
    expect(await story.options()).toEqual(listed);
    // One of each source.
    await costLikeMetrics(story, [account('1111'), namespace, repository('web'), HOST]);
  });

  it('forgets replaced loads and deleted sources', async () => {
    const story = await newStory();
    await story.load(BILL);
    await story.load([dayLine(DAY, '4', { ...shop, ServiceName: 'Amazon SQS' })]);
    const costs = async () => (await story.options()).map(({ name, cost }) => [name, cost]);
    expect(await costs()).toEqual([
      ['Shop', 4],
      ['Shop / Amazon SQS', 4],
    ]);
    const count = async () => {
      const [row] = await test.warehouse.query<{ n: string }>(
        'SELECT count(*) AS n FROM bill_values WHERE org_id = $org',
        { org: story.orgId },
      );
      return Number(row?.n);
    };
    expect(await count()).toBe(10); // 5 services, a resource group, 3 tag values, and SQS
    await removeDeadSpend(test.warehouse, new Date('2026-02-20T00:00:00Z'));
    expect(await count()).toBe(1);
    await updateCostSource(test.warehouse, story.orgId, story.sourceId, 'delete', BY_ADMIN);
    expect(await costs()).toEqual([]);
  });

  it('has no costs before a month is over', async () => {
    const story = await newStory();
    await story.load([dayLine('2026-02-03', '4', { ...shop, ServiceName: 'Amazon SQS' })]);
    const [first] = await story.options();
    expect(first).toMatchObject({ name: 'Shop', month: null, cost: null });
    const { data } = await story.preview([account('1111')]);
    expect(data).toMatchObject({
      month: null,
      cost: null,
      overlap: null,
      picks: [{ cost: null, own: null }],
    });
  });

  // Writes to DuckLake are slow. So pages, conflicts and days of choices are tried on DuckDB only.
  onDuckDb(() => {
    it('costs what a metric says, whatever is picked', async () => {
      const story = await newStory();
      await loadAll(story);
      const always = listed.filter(
        ({ pick, collected_from }) => collected_from === 'always' && !('idle' in pick),
      );
      await costLikeMetrics(
        story,
        always.map(({ pick }) => pick),
      );
    });

    it('comes in pages that skip and repeat nothing, by source and by a part of any word', async () => {
      const story = await newStory('starter');
      await loadAll(story);
      const paged: Option[] = [];
      let cursor: string | null = null;
      do {
        const query: string = cursor === null ? '' : `&cursor=${cursor}`;
        const part = await story.call<Option[]>('GET', `/spend/options?limit=2${query}`);
        paged.push(...part.data);
        cursor = part.next_cursor;
      } while (cursor !== null);
      expect(paged).toEqual(listed);
      const names = async (query: string) => (await story.options(`&${query}`)).map(({ name }) => name);
      expect(await names('source=host')).toEqual(['db-1', 'db-1 / postgres', 'db-1 / idle']);
      expect(await names('source=cloud&q=SHOP')).toEqual([
        'Shop',
        'Shop / Amazon RDS',
        'Shop / Amazon EC2',
        'Shop / Amazon S3',
      ]);
      expect(await names('q=2222')).toEqual(['Search', 'Search / Amazon S3']);
      expect(await names('q=team%3Dsea')).toEqual(['aws / team=search']);
      expect(await names('q=resource_group')).toEqual([]);
      expect(await names('q=%25')).toEqual([]);
      expect(await story.call('GET', '/spend/options?source=disk')).toMatchObject({ status: 400 });
      expect(await story.call('GET', '/spend/options?cursor=abc')).toMatchObject({ status: 400 });
      const other = await newStory();
      expect(await other.options()).toEqual([]);
    });

    it('has the day from which a choice is collected, and the counted cost of whole months', async () => {
      const story = await newStory();
      await loadAll(story);
      await story.metric([tag('team', 'web')], 'Web');
      const web = async () => (await story.options('&q=team%3Dweb'))[0];
      expect(await web()).toMatchObject({ cost: 55, collected_from: '2026-02-07' });
      // A key that began before January: the node is the cluster's, so that 30 are left.
      const early = await newStory();
      await choose(test, early.orgId, { kind: 'tag', cloud: 'aws', choice: 'team', firstDay: '2025-12-01' });
      await loadAll(early);
      expect((await early.options('&q=team%3Dweb'))[0]).toMatchObject({ cost: 30 });
      expect(await early.january(await early.metric([tag('team', 'web')], 'Web'))).toBe(30);
      expect((await early.options('&q=team%3Dweb'))[0]).toMatchObject({ collected_from: '2025-12-01' });
    });

    it('is previewed with the conflicts that saving would give', async () => {
      const story = await newStory();
      await loadAll(story);
      const id = await story.metric([tag('team', 'web')], 'Web');
      const saved = await story.call('POST', '/teams', { name: 'A', ownership: [namespace] }, story.admin);
      expect(saved).toMatchObject({ status: 200 });
      const conflictOf = (data: Preview) => data.conflicts;
      const body = { name: 'B', ownership: [tag('env', 'prod')] };
      const refused = await story.call('POST', '/teams', body, story.admin);
      expect(refused).toMatchObject({ status: 409 });
      const both = await story.preview([tag('env', 'prod'), namespace], { type: 'team' });
      expect(conflictOf(both.data)).toEqual([
        refused.error,
        'ownership[1]: Namespace shop of cluster prod is owned by team "A" already',
      ]);
      expect(refused.error).toContain('tag key "team" of aws is in use, by metric "Web"');
      const asMetric = await story.preview([tag('env', 'prod'), namespace]);
      expect(conflictOf(asMetric.data)).toEqual([refused.error.replace('ownership', 'scope.spend')]);
      // The metric itself can change its key, and nobody else uses it.
      const own = await story.preview([tag('env', 'prod')], { type: 'metric', id });
      expect(conflictOf(own.data)).toEqual([]);
      const other = await newStory();
      expect((await other.preview([tag('env', 'prod')], { type: 'metric', id })).data.conflicts).toEqual([]);
    });
    it('leaves out tags that identify, and keeps the dearest values of each key', async () => {
      const story = await newStory();
      const lines = Array.from({ length: 3000 }, (_, index) =>
        dayLine(DAY, (1 + (index % 150) / 1000).toString(), {
          Tags: JSON.stringify({ team: 'search', trace: `trace-${index}`, shop: `shop-${index % 150}` }),
        }),
      );
      await story.load(lines);
      // 3000 × 1 and 20 × (0 + … + 149) ÷ 1000
      expect(await story.options('&q=team%3D')).toMatchObject([{ name: 'aws / team=search', cost: 3223.5 }]);
      expect(await story.options('&q=trace')).toEqual([]);
      const shops = await story.options('&q=shop%3D');
      expect(shops).toHaveLength(100);
      expect(shops[0]).toMatchObject({ name: 'aws / shop=shop-149', cost: 22.98 });
    });

    it('leaves out all tags if most rows have their own, and keeps the services', async () => {
      const story = await newStory();
      const lines = Array.from({ length: 10_001 }, (_, index) =>
        dayLine(DAY, '0.01', {
          ...shop,
          ServiceName: 'Amazon S3',
          Tags: `{"team":"web","trace":"${index}"}`,
        }),
      );
      await story.load(lines);
      expect((await story.options()).map(({ name, cost }) => [name, cost])).toEqual([
        ['Shop', 100.01],
        ['Shop / Amazon S3', 100.01],
      ]);
    });

    it('costs the naive sums of random rows', async () => {
      const story = await newStory();
      const cents = new Map<string, number>();
      const lines = Array.from({ length: 400 }, () => {
        const [where, what, team] = [4, 6, 5].map((below) => Math.floor(Math.random() * below));
        const cost = Math.floor(Math.random() * 1000) - 100;
        for (const name of [`acc-${where}`, `acc-${where} / service-${what}`, `aws / team=team-${team}`])
          cents.set(name, (cents.get(name) ?? 0) + cost);
        return dayLine(DAY, (cost / 100).toString(), {
          SubAccountId: `acc-${where}`,
          SubAccountName: '',
          ServiceName: `service-${what}`,
          Tags: JSON.stringify({ team: `team-${team}` }),
        });
      });
      await story.load(lines);
      const found = (await story.options()).map(({ name, cost }): [string, number] => [
        name,
        Math.round((cost ?? 0) * 100),
      ]);
      expect(new Map(found)).toEqual(cents);
    });

    /** Writes an export as CSV, and as Parquet with the same rows. Returns the path in this format. */
    const exportAs = async (
      format: 'csv' | 'parquet',
      lines: readonly FocusLine[],
      tags = 'Tags',
    ): Promise<string> => {
      const [csv = ''] = await writeFiles(test, { 'bill.csv': focusCsv(lines) });
      const parquet = csv.replace('.csv', '.parquet');
      await test.warehouse.run(
        `COPY (SELECT * REPLACE (${tags} AS Tags) FROM read_csv('${csv}', all_varchar = true)) TO '${parquet}' (FORMAT parquet)`,
      );
      return format === 'csv' ? csv : parquet;
    };

    it.each(['csv', 'parquet'] as const)(
      'is what the newest complete month had, by BilledCost if its bill fell back, from %s',
      async (format) => {
        const story = await newStory();
        const s3 = { ...shop, ServiceName: 'Amazon S3', ...tagged('web') };
        const path = await exportAs(format, [
          dayLine('2025-12-30', '4', { ...shop, ServiceName: 'Amazon SQS' }),
          dayLine('2026-01-30', '0', { ...s3, BilledCost: '5' }),
          dayLine('2026-01-31', '0', { ...s3, BilledCost: '2.5' }),
          dayLine('2026-02-03', '9', { ...shop, ServiceName: 'Amazon EC2' }),
        ]);
        await loadPaths(test, story, [path]);
        expect((await story.options()).map(({ name, month, cost }) => [name, month, cost])).toEqual([
          ['Shop', '2026-01', 7.5],
          ['Shop / Amazon S3', '2026-01', 7.5],
          ['aws / team=web', '2026-01', 7.5],
          ['Shop / Amazon EC2', '2026-01', null], // of the running month
        ]);
      },
    );

    it.each([
      ['a map', `MAP {'team': 'web', 'n': '1'}`],
      ['a struct', `{'team': 'web', 'n': 1}`],
      ['a list', `[{'Key': 'team', 'Value': 'web'}, {'Key': 'n', 'Value': '1'}]`],
    ])('reads the tags of Parquet files as %s', async (_, tags) => {
      const story = await newStory();
      await loadPaths(test, story, [await exportAs('parquet', [dayLine(DAY, '2.5', { Tags: 'x' })], tags)]);
      expect((await story.options('&q=%3D')).map(({ name, cost }) => [name, cost])).toEqual([
        ['aws / n=1', 2.5],
        ['aws / team=web', 2.5],
      ]);
    });

    it('is without a list if tags are not UTF-8, and the cost is loaded', async () => {
      const story = await newStory();
      const text = focusCsv([dayLine(DAY, '2.5', { ServiceName: 'Amazon S3', Tags: '{"a":"café"}' })]);
      await loadPaths(test, story, await writeFiles(test, { 'bill.csv': Buffer.from(text, 'latin1') }));
      expect((await story.options()).map(({ cost, collected_from }) => [cost, collected_from])).toEqual([
        [2.5, 'always'],
      ]);
    });
  });

  it('is previewed: what picks cost together, and each of them alone', async () => {
    const story = await newStory('starter');
    await loadAll(story);
    const stored = async () =>
      Promise.all(
        ['scope_costs', 'scope_day_costs', 'spend_choice_versions', 'metric_versions'].map((table) =>
          test.warehouse.query(`SELECT count(*) AS n FROM ${table} WHERE org_id = $org`, {
            org: story.orgId,
          }),
        ),
      );
    const before = await stored();
    const counted = await story.preview([account('1111'), namespace, workload('api'), account('9999')]);
    expect(counted).toMatchObject({ status: 200 });
    expect(counted.data).toEqual({
      month: '2026-01',
      cost: 55,
      picks: [
        { pick: account('1111'), name: 'Shop', cost: 40, own: 40, collected_from: 'always' },
        { pick: namespace, name: 'prod / shop', cost: 15, own: 3, collected_from: 'always' },
        {
          pick: workload('api'),
          name: 'prod / shop / deployment/api',
          cost: 12,
          own: 0,
          collected_from: 'always',
        },
        { pick: account('9999'), name: '9999', cost: 0, own: 0, collected_from: 'always' },
      ],
      overlap: 12,
      conflicts: [],
      notes: ['spend of cloud aws / 9999 has never been seen'],
    });
    // RDS is inside its account. The team is not collected, so that its overlap with the account is not known.
    const uncollected = await story.preview([
      ...[account('1111'), service('Amazon RDS'), tag('team', 'search'), tag('team', 'none')],
    ]);
    expect(uncollected.data).toMatchObject({
      cost: 55,
      picks: [
        { cost: 40, own: 40 },
        { cost: 30, own: 0, collected_from: null },
        { cost: 15, own: 15, collected_from: null },
        { cost: null, own: null, collected_from: null },
      ],
      overlap: 30,
      notes: [
        'service in account "1111" of aws is collected from 2026-02-07 on; earlier months are partial and cannot be locked',
        'tag key "team" of aws is collected from 2026-02-07 on; earlier months are partial and cannot be locked',
        "the cost of Shop / Amazon RDS is the bill's, because it is not collected in that month; its overlap with other picks is not known",
        "the cost of aws / team=search is the bill's, because it is not collected in that month; its overlap with other picks is not known",
        'the cost of aws / team=none is not known before it is collected',
      ],
    });
    expect(await stored()).toEqual(before);
    for (const wrong of [
      { spend: [] },
      { spend: [idleCluster] },
      { spend: [namespace], user: { type: 'key' } },
    ])
      expect(await story.call('POST', '/spend/preview', wrong)).toMatchObject({ status: 400 });
    expect(await story.preview([tag('a', 'b'), tag('c', 'd')])).toMatchObject({ status: 400 });
    const idle = await story.preview([idleCluster, namespace], { type: 'team' });
    expect(idle.data).toMatchObject({ cost: 25, overlap: 0 });
  });
});
