import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { create, createMetric, SALES as REVENUE } from '../../support/service/create.ts';
import { as, asOperator, ingest, newOrganisation, type Api } from '../../support/service/api-client.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { anyText } from '../../support/service/matchers.ts';
import { bodyType, pathOf, ROUTES } from '../../support/service/routes.ts';
import { sharedService, type SharedService } from '../../support/service/shared-service.ts';

/**
 * Revenue and its privacy. It is 7 February 2026. Numbers are calculated by hand.
 *
 * Cost (USD):  2025-12  200     Revenue:  2025-12  1,000.10 − 0.10           = 1,000
 *              2026-01  400               2026-01  1,234.56789 − 234.56789   = 1,000
 */

let service: SharedService;
let organisation: { id: string; secret: string; admin: Api };
let admin: Api;
let sales: string;

const VALUES = [
  { period: '2025-12-01', value: 1_000.1 },
  { period: '2025-12-24', value: -0.1 },
  { period: '2026-01-05', value: 1_234.56789 },
  { period: '2026-01-31', value: -234.56789 },
];

const SALES = { ...REVENUE, target: 30 };

interface Month {
  month: string;
  value: number | null;
  status: string;
}

interface AuditRecord {
  actor: { id: string };
  action: string;
  target: string;
  detail: Record<string, unknown>;
}

async function keyOf(permission: string, through: Api = admin): Promise<Api> {
  const { secret } = expectData(
    await through.post<{ secret: string }>('/keys', { name: permission, permission }),
  );
  return as(service, secret);
}

async function withSales(tier = 'business'): Promise<{ id: string; admin: Api; sales: string }> {
  const { id, admin: caller } = await newOrganisation(service, { tier });
  return { id, admin: caller, sales: await createMetric(caller, SALES) };
}

async function monthsOf(metric = sales): Promise<Map<string, Month>> {
  const months = expectData(await admin.get<Month[]>(`/metrics/${metric}/months`));
  return new Map(months.map((month) => [month.month, month]));
}

const auditLog = async (caller: Api): Promise<AuditRecord[]> =>
  expectPage(await caller.get<AuditRecord[]>('/audit-log?limit=1000')).items;

async function addSpend(caller: Api): Promise<void> {
  const file = join(service.exportsDir, 'aws.csv');
  await writeFile(
    file,
    focusCsv([
      dayLine('2025-12-01', '150'),
      dayLine('2025-12-31', '50'),
      dayLine('2026-01-01', '300'),
      dayLine('2026-01-31', '100'),
      dayLine('2026-02-04', '30'),
    ]),
  );
  const source = { name: 'AWS', kind: 'focus', location: file };
  const id = await create(caller, '/cost-sources', source);
  expect(await ingest(caller, id)).toMatchObject({ status: 'completed' });
}

/** The paths of what the walk over all routes needs until its end. */
const OWNED = ['/metrics/{id}', '/keys/{id}'];

beforeAll(async () => {
  service = await sharedService();
  organisation = await newOrganisation(service, { tier: 'business' });
  ({ admin } = organisation);
  await addSpend(admin);
  sales = await createMetric(admin, SALES);
});

