import dns from 'node:dns';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ingestSource } from '../../../activities/sources/ingest-source.ts';
import { openCostApi } from '../../../activities/sources/opencost-api.ts';
import { isApiLocation } from '../../../warehouse/sources/file-locations.ts';
import type { Day } from '../../../domain/shared/calendar.ts';
import { parsePrivateTargets } from '../../../egress/requests/private-targets.ts';
import type { OptionsOf } from '../../../domain/sources/kind-options.ts';
import { storedDoubts } from '../../../warehouse/sources/doubts.ts';
import type { LoadScope } from '../../../warehouse/sources/publishing/load.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import {
  allocation,
  node,
  startFakeOpenCost,
  type FakeCluster,
  type FakeOpenCost,
  type OtherAnswer,
} from '../../support/fakes/fake-opencost.ts';
import {
  currentLoads,
  currentRows,
  ingestOf,
  loading,
  newTenant,
  type Tenant,
} from '../../support/warehouse/feeds.ts';
import { listenLocally } from '../../support/fakes/file-server.ts';
import { money, writeFiles } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

/** Clusters from the API of OpenCost or Kubecost. */
const TARGETS = parsePrivateTargets('127.0.0.1');
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(closers.splice(0).map((close) => close()));
});

async function start(cluster: Partial<FakeCluster> = {}, prefix = ''): Promise<FakeOpenCost> {
  const fake = await startFakeOpenCost({ allocations: {}, assets: {}, ...cluster }, prefix);
  closers.push(() => fake.close());
  return fake;
}
const api = (location: string, targets = TARGETS, more: object = {}) =>
  openCostApi(location, { privateTargets: targets, signal: new AbortController().signal, ...more });

const DAY = '2026-02-06';
const WINDOW = 'window=2026-02-06T00:00:00Z,2026-02-07T00:00:00Z';
const ASKED = `${WINDOW}&aggregate=cluster,namespace,controllerKind,controller&accumulate=true`;
const KUBECOST = '&idle=false&shareTenancyCosts=false&external=false';
const pathsOf = (fake: FakeOpenCost): string[] => fake.requests.map(({ path }) => path);

describe('requests to an API', () => {
  it('ask for one UTC day each', async () => {
    const fake = await start();
    const { allocations, assets } = api(fake.url);
    await allocations(DAY);
    await assets(DAY);
    await allocations('2026-02-28');
    expect(pathsOf(fake)).toEqual([
      `/allocation?${ASKED}`,
      `/assets?${WINDOW}`,
      '/allocation?window=2026-02-28T00:00:00Z,2026-03-01T00:00:00Z&aggregate=cluster,namespace,controllerKind,controller&accumulate=true',
    ]);
  });

  it('keep the path and the query of the base URL', async () => {
    const fake = await start({}, '/opencost/api');
    await api(`${fake.url}/opencost/api/?tenant=a`).allocations(DAY);
    expect(pathsOf(fake)).toEqual([`/opencost/api/allocation?tenant=a&${ASKED}`]);
  });

  it('have Kubecost’s form below /model', async () => {
    const fake = await start({}, '/model');
    const { allocations, assets } = api(`${fake.url}/model/`);
    await allocations(DAY);
    await assets(DAY);
    expect(pathsOf(fake)).toEqual([`/model/allocation?${ASKED}${KUBECOST}`, `/model/assets?${WINDOW}`]);
  });

  it.each([
    ['has no /allocation but a /model/allocation', undefined],
    ['returns its web page for any other path', { status: 200, body: '<!doctype html><html></html>' }],
  ])('find Kubecost by themselves if the host %s', async (_how, page) => {
    const fake = await start(
      { allocations: { [DAY]: [allocation(['c', 'n', 'deployment', 'd'], 1)] } },
      '/model',
    );
    fake.instead = (url): OtherAnswer | undefined => (url.pathname.startsWith('/model') ? undefined : page);
    const { allocations, assets } = api(fake.url);
    expect((await allocations(DAY)).rows).toHaveLength(1);
    await assets(DAY);
    await allocations(DAY);
    expect(pathsOf(fake)).toEqual([
      `/allocation?${ASKED}`,
      `/model/allocation?${ASKED}${KUBECOST}`,
      `/model/assets?${WINDOW}`,
      `/model/allocation?${ASKED}${KUBECOST}`,
    ]);
  });

  it('are made only for locations that are not files', () => {
    expect(isApiLocation('http://opencost:9003')).toBe(true);
    expect(isApiLocation('HTTPS://kubecost.example/model')).toBe(true);
    for (const files of [
      'https://example.com/a.csv?sig=1',
      'http://h/a.csv.gz',
      'http://h/a.PARQUET',
      's3://b/k',
      '/exports',
      'a/*.csv',
    ])
      expect(isApiLocation(files)).toBe(false);
  });
});

