import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { create, ORDERS } from '../../support/service/create.ts';
import {
  as,
  asOperator,
  newOrganisation,
  waitFor,
  type Api,
  type Run,
} from '../../support/service/api-client.ts';
import { expectData, expectError } from '../../support/service/envelope.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { sharedService, type SharedService } from '../../support/service/shared-service.ts';
import { newReceiver } from '../../support/fakes/webhook-receiver.ts';
import { withOpened } from '../../support/with-opened.ts';

/**
 * An organisation on Professional moves to Starter and back. On 7 February 2026 January has settled. Ingests use the operator's
 * routes, because polling must not use up Starter's hundred calls.
 */
let service: SharedService;
let operator: Api;
let admin: Api;
let orgId: string;
let sourceId: string;
const receiver = withOpened(newReceiver);
const ids = { shop: '', calls: '', orders: '', visits: '', tagged: '', team: '', webhook: '' };

beforeAll(async () => {
  service = await sharedService();
  operator = await asOperator(service);
});

const setTier = async (tier: string) => expectData(await operator.patch(`/organisations/${orgId}`, { tier }));

const line = (day: string, cost: string, account: string) =>
  dayLine(day, cost, { SubAccountId: account, Tags: '{"feature":"search"}' });
const JANUARY = [line('2026-01-31', '100', '1111'), line('2026-01-31', '40', '2222')];

async function deliver(lines: ReturnType<typeof line>[]) {
  await writeFile(join(service.exportsDir, 'bill.csv'), focusCsv(lines));
  const path = `/organisations/${orgId}/cost-sources/${sourceId}`;
  const { run_id } = expectData(await operator.post<{ run_id: string }>(`${path}/ingest`, {}));
  const run = await waitFor(async () =>
    (await operator.get<Run[]>(`${path}/runs`)).body.data.find(
      (one) => one.run_id === run_id && one.status !== 'running',
    ),
  );
  expect(run.error).toBeNull();
}

const make = (path: string, body: object): Promise<string> => create(admin, path, body);
const values = (metric: string, items: { period: string; value: number; label?: string }[]) =>
  admin.post(`/metrics/${metric}/values`, { values: items });

/** Everything that unit economics shows of January and earlier months. */
const PATHS = () => [
  `/metrics/${ids.orders}/values`,
  `/metrics/${ids.orders}/history`,
  `/metrics/${ids.orders}/months/2026-01/versions`,
  `/metrics/${ids.calls}/values`,
  '/teams',
  `/teams/${ids.shop}/bills/2026-01/versions`,
  '/shared-costs',
];
const OPEN_PATHS = [
  '/organisation',
  '/keys',
  '/cost-sources',
  '/costs?start_date=2026-01-01&end_date=2026-01-31',
  '/costs/breakdown?start_date=2026-01-01&end_date=2026-01-31&group_by=tag',
  '/costs/breakdown?start_date=2026-01-01&end_date=2026-01-31&group_by=team',
  '/webhooks',
];
async function read(paths: readonly string[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const path of paths) {
    const { status, body } = await admin.get(path);
    expect({ path, status }).toEqual({ path, status: 200 });
    answers.push(body);
  }
  return answers;
}

interface Month {
  month: string;
  status: string;
  cost: number | null;
  unit_cost: number | null;
}
const monthOf = async (metric: string, month: string) =>
  expectData(await admin.get<Month[]>(`/metrics/${metric}/months`)).find((one) => one.month === month);