describe('a revenue metric', () => {
  it('has the currency of the organisation’s costs, no labels and no rule for rises', async () => {
    const refused = [
      [{ currency: 'EUR' }, 'currency: expected "USD", the currency of the organisation’s costs, got "EUR"'],
      [{ currency: undefined }, 'currency: expected "USD", .* got nothing'],
      [{ label_key: 'region' }, 'label_key: expected null, or nothing, on a revenue metric, got "region"'],
      [{ rise: { percent: 20, deviations: 4 } }, 'rise: expected null, or nothing, on a revenue metric'],
      [{ kind: 'count' }, 'currency: expected none on a count metric, got "USD"'],
    ] as const;
    for (const [change, message] of refused)
      expectError(
        await admin.post('/metrics', { ...SALES, name: 'Other', ...change }),
        400,
        new RegExp(message),
      );
    expectError(await admin.patch(`/metrics/${sales}`, { label_key: 'region' }), 400, /label_key/);
    expectError(await admin.patch(`/metrics/${sales}`, { currency: 'EUR' }), 400, /currency/);
    expect(expectData(await admin.get(`/metrics/${sales}`))).toMatchObject({
      ...SALES,
      label_key: null,
      rise: null,
      assistant_access: false,
    });
  });

  it('takes negative days, and answers writes with counts only', async () => {
    const ingestKey = await keyOf('metrics:ingest');
    const written = expectData(await ingestKey.post(`/metrics/${sales}/values`, { values: VALUES }));
    expect(written).toEqual({
      created: 4,
      replaced: 0,
      unchanged: 0,
      rounded: 0,
      months: ['2025-12', '2026-01'],
    });
    // The same number in another notation is no change.
    const again = [...VALUES.slice(0, 3), { period: '2026-01-31', value: -2.3456789e2 }];
    const repeated = expectData(await ingestKey.post(`/metrics/${sales}/values`, { values: again }));
    expect(repeated).toEqual({ created: 0, replaced: 0, unchanged: 4, rounded: 0, months: [] });
  });

  it('refuses values that are no amount, without repeating them', async () => {
    const wrong = [
      [1e16, /values\[0\]\.value: expected a number from -1e15 to 1e15$/],
      [-1e16, /expected a number from -1e15 to 1e15$/],
    ] as const;
    for (const [value, message] of wrong)
      expectError(
        await admin.post(`/metrics/${sales}/values`, { values: [{ period: '2026-01-02', value }] }),
        400,
        message,
      );
    const csv = await admin.send('POST', `/metrics/${sales}/values/csv`, {
      headers: { 'content-type': 'text/csv' },
      body: '2026-01-02,77123.5,3\n',
    });
    expect(expectError(csv, 400, /line 1: expected 2 columns/)).not.toContain('77123');
    const twice = await admin.send('POST', `/metrics/${sales}/values/csv`, {
      headers: { 'content-type': 'text/csv' },
      body: '2026-01-02,77123.5\n2026-01-03,1\n2026-01-02,77124.5\n',
    });
    expect(expectError(twice, 400, /line 3: .* line 1 already has/)).not.toContain('7712');
    expectError(
      await admin.post(`/metrics/${sales}/values`, {
        values: [{ period: '2026-01-02', label: 'eu', value: 1 }],
      }),
      400,
      /expected no label/,
    );
  });

  it('shows cost share and margin in its months', async () => {
    const months = await monthsOf();
    // 400 ÷ 1,000 = 40 %, above the target of 30 %; 200 ÷ 1,000 = 20 %, so that the share has doubled.
    const january = {
      cost: 400,
      value: 1_000,
      cost_share_percent: 40,
      margin: 600,
      margin_percent: 60,
      change_percent: 100,
      cost_change_percent: 100,
      above_target: true,
      status: 'ready_to_lock',
    };
    expect(months.get('2026-01')).toMatchObject(january);
    expect(months.get('2026-01')).not.toHaveProperty('unit_cost');
    expect(months.get('2025-12')).toMatchObject({
      value: 1_000,
      cost_share_percent: 20,
      margin: 800,
      margin_percent: 80,
      above_target: false,
    });
    expect(expectData(await admin.get(`/metrics/${sales}`))).toMatchObject({
      latest: { month: '2026-01', cost_share_percent: 40, change_percent: 100 },
    });
    const [glance] = expectData(await admin.get<object[]>('/overview'));
    expect(glance).toMatchObject({
      metric: { id: sales, name: 'Sales', unit: 'USD', kind: 'revenue' },
      latest: { cost_share_percent: 40 },
      unit_cost_change_percent: 100,
      spend_change_percent: 100,
      above_target: true,
      sparkline: [...Array<null>(9).fill(null), 20, 40, null],
    });
  });

  it('compares the running month with the same days of the month before', async () => {
    // 1 to 4 February: 30 of cost and 60 of revenue, 50 %. 1 to 4 January: 300 of cost, and the first value on the 5th.
    const days = ['01', '02', '03', '04'].map((day) => ({ period: `2026-02-${day}`, value: 15 }));
    const february = [...days, { period: '2026-01-02', value: 150 }];
    expectData(await admin.post(`/metrics/${sales}/values`, { values: february }));
    // 300 ÷ 150 = 200 % before, 50 % now: 75 % less.
    expect((await monthsOf()).get('2026-02')).toMatchObject({
      cost_share_percent: 50,
      change_percent: -75,
      change_basis: 'same_days',
    });
    const removed = expectData(
      await admin.delete(`/metrics/${sales}/values?start=2026-01-02&end=2026-01-04`),
    );
    expect(removed).toEqual({ removed: 1, months: ['2026-01'] });
  });

  it('has no cost share in a month of refunds', async () => {
    const { sales: refunds, admin: caller } = await withSales();
    expectData(
      await caller.post(`/metrics/${refunds}/values`, { values: [{ period: '2026-01-05', value: -20 }] }),
    );
    const months = expectData(await caller.get<Month[]>(`/metrics/${refunds}/months`));
    expect(months.find(({ month }) => month === '2026-01')).toMatchObject({
      value: -20,
      cost_share_percent: null,
      margin_percent: null,
      above_target: false,
    });
  });

  it('averages, and shows money to six decimals', async () => {
    const average = { ...SALES, name: 'Recurring', aggregation: 'average', target: null };
    const id = await createMetric(admin, average);
    const values = ['2026-01-01', '2026-01-02', '2026-01-03'].map((period, index) => ({
      period,
      value: index === 0 ? 1_000 : 0,
    }));
    expectData(await admin.post(`/metrics/${id}/values`, { values }));
    // 1,000 ÷ 3 = 333.333…; 400 × 3 ÷ 1,000 = 120 %; 333.333… − 400 = −66.666…
    expect((await monthsOf(id)).get('2026-01')).toMatchObject({
      value: 333.333333,
      cost_share_percent: 120,
      margin: -66.666667,
      margin_percent: -20,
    });
    expectData(await admin.delete(`/metrics/${id}`));
  });

  it('locks months, and keeps versions as values change', async () => {
    const path = `/metrics/${sales}/months/2026-01`;
    const locked = expectData(await admin.post(`${path}/lock`));
    expect(locked).toMatchObject({
      status: 'locked',
      version: 1,
      locked: { cost: 400, value: 1_000, cost_share_percent: 40, margin: 600, margin_percent: 60 },
    });
    expectError(await admin.post(`${path}/lock`), 409, /locked already/);
    const put = await admin.send('PUT', `/metrics/${sales}/values/2026-01-31`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ value: -434.56789 }),
    });
    expect(expectData(put)).toMatchObject({ replaced: 1 });
    // 400 ÷ 800 = 50 % today; the lock still shows 40 %.
    expect((await monthsOf()).get('2026-01')).toMatchObject({
      status: 'changed_since_lock',
      cost_share_percent: 40,
      current: { value: 800, cost_share_percent: 50, margin: 400, margin_percent: 50 },
    });
    expectData(await admin.post(`${path}/lock`));
    const versions = expectData(await admin.get<object[]>(`${path}/versions`));
    expect(versions).toMatchObject([
      { version: 2, cost: 400, value: 800, cost_share_percent: 50, margin: 400, margin_percent: 50 },
      { version: 1, cost: 400, value: 1_000, cost_share_percent: 40, margin: 600, margin_percent: 60 },
    ]);
  });

  it('keeps every change with the value before', async () => {
    const values = expectPage(await admin.get<object[]>(`/metrics/${sales}/values?end=2026-01`)).items;
    expect(values).toMatchObject([
      { period: '2025-12-01', value: 1_000.1, source: 'api' },
      { period: '2025-12-24', value: -0.1 },
      { period: '2026-01-05', value: 1_234.56789 },
      { period: '2026-01-31', value: -434.56789, source: 'hand' },
    ]);
    const history = expectPage(await admin.get<object[]>(`/metrics/${sales}/history?limit=2`)).items;
    expect(history).toMatchObject([
      { period: '2026-01-31', action: 'set', value: -434.56789, previous: -234.56789 },
      { period: '2026-01-02', action: 'remove', value: null, previous: 150 },
    ]);
  });

  it('takes a CSV file', async () => {
    const { sales: uploaded, admin: caller } = await withSales();
    const body = 'day,value\n2026-01-01,10.25\n\n2026-01-02,-0.25\n2026-01-03,.5\n';
    const answer = await caller.send('POST', `/metrics/${uploaded}/values/csv`, {
      headers: { 'content-type': 'text/csv' },
      body,
    });
    expect(expectData(answer)).toMatchObject({ created: 3, months: ['2026-01'] });
    const { items } = expectPage(await caller.get<{ value: number }[]>(`/metrics/${uploaded}/values`));
    expect(items.map(({ value }) => value)).toEqual([10.25, -0.25, 0.5]);
  });

  it('sends no event, whatever its target', async () => {
    const webhook = { url: 'http://127.0.0.1:9/', events: ['unit_cost.changed'] };
    const id = await create(admin, '/webhooks', webhook);
    // A count that goes above its target at the same time shows that events were raised.
    const count = await createMetric(admin, { target: 1 }, [{ period: '2026-01-31', value: 10 }]);
    await expect
      .poll(async () =>
        expectPage(
          await admin.get<{ payload: { data: { metric_id: string } } }[]>(`/webhooks/${id}/deliveries`),
        ).items.map(({ payload }) => payload.data.metric_id),
      )
      .toEqual([count]);
    expectData(await admin.delete(`/webhooks/${id}`));
  });
});

