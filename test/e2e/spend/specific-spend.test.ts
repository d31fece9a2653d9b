import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { as, ingest, newOrganisation, type Api } from '../../support/service/api-client.ts';
import { expectData, expectError } from '../../support/service/envelope.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { readArrow } from '../../support/exports/arrow-table.ts';
import { withService } from '../../support/service/with-service.ts';
import { freeName } from '../../support/service/free-name.ts';

/**
 * Picks, breakdowns and months of metrics through the API, for a bill with three days each of December and January, and a cluster
 * on it. January, calculated by hand (USD):
 *
 *   account 1111: S3 10 (team search), RDS 30 (team web), node i-1 25, of cluster prod
 *   account 2222: S3 5 (team search)
 *   cluster prod: shop/api 12, shop/worker 3, 6 idle
 */
const settingsAt = (clock: string) => (dataDir: string) => ({
  CLOCK: clock,
  SOURCE_ROOTS: join(dataDir, 'exports'),
});
const service = withService(settingsAt('2026-01-01T06:00:00Z'));
let secret: string;
let admin: Api;
let bill: string;
let cluster: string;

const day = (month: string): string =>
  [
    dayLine(`${month}-10`, '10', { ServiceName: 'Amazon S3', Tags: '{"team":"search"}' }),
    dayLine(`${month}-11`, '30', { ServiceName: 'Amazon RDS', Tags: '{" team ":"web"}' }),
    dayLine(`${month}-28`, '25', {
      ServiceCategory: 'Compute',
      ServiceName: 'Amazon EC2',
      ResourceId: 'arn:aws:ec2:eu-west-1:1111:instance/i-1',
      Tags: '{"team":"web"}',
    }),
    dayLine(`${month}-28`, '5', {
      SubAccountId: '2222',
      SubAccountName: 'Search',
      ServiceName: 'Amazon S3',
      Tags: '{"team":"search"}',
    }),
  ]
    .map((line) => JSON.stringify(line))
    .join('\n');

const linesOf = (months: string[]) =>
  months.flatMap((month) =>
    day(month)
      .split('\n')
      .map((line) => JSON.parse(line) as ReturnType<typeof dayLine>),
  );

beforeAll(async () => {
  const exportsDir = join(service.dataDir, 'exports');
  const organisation = await newOrganisation(service);
  ({ secret, admin } = organisation);
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(exportsDir, name), text);
    return join(exportsDir, name);
  };
  const source = async (body: object): Promise<string> =>
    expectData(await admin.post<{ id: string }>('/cost-sources', { name: freeName('', 'Source'), ...body }))
      .id;
  const location = await file('bill.csv', focusCsv(linesOf(['2025-12', '2026-01'])));
  bill = await source({ kind: 'focus', location });
  await ingest(admin, bill);
  const allocations = ['2025-12', '2026-01'].map((month) =>
    [
      `${month}-28,shop,Deployment,api,12`,
      `${month}-28,shop,Deployment,worker,3`,
      `${month}-28,__idle__,,,6`,
    ].join('\n'),
  );
  cluster = await source({
    kind: 'opencost',
    location: await file(
      'allocations.csv',
      `Date,Namespace,ControllerKind,ControllerName,TotalCost\n${allocations.join('\n')}\n`,
    ),
    options: {
      cluster: 'prod',
      assets_location: await file(
        'assets.csv',
        'day,kind,provider_id,cost\n2025-12-28,Node,i-1,20\n2026-01-28,Node,i-1,20\n',
      ),
    },
  });
  await ingest(admin, cluster);
});

interface Metric {
  id: string;
  scope: object;
  warnings: string[];
  months: {
    month: string;
    cost: number | null;
    value: number | null;
    status: string;
    reason: string | null;
  }[];
}

const metric = (scope: object, more: object = {}) =>
  admin.post<Metric>('/metrics', {
    name: freeName('', 'Orders'),
    unit: 'order',
    aggregation: 'total',
    frequency: 'monthly',
    scope,
    ...more,
  });

async function monthOf(id: string, month: string) {
  const { months } = expectData(await admin.get<Metric>(`/metrics/${id}`));
  return months.find((record) => record.month === month);
}

const RANGE = 'start_date=2026-01-01&end_date=2026-01-31';