describe('an answer of an API', () => {
  const answer = async (body: unknown, status = 200, headers: Record<string, string> = {}) => {
    const fake = await start();
    fake.instead = () => ({ status, body: typeof body === 'string' ? body : JSON.stringify(body), headers });
    return api(fake.url);
  };

  it.each([
    ['an empty set', { code: 200, data: [{}] }],
    ['no set', { code: 200, data: [] }],
    ['a null set', { code: 200, data: [null] }],
    ['null', { code: 200, data: null }],
    ['an empty object', { code: 200, data: {} }],
    ['nothing at all', {}],
  ])('for an empty day may be %s', async (_what, body) => {
    const empty = await answer(body);
    expect(await empty.allocations(DAY)).toMatchObject({ rows: [], leftOut: 0 });
    expect(await empty.assets(DAY)).toMatchObject({ rows: [], leftOut: 0 });
  });

  it('may have several sets, null numbers, null items and missing properties', async () => {
    const { allocations } = await answer({
      code: 200,
      data: [
        allocation(['prod', 'shop', 'deployment', 'api'], 0.1, { sharedCost: null, externalCost: 1e-7 }),
        { 'prod/__idle__': { totalCost: 5e-324 }, gone: null },
        {
          'arn:aws:eks:eu-1:1:cluster/blue/shop/daemonset/daemonset:log': {
            properties: null,
            totalCost: null,
          },
        },
        {
          '__unmounted__/__unmounted__/__unallocated__/__unallocated__': {
            properties: { cluster: '' },
            totalCost: 2,
          },
        },
      ],
    });
    const row = {
      cluster: 'prod',
      namespace: null,
      controllerKind: null,
      controller: null,
      sharedCost: null,
      externalCost: null,
    };
    const { rows, leftOut } = await allocations(DAY);
    expect(leftOut).toBe(1);
    expect(rows).toEqual([
      {
        name: 'prod/shop/deployment/deployment:api',
        cluster: 'prod',
        namespace: 'shop',
        controllerKind: 'deployment',
        controller: 'api',
        totalCost: '0.1',
        sharedCost: null,
        externalCost: '1e-7',
      },
      { ...row, name: 'prod/__idle__', totalCost: '5e-324' },
      {
        ...row,
        name: 'arn:aws:eks:eu-1:1:cluster/blue/shop/daemonset/daemonset:log',
        cluster: 'arn:aws:eks:eu-1:1:cluster/blue',
        namespace: 'shop',
        controllerKind: 'daemonset',
        controller: 'log',
        totalCost: null,
      },
      {
        ...row,
        name: '__unmounted__/__unmounted__/__unallocated__/__unallocated__',
        cluster: null,
        namespace: '__unmounted__',
        controllerKind: '__unallocated__',
        controller: '__unallocated__',
        totalCost: '2',
      },
    ]);
  });

  it.each([
    ['one object', (set: object) => set],
    ['a list, one per step', (set: object) => [set, null, node('prod', 'i-2', 2)]],
  ])('lists assets as %s, and counts kinds that no bill has as left out', async (_shape, shape) => {
    const { assets } = await answer({
      code: 200,
      data: shape({
        ...node('prod', 'i-1', 1.5),
        disk: { type: 'Disk', properties: { providerID: 'pvc-1' }, totalCost: 0.25 },
        fee: { type: 'ClusterManagement', properties: {}, totalCost: null },
        net: { type: 'Network', properties: {}, totalCost: 9 },
        gone: null,
      }),
    });
    const answered = await assets(DAY);
    expect(answered?.leftOut).toBe(2);
    expect(answered?.rows.slice(0, 3)).toEqual([
      { kind: 'Node', cluster: 'prod', providerId: 'i-1', project: 'acme', totalCost: '1.5' },
      { kind: 'Disk', cluster: null, providerId: 'pvc-1', project: null, totalCost: '0.25' },
      { kind: 'ClusterManagement', cluster: null, providerId: null, project: null, totalCost: null },
    ]);
  });

  it('has null for assets if the API has no /assets', async () => {
    const fake = await start({ assets: null });
    expect(await api(fake.url).assets(DAY)).toBeNull();
  });

  const location = 'location: http://127.0.0.1:\\d+/allocation';
  it.each([
    [
      'a plain text',
      `Invalid 'window' parameter: x\n`,
      400,
      `${location} answered 400: "Invalid 'window' parameter: x"`,
    ],
    [
      'a plain text with status 200',
      'no data',
      200,
      `${location} does not answer like OpenCost: .* got "no data"; is it the base URL`,
    ],
    ['a refusal', { message: 'who?' }, 401, `${location} answered 401`],
    [
      'a refusal by code',
      { code: 400, data: null, message: 'bad window' },
      200,
      `${location} answered code 400: "bad window"`,
    ],
    ['no code', { data: [{}] }, 200, `${location} does not answer like OpenCost`],
    ['no such path', '404 page not found', 404, `${location} answered 404`],
    ['no such method', 'Unsupported method', 501, `${location} answered 501: "Unsupported method"`],
    ['no such version of HTTP', '', 505, `${location} answered 505`],
    [
      'no such method by code',
      { code: 501, data: null, message: 'no' },
      200,
      `${location} answered code 501`,
    ],
    [
      'a number as text',
      { code: 200, data: [{ a: { totalCost: '1' } }] },
      200,
      `${location} does not answer like OpenCost: data\\.0\\.a\\.totalCost: `,
    ],
    [
      'invalid sets',
      { code: 200, data: ['x'] },
      200,
      `${location} does not answer like OpenCost: data\\.0: `,
    ],
  ])('that is %s fails the load without a retry', async (_what, body, status, message) => {
    const { allocations } = await answer(body, status);
    await expect(allocations(DAY)).rejects.toMatchObject({ kind: 'invalid' });
    await expect(allocations(DAY)).rejects.toThrow(new RegExp(`^${message}`));
  });

  it.each([
    ['a server error', 'boom', 503, /answered 503: "boom"$/],
    [
      'a server error by code',
      { code: 500, data: null, message: 'prometheus is away' },
      200,
      /code 500: "prometheus is away"$/,
    ],
    ['too many requests', '', 429, /answered 429/],
  ])('that is %s may be requested again', async (_what, body, status, message) => {
    const { allocations } = await answer(body, status);
    const error: unknown = await allocations(DAY).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toHaveProperty('kind');
    expect(String(error)).toMatch(message);
  });

  it('is not followed if it redirects', async () => {
    const other = await start();
    const { allocations } = await answer('', 302, { location: `${other.url}/allocation` });
    await expect(allocations(DAY)).rejects.toThrow(/answered 302, a redirect, which is not followed/);
    expect(other.requests).toEqual([]);
  });

  it('fails if it never ends, is too long, or does not arrive', async () => {
    const slow = await listenLocally((_request, response) => {
      response.write('{');
    });
    closers.push(() => slow.close());
    await expect(api(slow.url, TARGETS, { timeoutMs: 100 }).allocations(DAY)).rejects.toThrow(
      /did not answer within 0\.1 s/,
    );
    const fake = await start();
    fake.instead = () => ({ status: 200, body: 'x'.repeat(2000) });
    await expect(api(fake.url, TARGETS, { mostBytes: 1000 }).allocations(DAY)).rejects.toThrow(
      /more than 1000 bytes/,
    );
    await fake.close();
    await expect(api(fake.url).allocations(DAY)).rejects.toThrow(
      /^127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)$/,
    );
  });

  it('comes only from allowed targets, at the address that was checked', async () => {
    const fake = await start();
    await expect(api(fake.url, parsePrivateTargets('')).allocations(DAY)).rejects.toThrow(
      /^location: .*PRIVATE_TARGETS/,
    );
    const { port } = new URL(fake.url);
    // The name resolves to the server, but the check got another address. The request must go to the checked one.
    vi.spyOn(dns.promises, 'lookup').mockImplementation((async () => [
      { address: '127.0.0.2', family: 4 },
    ]) as unknown as typeof dns.promises.lookup);
    await expect(
      api(`http://localhost:${port}`, parsePrivateTargets('127.0.0.2')).allocations(DAY),
    ).rejects.toThrow(/cannot be reached/);
    expect(fake.requests).toEqual([]);
  });

  it('is no longer awaited once the attempt is aborted', async () => {
    const attempt = new AbortController();
    const slow = await listenLocally(() => {
      attempt.abort(new Error('given up'));
    });
    closers.push(() => slow.close());
    const asked = api(slow.url, TARGETS, { signal: attempt.signal }).allocations(DAY);
    await expect(asked).rejects.toThrow();
    expect(attempt.signal.aborted).toBe(true);
  });
});