describe('the plan', () => {
  it('is Business or above to create and change revenue; below, it stays readable', async () => {
    const { id, admin: caller, sales: owned } = await withSales();
    const values = { values: [{ period: '2026-01-05', value: 500 }] };
    expectData(await caller.post(`/metrics/${owned}/values`, values));
    const operator = await asOperator(service);
    expectData(await operator.patch(`/organisations/${id}`, { tier: 'professional' }));
    const refused = [
      await caller.post('/metrics', { ...SALES, name: 'More sales' }),
      await caller.patch(`/metrics/${owned}`, { target: 1 }),
      await caller.post(`/metrics/${owned}/values`, values),
      await caller.delete(`/metrics/${owned}/values?period=2026-01-05`),
      await caller.post(`/metrics/${owned}/months/2026-01/lock`),
      await caller.send('PUT', `/metrics/${owned}/values/2026-01-05`, {
        headers: { 'content-type': 'application/json' },
        body: '{"value": 1}',
      }),
      await caller.send('POST', `/metrics/${owned}/values/csv`, {
        headers: { 'content-type': 'text/csv' },
        body: '2026-01-05,1\n',
      }),
    ];
    for (const answer of refused)
      expectError(answer, 403, /needs the Business plan or above; this organisation is on Professional/);
    const { items } = expectPage(await caller.get<{ value: number }[]>(`/metrics/${owned}/values`));
    expect(items).toMatchObject([{ value: 500 }]);
    expectData(await operator.patch(`/organisations/${id}`, { tier: 'business' }));
    expectData(await caller.post(`/metrics/${owned}/values`, values));
  });
});