describe('specific spend', () => {
  let tagged: string;

  it('mixes picks, counts a dollar once, and leaves the cluster out of its account', async () => {
    const spend = [
      { source: 'cloud', cloud: 'AWS', account: '1111' },
      { source: 'kubernetes', cluster: 'prod', namespace: 'shop', workload: 'deployment/api' },
      { source: 'kubernetes', cluster: 'prod', namespace: 'shop' },
    ];
    const created = expectData(await metric({ type: 'spend', spend }));
    expect(created).toMatchObject({
      scope: { type: 'spend', spend: [{ ...spend[0], cloud: 'aws' }, spend[1], spend[2]] },
      warnings: [],
    });
    // December: 10 + 30 of the account, 12 + 3 of the cluster.
    expect(await monthOf(created.id, '2025-12')).toMatchObject({ cost: 55, status: 'open' });
  });

  it('by a tag begins with the first use of its key, and another key is rejected with the users of the first', async () => {
    const picked = (key: string, value: string) => ({
      type: 'spend',
      spend: [{ source: 'cloud', cloud: 'aws', tag: { key, value } }],
    });
    const first = expectData(await metric(picked('team', 'search'), { name: 'Searches' }));
    tagged = first.id;
    expect(first.warnings).toEqual([
      'tag key "team" of aws is collected from 2026-01-01 on; earlier months are partial and cannot be locked',
    ]);
    expectData(await metric(picked('team', 'web'), { name: 'Visits' }));
    expectError(
      await metric(picked('env', 'prod')),
      409,
      /tag key "team" of aws is in use, by metric "Searches", metric "Visits"/,
    );
  });

  it('of months before the first use is partial with a reason and cannot be locked, unlike later months', async () => {
    await service.stop();
    await service.start(settingsAt('2026-02-07T06:00:00Z')(service.dataDir));
    admin = as(service, secret);
    await ingest(admin, bill);
    await ingest(admin, cluster);
    expectData(
      await admin.post(`/metrics/${tagged}/values`, {
        values: [
          { period: '2025-12', value: 3 },
          { period: '2026-01', value: 3 },
        ],
      }),
    );
    expect(await monthOf(tagged, '2025-12')).toMatchObject({
      cost: null,
      value: 3,
      status: 'partial',
      reason:
        'tag key "team" of aws is collected from 2026-01-01 on: earlier days of 2025-12 have no such spend, and never will',
    });
    expectError(
      await admin.post(`/metrics/${tagged}/months/2025-12/lock`),
      409,
      /cannot be locked: tag key "team"/,
    );
    // January is open, because its last day is missing.
    expect(await monthOf(tagged, '2026-01')).toMatchObject({
      cost: 15,
      value: 3,
      unit_cost: 5,
      status: 'open',
    });
  });

  it('can be picked again, but its scope keeps its type', async () => {
    const spend = [{ source: 'host', host: 'db-1' }];
    const changed = expectData(await admin.patch<Metric>(`/metrics/${tagged}`, { scope: { spend } }));
    expect(changed).toMatchObject({
      scope: { type: 'spend', spend },
      warnings: ['spend of host db-1 has never been seen'],
    });
    // No host spend was ever delivered, so that the cost is unknown and not 0.
    expect(await monthOf(tagged, '2026-01')).toMatchObject({
      cost: null,
      reason: expect.stringContaining('no host spend has been ingested for 2026-01') as unknown,
    });
    expectError(
      await admin.patch(`/metrics/${tagged}`, { scope: { type: 'organisation' } }),
      400,
      /scope.type: expected "spend"/,
    );
  });

  it.each<[string, object, RegExp]>([
    ['no picks', [], /scope.spend: expected 1 to 1000 picks/],
    [
      'an unknown source',
      [{ source: 'moon' }],
      /scope.spend\[0\].*expected a source "kubernetes", "host", "cloud" or "repository"/,
    ],
    ['a cloud alone', [{ source: 'cloud', cloud: 'aws' }], /scope.spend\[0\]: expected an account/],
    [
      'a tag in an account',
      [{ source: 'cloud', cloud: 'aws', account: '1', tag: { key: 'a', value: 'b' } }],
      /scope.spend\[0\]: expected an account/,
    ],
    [
      'a service and a resource group',
      [{ source: 'cloud', cloud: 'aws', account: '1', service: 'a', resource_group: 'b' }],
      /scope.spend\[0\]: expected an account/,
    ],
    ['a control character', [{ source: 'host', host: 'a\u001fb' }], /host: expected a text without control/],
    ['an unknown field', [{ source: 'host', host: 'a', port: 1 }], /scope.spend\[0\].*port/],
    ['no namespace', [{ source: 'kubernetes', cluster: 'prod' }], /scope.spend\[0\].namespace/],
  ])('is rejected with %s', async (_, spend, words) => {
    expectError(await metric({ type: 'spend', spend }), 400, words);
  });
});