describeOnBothEngines('the load of an API', (open, onDuckDb) => {
  const test = withOpened(open);

  const NOW = new Date('2026-02-07T06:00:00Z');
  const load = (
    tenant: Tenant,
    location: string,
    {
      options = {},
      signal = new AbortController().signal,
      report = () => undefined,
      ...changes
    }: Partial<LoadScope> & {
      options?: OptionsOf<'opencost'>;
      signal?: AbortSignal;
      report?: (rows: number) => void;
    } = {},
  ) =>
    loading(test, (sessions) =>
      ingestSource(
        {
          id: tenant.sourceId,
          name: 'Cluster',
          kind: 'opencost',
          location,
          currency: null,
          schedule_paused: false,
          starts_on: null,
          credential: null,
          options,
        },
        {
          ...ingestOf(test, sessions, tenant, { now: NOW, ...changes }),
          rules: { roots: [test.directory], privateTargets: TARGETS },
          attempt: { refuseStale: () => undefined, signal, report },
        },
      ),
    );
  const allocations = ({ orgId }: Tenant) =>
    currentRows<{ day: Day; workload: string | null; cost: string }>(
      test,
      orgId,
      'kubernetes_spend',
      'day, cluster, namespace, workload, is_idle, cost',
    );
  const costs = async (tenant: Tenant) =>
    (await allocations(tenant)).map(
      ({ day, workload, cost }) => `${day} ${workload ?? 'idle'} ${Number(cost)}`,
    );
  const assets = async ({ orgId }: Tenant) =>
    (
      await currentRows<Record<string, string>>(
        test,
        orgId,
        'cluster_assets',
        'day, kind, provider_id, project, cost',
      )
    ).map((row) => Object.values(row).join(' '));

  const day = (cost: number) => [
    {
      ...allocation(['prod', 'shop', 'deployment', 'api'], cost, { sharedCost: 0.25, externalCost: 0.5 }),
      ...allocation(['prod', 'shop', '', ''], 0.1),
      ...allocation(['prod', '__unmounted__', '', ''], 0.2),
      'prod/__idle__': { name: 'prod/__idle__', properties: { cluster: 'prod' }, totalCost: 3 },
      __shared__: { name: '__shared__', totalCost: 7 },
      'prod/__external__/x/y': { name: 'prod/__external__/x/y', totalCost: 7 },
    },
  ];

  it('stores workloads, idle capacity and assets, and changes nothing if repeated', async () => {
    const tenant = await newTenant(test, 'opencost');
    const fake = await start({
      allocations: { '2026-01-31': day(1.75), '2026-02-06': day(2.75) },
      assets: {
        '2026-01-31': node('prod', 'i-1', 4),
        '2026-02-06': [
          node('prod', 'i-1', 4),
          { ...node('prod', 'i-1', 1), net: { type: 'Network', totalCost: 9 }, gone: null },
        ],
      },
    });
    const reported: number[] = [];
    const result = await load(tenant, fake.url, { report: (rows) => reported.push(rows) });
    expect(result).toMatchObject({
      months: ['2026-01', '2026-02'],
      rowsRead: 2 * 6 + 5,
      rowsRejected: 0,
      // Shared and external cost of two days, the network cost, and the null item.
      rowsLeftOut: 2 * 2 + 2,
      rejectedSamples: [],
      // (1 + 0.1 + 0.2 + 3) + (2 + 0.1 + 0.2 + 3)
      costTotal: money('9.6'),
      notes: [
        'the API returned no allocations for 369 of the 371 days from 2025-02-01 to 2026-02-06; what was loaded for them before stays',
      ],
    });
    expect(await allocations(tenant)).toEqual(
      [
        ['2026-01-31', '__unmounted__', '__unallocated__', '0.2'],
        ['2026-01-31', 'shop', '__unallocated__', '0.1'],
        ['2026-01-31', 'shop', 'deployment/api', '1'],
        ['2026-01-31', null, null, '3'],
        ['2026-02-06', '__unmounted__', '__unallocated__', '0.2'],
        ['2026-02-06', 'shop', '__unallocated__', '0.1'],
        ['2026-02-06', 'shop', 'deployment/api', '2'],
        ['2026-02-06', null, null, '3'],
      ].map(([on, namespace, workload, cost]) => ({
        day: on,
        cluster: 'prod',
        namespace,
        workload,
        is_idle: namespace === null,
        cost: money(cost ?? ''),
      })),
    );
    expect(await assets(tenant)).toEqual([
      `2026-01-31 node i-1 acme ${money('4')}`,
      `2026-02-06 node i-1 acme ${money('5')}`,
    ]);
    expect(reported.length).toBe(371);
    expect(reported.at(-1)).toBe(17);
    expect(await currentLoads(test, tenant.orgId)).toMatchObject([
      { billing_period: '2026-01-01', rows_read: '4', delivered_through: '2026-01-31' },
      { billing_period: '2026-02-01', rows_read: '4', delivered_through: '2026-02-06' },
    ]);
    const before = [await allocations(tenant), await assets(tenant)];
    await load(tenant, fake.url);
    expect([await allocations(tenant), await assets(tenant)]).toEqual(before);
  });

  it('requests missing and recent days, and keeps days that the API no longer has', async () => {
    const tenant = await newTenant(test, 'opencost');
    const one = (cost: number) => [allocation(['prod', 'shop', 'deployment', 'api'], cost)];
    const fake = await start({
      allocations: { '2026-01-30': one(1), '2026-01-31': one(2), '2026-02-01': one(3), '2026-02-02': one(4) },
      assets: { '2026-01-31': node('prod', 'i-1', 8), '2026-02-01': node('prod', 'i-1', 9) },
    });
    await load(tenant, fake.url, { now: new Date('2026-02-03T06:00:00Z') });
    expect(await costs(tenant)).toHaveLength(4);
    // Three days later the API no longer has the first two days. It has restated the third, and has a new one.
    fake.requests.length = 0;
    fake.cluster = {
      allocations: { '2026-02-01': one(30), '2026-02-02': [{}], '2026-02-05': one(5) },
      assets: { '2026-02-05': node('prod', 'i-1', 10) },
    };
    const result = await load(tenant, fake.url, { now: new Date('2026-02-06T06:00:00Z') });
    expect(pathsOf(fake).filter((path) => path.startsWith('/allocation'))).toHaveLength(6); // 31 January to 5 February
    expect(result).toMatchObject({ months: ['2026-02'], rowsRead: 3, costTotal: money('39') });
    expect(await costs(tenant)).toEqual([
      '2026-01-30 deployment/api 1',
      '2026-01-31 deployment/api 2',
      '2026-02-01 deployment/api 30',
      '2026-02-02 deployment/api 4',
      '2026-02-05 deployment/api 5',
    ]);
    expect(await assets(tenant)).toEqual([
      `2026-01-31 node i-1 acme ${money('8')}`,
      `2026-02-01 node i-1 acme ${money('9')}`,
      `2026-02-05 node i-1 acme ${money('10')}`,
    ]);
    // A month that the run names, and that the API no longer has.
    const january = { startMonth: '2026-01', endMonth: '2026-01' };
    const again = await load(tenant, fake.url, january);
    expect(again).toMatchObject({
      months: [],
      notes: [
        'the API returned no allocations for any day from 2026-01-01 to 2026-01-31: nothing was loaded',
      ],
    });
    expect(await costs(tenant)).toHaveLength(5);
  });

  it('keeps the doubt about a day without an amount until it gets the day again', async () => {
    const tenant = await newTenant(test, 'opencost');
    const of = (cost: number | null) => [
      ...Array.from({ length: 150 }, (_, at) => allocation(['prod', 'shop', 'deployment', `api-${at}`], 1)),
      allocation(['prod', 'shop', 'deployment', 'web'], cost),
    ];
    const doubts = async () => {
      const range = { org: tenant.orgId, first: '2026-01-01', last: '2026-02-01' };
      const found = await test.warehouse.session((session) => storedDoubts(session, range, null));
      return [...found].map(([month, [doubt]]) => `${month.slice(0, 7)} ${doubt?.code}: ${doubt?.sentence}`);
    };
    const fake = await start({ allocations: { '2026-02-01': of(null), '2026-02-02': of(7) } });
    await load(tenant, fake.url, { now: new Date('2026-02-03T06:00:00Z') });
    const doubt = [
      expect.stringMatching(
        /^2026-02 rejected_rows: .* has 1 rejected row in 2026-02, such as TotalCost: expected a decimal number, got nothing$/,
      ),
    ];
    expect(await doubts()).toEqual(doubt);
    // The next run asks for the last days only, and a later API no longer has the first.
    fake.cluster = { allocations: { '2026-02-02': of(7), '2026-02-05': of(7) }, assets: {} };
    await load(tenant, fake.url, { now: new Date('2026-02-06T06:00:00Z') });
    expect(await doubts()).toEqual(doubt);
    fake.cluster = { allocations: { '2026-02-01': of(8), '2026-02-05': of(7) }, assets: {} };
    await load(tenant, fake.url, { startMonth: '2026-02', now: new Date('2026-02-06T06:00:00Z') });
    expect(await doubts()).toEqual([]);
  });

  it('loads nothing, with a note, if the API has no days or the month has not begun', async () => {
    const tenant = await newTenant(test, 'opencost');
    const fake = await start();
    expect(await load(tenant, fake.url, { startMonth: '2026-02' })).toMatchObject({
      months: [],
      rowsRead: 0,
      rowsRejected: 0,
      rowsLeftOut: 0,
      rejectedSamples: [],
      costTotal: '0',
      notes: [
        'the API returned no allocations for any day from 2026-02-01 to 2026-02-06: nothing was loaded',
      ],
    });
    fake.requests.length = 0;
    expect(await load(tenant, fake.url, { startMonth: '2026-03' })).toMatchObject({
      notes: ['no day of these months has ended yet, so the API was not called'],
    });
    expect(fake.requests).toEqual([]);
    expect(await currentLoads(test, tenant.orgId)).toEqual([]);
  });

  onDuckDb(() => {
    it('reads assets from a file if one is named, and notes an API without assets', async () => {
      const fake = await start({ allocations: { [DAY]: day(1.75) }, assets: null });
      const month = { startMonth: '2026-02' };
      const without = await newTenant(test, 'opencost');
      const { notes } = await load(without, fake.url, month);
      expect(notes.join()).toMatch(/the API has no \/assets.*set options\.assets_location/);
      expect(pathsOf(fake).filter((path) => path.startsWith('/assets'))).toHaveLength(1);
      const [file = ''] = await writeFiles(test, {
        'assets.csv': `day,cluster,kind,provider_id,cost\n${DAY},prod,node,i-9,2\n2026-01-31,prod,node,i-9,2\n`,
      });
      fake.requests.length = 0;
      const tenant = await newTenant(test, 'opencost');
      await load(tenant, fake.url, { ...month, options: { assets_location: file } });
      // January's last day is loaded too, because February can borrow its assets.
      expect(await assets(tenant)).toEqual(['2026-01-31', DAY].map((of) => `${of} node i-9  ${money('2')}`));
      expect(pathsOf(fake).filter((path) => path.startsWith('/assets'))).toEqual([]);
    });

    it('takes the cluster from the options if the API names none, and fails without both', async () => {
      const fake = await start({
        allocations: {
          [DAY]: [
            {
              'shop/deployment': { properties: { namespace: 'shop' }, totalCost: 1 },
              __idle__: { totalCost: 2 },
            },
          ],
        },
        assets: { [DAY]: { a: { type: 'Node', properties: { providerID: 'i-1' }, totalCost: 3 } } },
      });
      const tenant = await newTenant(test, 'opencost');
      await expect(load(tenant, fake.url, { startMonth: '2026-02' })).rejects.toThrow(
        /1 rows name no cluster: set options\.cluster/,
      );
      expect(
        await load(tenant, fake.url, { startMonth: '2026-02', options: { cluster: 'prod' } }),
      ).toMatchObject({ rowsRead: 3 });
    });

    it('counts costs that are not numbers as rejected, and fails if they are too many', async () => {
      const many = Array.from({ length: 100 }, (_, index) =>
        allocation(['prod', 'shop', 'deployment', `d${index}`], index === 7 ? null : 1),
      );
      const fake = await start({ allocations: { [DAY]: many } });
      const tenant = await newTenant(test, 'opencost');
      expect(await load(tenant, fake.url, { startMonth: '2026-02' })).toMatchObject({
        rowsRead: 100,
        rowsRejected: 1,
        costTotal: money('99'),
        rejectedSamples: [
          {
            problem: 'TotalCost: expected a decimal number, got nothing',
            file: `/allocation of ${DAY}`,
            rows: 1,
          },
        ],
      });
      fake.cluster.allocations[DAY] = many.slice(0, 50);
      await expect(load(tenant, fake.url, { startMonth: '2026-02' })).rejects.toThrow(
        /^1 of 50 rows cannot be read/,
      );
      expect(await costs(tenant)).toHaveLength(99);
    });
  });

  it('changes nothing if the API fails halfway, and stops once the attempt is aborted', async () => {
    const tenant = await newTenant(test, 'opencost');
    const fake = await start({ allocations: { '2026-02-01': day(1.75) } });
    fake.instead = (url) =>
      url.search.includes('2026-02-03T00:00:00Z,') ? { status: 502, body: 'bad gateway' } : undefined;
    await expect(load(tenant, fake.url, { startMonth: '2026-02' })).rejects.toThrow(/answered 502/);
    expect(await currentLoads(test, tenant.orgId)).toEqual([]);
    fake.instead = null;
    fake.requests.length = 0;
    const attempt = new AbortController();
    const report = (): void => {
      attempt.abort();
    };
    await expect(
      load(tenant, fake.url, { startMonth: '2026-02', signal: attempt.signal, report }),
    ).rejects.toThrow();
    expect(fake.requests).toHaveLength(2); // the allocations and assets of one day
    expect(await currentLoads(test, tenant.orgId)).toEqual([]);
  });
});