describe('anyone but an admin', () => {
  it.each(['read', 'write'])('sees only that revenue exists (%s)', async (permission) => {
    const caller = await keyOf(permission);
    const seen = { id: sales, name: 'Sales', kind: 'revenue' };
    expect(expectData(await caller.get(`/metrics/${sales}`))).toEqual(seen);
    expect(expectPage(await caller.get<object[]>('/metrics')).items[0]).toEqual(seen);
    expect(expectData(await caller.get<object[]>('/overview'))[0]).toEqual({ metric: seen });
    for (const path of ['values', 'months', 'history', 'months/2026-01/versions'])
      expectError(await caller.get(`/metrics/${sales}/${path}`), 403, /only admins see revenue/);
  });

  it('finds no trace of it in any answer of any route', async () => {
    const secret = await withSales('enterprise');
    await addSpend(secret.admin);
    const values = { values: [{ period: '2026-01-05', value: 98_765_432.125 }] };
    expectData(await secret.admin.post(`/metrics/${secret.sales}/values`, values));
    // The revenue of January, its margin after a cost of 400, and the cost share.
    const numbers = /98765432|98765032|0\.000405/;
    const callers = await Promise.all(
      ['read', 'write', 'metrics:ingest', 'admin'].map(async (permission) => ({
        permission,
        caller: await keyOf(permission, secret.admin),
      })),
    );
    const bodies = [undefined, JSON.stringify(values), '{"value": 0}', '2026-01-05,98765432.125\n'];
    const walked = ROUTES.filter(({ method, path }) => !(method === 'DELETE' && OWNED.includes(path)));
    const shown = new Set<string>();
    for (const route of walked)
      for (const { permission, caller } of callers)
        for (const body of route.body ? bodies : [undefined]) {
          const headers = body === undefined ? {} : bodyType(route);
          const { body: answer } = await caller.send(route.method, pathOf(route, secret.sales), {
            headers,
            ...(body === undefined ? {} : { body }),
          });
          if (numbers.test(JSON.stringify(answer))) shown.add(`${permission} ${route.method} ${route.path}`);
        }
    const onlyAdmins = ['', '/values', '/history', '/months'].map((path) => `admin GET /metrics/{id}${path}`);
    expect([...shown].sort()).toEqual(
      ['admin GET /metrics', 'admin GET /overview', 'admin POST /metrics/{id}/months/{month}/lock']
        .concat(onlyAdmins, 'admin GET /metrics/{id}/months/{month}/versions')
        .sort(),
    );
  });
});