describe('a plan without unit economics', () => {
  let before: unknown[];
  let openBefore: unknown[];

  it('starts from everything that Professional has', async () => {
    const organisation = await newOrganisation(service, { tier: 'professional' });
    orgId = organisation.id;
    admin = as(service, organisation.secret);
    const location = join(service.exportsDir, 'bill.csv');
    sourceId = await make('/cost-sources', { name: 'AWS', kind: 'focus', location });
    const metric = { ...ORDERS, frequency: 'monthly' };
    const account = (id: string) => ({ source: 'cloud', cloud: 'aws', account: id });
    const tag = { source: 'cloud', cloud: 'aws', tag: { key: 'feature', value: 'search' } };
    ids.shop = await make('/teams', { name: 'Shop', ownership: [account('1111')] });
    ids.calls = await make('/metrics', {
      ...metric,
      name: 'Calls',
      label_key: 'service',
    });
    ids.tagged = await make('/metrics', {
      ...metric,
      name: 'Searches',
      scope: { type: 'spend', spend: [tag] },
    });
    ids.orders = await make('/metrics', {
      ...metric,
      name: 'Orders',
      scope: { type: 'team', team_id: ids.shop },
      target: 2,
    });
    ids.visits = await make('/metrics', {
      ...metric,
      name: 'Visits',
      frequency: 'daily',
      scope: { type: 'organisation' },
      target: 2,
    });
    await make('/shared-costs', {
      name: 'Platform',
      spend: [account('2222')],
      split: { type: 'metric', metric_id: ids.calls, labels: { shop: ids.shop } },
    });
    await deliver(JANUARY);
    expectData(await values(ids.calls, [{ period: '2026-01', label: 'shop', value: 3 }]));
    const orders = [
      { period: '2026-01', value: 100 },
      { period: '2026-02', value: 10 },
    ];
    expectData(await values(ids.orders, orders));
    expectData(await values(ids.visits, [{ period: '2026-02-06', value: 10 }]));
    // The source came after January, so that its bills follow today's spend until an admin seals them.
    expectData(await admin.post('/teams/bills/2026-01/reseal', { reason: 'January is closed' }));
    // 100 of its own and all of the 40, divided by 100 orders.
    expectData(await admin.post(`/metrics/${ids.orders}/months/2026-01/lock`));
    expect(await monthOf(ids.orders, '2026-01')).toMatchObject({ status: 'locked', unit_cost: 1.4 });
    ids.webhook = await make('/webhooks', { url: receiver.url });
    [before, openBefore] = [await read(PATHS()), await read(OPEN_PATHS)];
  });

  it('rejects all of unit economics and stores nothing of it', async () => {
    await setTier('starter');
    const plan = /Unit economics needs the Professional plan or above; this organisation is on Starter/;
    for (const path of [...PATHS(), '/metrics', '/overview', `/teams/${ids.shop}/bills`])
      expectError(await admin.get(path), 403, plan);
    expectError(await values(ids.orders, [{ period: '2026-01', value: 1 }]), 403, plan);
    expectError(await admin.post(`/metrics/${ids.orders}/months/2026-01/lock`), 403, plan);
    expectError(await admin.patch(`/metrics/${ids.orders}`, { target: 1 }), 403, plan);
    expectError(await admin.delete(`/teams/${ids.shop}`), 403, plan);
  });

  it('keeps spend readable, sources running, tags collected, and webhooks visible and removable', async () => {
    const [organisation, ...rest] = await read(OPEN_PATHS);
    expect(organisation).toMatchObject({ data: { tier: 'starter' } });
    expect(rest).toEqual(openBefore.slice(1));
    const late = line('2026-01-31', '1000', '1111');
    const february = [line('2026-02-06', '30', '1111'), line('2026-02-07', '30', '1111')];
    await deliver([...JANUARY, late, ...february]);
    const costs = await admin.get('/costs?start_date=2026-01-01&end_date=2026-02-07');
    expect(expectData(costs)).toMatchObject({ total: 1200 });
    const other = await make('/webhooks', { url: `${receiver.url}&other` });
    expectData(await admin.delete(`/webhooks/${other}`));
    expect(receiver.received).toEqual([]);
  });

  it('keeps every number, version, definition and collected day for a later upgrade', async () => {
    await setTier('professional');
    expect(await read(PATHS())).toEqual(before);
    expect(await monthOf(ids.orders, '2026-01')).toMatchObject({
      status: 'locked',
      cost: 140,
      unit_cost: 1.4,
    });
    // Spend that came meanwhile is there too, by the tag that could not be picked then.
    expect(await monthOf(ids.tagged, '2026-02')).toMatchObject({ cost: 30 });
    expect(await monthOf(ids.orders, '2026-02')).toMatchObject({ cost: 60, unit_cost: 6 });
    // February's complete days rose above the target on Starter, without an event. The upgrade raises it.
    const event = await waitFor(async () => receiver.received[0]);
    expect(JSON.parse(event.body)).toMatchObject({
      data: { metric_id: ids.visits, reason: 'above_target', period: '2026-02', unit_cost: 3 },
    });
  });
});
