import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { addDays } from '../../../domain/shared/calendar.ts';
import { newOrders } from '../../support/service/connected-exports.ts';
import { create } from '../../support/service/create.ts';
import { ingest, newOrganisation, type Api } from '../../support/service/api-client.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { sharedService, type SharedService } from '../../support/service/shared-service.ts';

/**
 * A cluster that is connected before January settles, and delivers from the 20th on.
 *
 * January costs 31 × 10 on the bill and 12 × 2 in the cluster, which is on no bill: 334.
 */
interface Month {
  month: string;
  cost: number | null;
  status: string;
  reason: string | null;
  notes: string[];
}

let service: SharedService;
let admin: Api;
let cluster: string;
let orders: string;

function days(from: string, through: string): string[] {
  const found: string[] = [];
  for (let day = from; day <= through; day = addDays(day, 1)) found.push(day);
  return found;
}

async function connect(source: object, name: string, text: string): Promise<string> {
  const location = join(service.exportsDir, `${name}.csv`);
  await writeFile(location, text);
  return create(admin, '/cost-sources', { name, location, ...source });
}

async function january(): Promise<Month> {
  const months = expectData(await admin.get<Month[]>(`/metrics/${orders}/months`));
  const found = months.find(({ month }) => month === '2026-01');
  if (found === undefined) throw new Error('January is not among the months');
  return found;
}

const lock = (body?: object) => admin.post<Month>(`/metrics/${orders}/months/2026-01/lock`, body);

beforeAll(async () => {
  service = await sharedService();
  ({ admin } = await newOrganisation(service));
  const bill = await connect(
    { kind: 'focus' },
    'Bill',
    focusCsv(days('2026-01-01', '2026-01-31').map((day) => dayLine(day, '10'))),
  );
  const allocations = days('2026-01-20', '2026-01-31').map((day) => `${day},shop,deployment,api,2`);
  cluster = await connect(
    { kind: 'opencost', options: { cluster: 'prod' } },
    'Cluster',
    ['Date,Namespace,ControllerKind,ControllerName,TotalCost', ...allocations, ''].join('\n'),
  );
  for (const source of [bill, cluster])
    expect(await ingest(admin, source)).toMatchObject({ status: 'completed', error: null });
  orders = await newOrders(admin, ['2026-01']);
});

const MISSING =
  'cost source "Cluster" has not delivered 2026-01-01 to 2026-01-19 ' +
  '(it delivers from 2026-01-20 on; set its starts_on if it had no spend before)';

it('a cluster with missing days holds January back, and a lock must accept what is missing', async () => {
  expect(await january()).toMatchObject({ cost: 334, status: 'open', reason: MISSING, notes: [] });
  expectError(await lock(), 409, /2026-01-01 to 2026-01-19.*"accept_missing": true/);
  expectError(await lock({ accept_missing: 'yes' }), 400, /accept_missing/);
  expectError(await lock({ accept: true }), 400, /accept/);
  expect(expectData(await lock({ accept_missing: true }))).toMatchObject({ status: 'locked', cost: 334 });
  expect(expectData(await admin.get(`/metrics/${orders}/months/2026-01/versions`))).toMatchObject([
    { version: 1, cost: 334, unit_cost: 33.4, missing: [MISSING] },
  ]);
});

it('a starts_on of the cluster makes January complete at once', async () => {
  const path = `/cost-sources/${cluster}`;
  expect(expectData(await admin.get(path))).toMatchObject({ starts_on: null });
  expectError(await admin.patch(path, { starts_on: '20 January' }), 400, /starts_on.*YYYY-MM-DD/);
  expect(expectData(await admin.patch(path, { starts_on: '2026-01-20' }))).toMatchObject({
    starts_on: '2026-01-20',
  });
  expectData(await admin.post(`/metrics/${orders}/values`, { values: [{ period: '2026-01', value: 20 }] }));
  // Nothing is missing any more, so that the lock has nothing to accept.
  expect(expectData(await lock())).toMatchObject({ status: 'locked', version: 2, unit_cost: 16.7 });
  expect(expectData(await admin.get(`/metrics/${orders}/months/2026-01/versions`))).toMatchObject([
    { version: 2, missing: [] },
    { version: 1, missing: [MISSING] },
  ]);
});

it.each([
  ['pausing', (of: Api, path: string) => of.patch(path, { schedule_paused: true }), 510],
  ['deleting', (of: Api, path: string) => of.delete(path), 310],
])('%s a source that has stopped makes January ready at once', async (name, change, cost) => {
  const { admin: owner } = await newOrganisation(service);
  const bill = async (title: string, account: string, through: string) => {
    const location = join(service.exportsDir, `${name} ${title}.csv`);
    const lines = days('2026-01-01', through).map((day) => dayLine(day, '10', { SubAccountId: account }));
    await writeFile(location, focusCsv(lines));
    const id = await create(owner, '/cost-sources', { name: title, kind: 'focus', location });
    await ingest(owner, id);
    return id;
  };
  await bill('New', '1111', '2026-01-31');
  const old = await bill('Old', '2222', '2026-01-20');
  const id = await newOrders(owner, ['2026-01']);
  const month = async () =>
    expectData(await owner.get<Month[]>(`/metrics/${id}/months`)).find((one) => one.month === '2026-01');
  expect(await month()).toMatchObject({ cost: 510, status: 'open' });
  expectData(await change(owner, `/cost-sources/${old}`));
  expect(await month()).toMatchObject({ cost, status: 'ready_to_lock', reason: null });
});

it('each source has its last whole day with spend, because a day that has not ended may still grow', async () => {
  const [yesterday, today] = ['2026-02-06', '2026-02-07'];
  const running = await connect(
    { kind: 'focus' },
    'Running month',
    focusCsv([yesterday, today].map((day) => dayLine(day, '10'))),
  );
  const delivered = async (): Promise<[name: string, day: string | null][]> =>
    expectPage(
      await admin.get<{ name: string; delivered_through: string | null }[]>('/cost-sources'),
    ).items.map(({ name, delivered_through: day }) => [name, day]);
  const before = [
    ['Bill', '2026-01-31'],
    ['Cluster', '2026-01-31'],
  ];
  expect(await delivered()).toEqual([...before, ['Running month', null]]);
  await ingest(admin, running);
  expect(await delivered()).toEqual([...before, ['Running month', yesterday]]);
  const path = `/cost-sources/${running}`;
  expect(expectData(await admin.get(path))).toMatchObject({ delivered_through: yesterday });
  expect(expectData(await admin.patch(path, { name: 'Bill of today' }))).toMatchObject({
    delivered_through: yesterday,
  });
});