describe('the audit log', () => {
  it('records each view and change of revenue, and no number', async () => {
    const { admin: caller, sales: watched } = await withSales();
    const values = { values: [{ period: '2026-01-05', value: 87_654_321.75 }] };
    expectData(await caller.post(`/metrics/${watched}/values`, values));
    expectData(await caller.get('/overview'));
    expectPage(await caller.get<object[]>('/metrics'));
    expectData(await caller.get(`/metrics/${watched}`));
    expectPage(await caller.get<object[]>(`/metrics/${watched}/values`));
    expectPage(await caller.get<object[]>(`/metrics/${watched}/history`));
    expectData(await caller.get(`/metrics/${watched}/months`));
    expectData(await caller.get(`/metrics/${watched}/months/2026-01/versions`));
    expectData(await caller.delete(`/metrics/${watched}/values?period=2026-01-05`));
    const records = (await auditLog(caller)).filter(({ target }) => target === watched);
    const change = { source: 'api', created: 1, replaced: 0, removed: 0, months: ['2026-01'] };
    expect(records.map(({ action, detail }) => [action, detail['viewed'] ?? detail['source']])).toEqual([
      ['values.change', 'hand'],
      ['viewed', 'versions'],
      ['viewed', 'months'],
      ['viewed', 'history'],
      ['viewed', 'values'],
      ['viewed', 'metric'],
      ['viewed', 'metrics'],
      ['viewed', 'overview'],
      ['values.change', 'api'],
      ['metric.create', undefined],
    ]);
    expect(records[8]).toMatchObject({ detail: change, actor: { id: anyText } });
    expect(JSON.stringify(records)).not.toContain('87654321');
  });
});