describe('the breakdown of costs', () => {
  interface Breakdown {
    success: true;
    data: Record<string, string | number | null>[];
    next_cursor: string | null;
    total: number;
    complete_through: string | null;
    reconciliation: object[];
  }
  const breakdown = async (query: string): Promise<Breakdown> => {
    const { status, body } = await admin.get(`/costs/breakdown?${RANGE}&${query}`);
    expect({ status, success: body.success }).toEqual({ status: 200, success: true });
    return body as unknown as Breakdown;
  };

  it('adds up to the total by every key, alone and with another', async () => {
    const keys = [
      'day',
      'month',
      'source',
      'cloud',
      'account',
      'service',
      'resource_group',
      'tag',
      'cluster',
    ].concat(['namespace', 'workload', 'host', 'host_service', 'repository', 'tool']);
    for (const key of keys) {
      for (const query of [key, `${key},${key === 'day' ? 'source' : 'day'}`]) {
        const { data, total } = await breakdown(`group_by=${query}`);
        expect(total).toBe(70);
        expect(data.reduce((sum, row) => sum + Number(row['total']), 0)).toBe(70);
      }
    }
  });

  it('shows each part, spend without a key, and clusters beside their bills', async () => {
    expect(await breakdown('group_by=tag')).toEqual({
      success: true,
      data: [
        { tag: 'web', tag_key: 'team', total: 30 },
        { tag: null, tag_key: null, total: 25 },
        { tag: 'search', tag_key: 'team', total: 15 },
      ],
      next_cursor: null,
      total: 70,
      complete_through: '2026-01-28',
      reconciliation: [
        {
          source: 'kubernetes',
          name: 'prod',
          reported: 21,
          billed: 25,
          outside_bills: 0,
          difference: 4,
          followed_days: 0,
          borrowed_days: 0,
          ambiguous_days: 0,
          unmatched_days: 0,
          unmatched: 0,
          notes: [],
        },
      ],
    });
    expect((await breakdown('group_by=namespace&group_by=workload')).data).toEqual([
      { namespace: null, workload: null, total: 55 },
      { namespace: 'shop', workload: 'deployment/api', total: 12 },
      { namespace: 'shop', workload: 'deployment/worker', total: 3 },
    ]);
    expect((await breakdown('group_by=account')).data).toEqual([
      { account: '1111', account_name: 'Shop', total: 40 },
      { account: null, account_name: null, total: 25 },
      { account: '2222', account_name: 'Search', total: 5 },
    ]);
  });

  it('has pages if a limit is set', async () => {
    const first = await breakdown('group_by=workload&limit=2');
    expect(first.data).toHaveLength(2);
    const second = await breakdown(`group_by=workload&limit=2&cursor=${first.next_cursor ?? ''}`);
    expect(second).toMatchObject({ data: [{ workload: 'deployment/worker', total: 3 }], next_cursor: null });
  });

  const fetched = (path: string, accept: string): Promise<Response> =>
    fetch(`${service.url}/api/v1${path}`, { headers: { 'x-api-key': secret, accept } });

  it('and the summary are available as CSV', async () => {
    const answer = await fetched(`/costs/breakdown?${RANGE}&group_by=account`, 'text/csv');
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(await answer.text()).toBe(
      'account,account_name,total\r\n1111,Shop,40\r\n,,25\r\n2222,Search,5\r\n',
    );
    const summary = await fetched(`/costs?${RANGE}`, 'text/csv');
    expect(await summary.text()).toBe(
      [
        'day,source,cloud,account,account_name,total',
        '2026-01-10,cloud,aws,1111,Shop,10',
        '2026-01-11,cloud,aws,1111,Shop,30',
        '2026-01-28,kubernetes,,,,25',
        '2026-01-28,cloud,aws,2222,Search,5',
        '',
      ].join('\r\n'),
    );
  });

  it('and the summary are available as an Arrow stream', async () => {
    const type = 'application/vnd.apache.arrow.stream';
    const answer = await fetched(`/costs/breakdown?${RANGE}&group_by=account`, type);
    expect(answer.headers.get('content-type')).toBe(type);
    const { rows } = readArrow(await answer.arrayBuffer());
    expect(rows.map((row) => ({ ...row, total: Number(row['total']) }))).toEqual([
      { account: '1111', account_name: 'Shop', total: 40 },
      { account: null, account_name: null, total: 25 },
      { account: '2222', account_name: 'Search', total: 5 },
    ]);
    const summary = readArrow(await (await fetched(`/costs?${RANGE}`, type)).arrayBuffer());
    expect(summary.rows).toHaveLength(4);
  });

  it.each<[string, RegExp]>([
    ['', /group_by.*: expected one or two of day, month/],
    ['group_by=moon', /group_by\[0\]: expected one or two of .*, got "moon"$/],
    ['group_by=day,moon', /group_by\[1\]: .*, got "day,moon"$/],
    ['group_by=day,day', /group_by: expected each key once/],
    ['group_by=day,source,cloud', /group_by: expected one or two of/],
    ['group_by=day&cursor=x', /cursor: expected the next_cursor/],
  ])('is rejected for "%s"', async (query, words) => {
    expectError(await admin.get(`/costs/breakdown?${RANGE}&${query}`), 400, words);
  });
});
