import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { create, createMetric, ORDERS } from '../../support/service/create.ts';
import { as, ingest, newOrganisation, type Answer, type Api } from '../../support/service/api-client.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { withService } from '../../support/service/with-service.ts';

/**
 * Two teams in January 2026, calculated by hand (USD), 237 in all:
 *
 * | account             |     | Shop                | Search             | unallocated |
 * | ------------------- | --- | ------------------- | ------------------ | ----------- |
 * | 1111 owned by Shop   | 100 | 100                 |                    |             |
 * | 2222 owned by Search |  60 |                     | 60                 |             |
 * | 3333 shared evenly   |  10 | 5                   | 5                  |             |
 * | 4444 shared fixed    |  20 | 70 % 14             | 20 % 4             | 2           |
 * | 5555 shared by calls |  40 | web 3 of 4: 30      | find 1 of 4: 10    |             |
 * | 6666                 |   7 |                     |                    | 7           |
 * | fully loaded        | 237 | 149                 | 79                 | 9           |
 */
const settingsAt = (clock: string) => (dataDir: string) => ({
  CLOCK: clock,
  SOURCE_ROOTS: join(dataDir, 'exports'),
});
const service = withService(settingsAt('2026-01-20T06:00:00Z'));
let secret: string;
let admin: Api;
let bill: string;
const ids: Record<'shop' | 'search' | 'even' | 'fixed' | 'byCalls' | 'calls' | 'users', string> = {
  shop: '',
  search: '',
  even: '',
  fixed: '',
  byCalls: '',
  calls: '',
  users: '',
};

const COSTS = { 1111: '100', 2222: '60', 3333: '10', 4444: '20', 5555: '40', 6666: '7' };
const january = Object.entries(COSTS).map(([account, cost]) =>
  dayLine('2026-01-10', cost, { SubAccountId: account, ServiceName: 'Amazon EC2' }),
);
const account = (id: string) => ({ source: 'cloud', cloud: 'aws', account: id });

const writeBill = (lines: ReturnType<typeof dayLine>[]) =>
  writeFile(join(service.dataDir, 'exports', 'bill.csv'), focusCsv(lines));
const put = <Data>(path: string, body: object): Promise<Answer<Data>> =>
  admin.send('PUT', path, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

beforeAll(async () => {
  ({ secret, admin } = await newOrganisation(service));
  await writeBill(january);
  const location = join(service.dataDir, 'exports', 'bill.csv');
  bill = await create(admin, '/cost-sources', { name: 'AWS', kind: 'focus', location });
  await ingest(admin, bill);
});

interface Team {
  id: string;
  name: string;
  ownership: object[];
  warnings: string[];
}

interface Bill {
  month: string;
  status: string;
  direct: number | null;
  shared: number | null;
  fully_loaded: number | null;
  by_source: Record<string, number> | null;
  shared_costs: { id: string; name: string; amount: number }[];
  version: number | null;
  sealed_at: string | null;
  sealed_because: string | null;
  waiting_for: string[];
  unallocated: number | null;
}

interface Month {
  month: string;
  cost: number | null;
  unit_cost: number | null;
  status: string;
  reason: string | null;
}

const bills = async (team: string) => expectData(await admin.get<Bill[]>(`/teams/${team}/bills`));
const billOf = async (team: string, month = '2026-01') =>
  (await bills(team)).find((one) => one.month === month);
const usersMonth = async () =>
  expectData(await admin.get<Month[]>(`/metrics/${ids.users}/months`)).find(
    ({ month }) => month === '2026-01',
  );
const reseal = (month: string, body: object) => admin.post<Bill[]>(`/teams/bills/${month}/reseal`, body);
const calls = (values: Record<string, number>) =>
  admin.post(`/metrics/${ids.calls}/values`, {
    values: Object.entries(values).map(([label, value]) => ({ period: '2026-01', label, value })),
  });

describe('teams', () => {
  it('can be made, renamed and listed, and own spend', async () => {
    const shop = expectData(await admin.post<Team>('/teams', { name: 'Shop', ownership: [account('1111')] }));
    expect(shop).toEqual({ id: shop.id, name: 'Shop', ownership: [account('1111')], warnings: [] });
    expect(shop.id).toMatch(/^team_/);
    const search = expectData(await admin.post<Team>('/teams', { name: 'Serach' }));
    expect(search.ownership).toEqual([]);
    expectData(await admin.patch(`/teams/${search.id}`, { name: 'Search' }));
    const owned = await put<Team>(`/teams/${search.id}/ownership`, {
      ownership: [account('2222'), { source: 'cloud', cloud: 'AWS', account: '9999' }],
    });
    expect(expectData(owned)).toEqual({
      id: search.id,
      name: 'Search',
      ownership: [account('2222'), account('9999')],
      warnings: ['spend of cloud aws / 9999 has never been seen'],
    });
    expectData(await put(`/teams/${search.id}/ownership`, { ownership: [account('2222')] }));
    expect(expectPage(await admin.get<Team[]>('/teams?limit=1')).items.map(({ name }) => name)).toEqual([
      'Shop',
    ]);
    expect(expectData(await admin.get<Team>(`/teams/${search.id}`))).toEqual({
      id: search.id,
      name: 'Search',
      ownership: [account('2222')],
    });
    [ids.shop, ids.search] = [shop.id, search.id];
  });

  it('can own idle capacity, which metrics cannot pick', async () => {
    const idle = { source: 'kubernetes', cluster: 'prod', idle: true };
    const host = { source: 'host', host: 'db-1', idle: true };
    const ops = expectData(await admin.post<Team>('/teams', { name: 'Ops', ownership: [idle, host] }));
    expect(ops.ownership).toEqual([idle, host]);
    for (const [pick, words] of [
      [{ ...idle, namespace: 'shop' }, /^ownership\[0\]\.namespace: expected .*"idle": true alone/],
      [{ source: 'kubernetes', cluster: 'prod' }, /^ownership\[0\]\.namespace: expected a namespace/],
      [{ ...host, service: 'postgres' }, /^ownership\[0\]\.service: expected .* not both/],
      [{ ...host, idle: false }, /^ownership\[0\]\.idle: expected true/],
    ] as const)
      expectError(await put(`/teams/${ops.id}/ownership`, { ownership: [pick] }), 400, words);
    const metric = { name: 'Idle', unit: 'hour', aggregation: 'total', frequency: 'daily' };
    const scope = { type: 'spend', spend: [account('1111'), idle] };
    const words = /^scope\.spend\[1\]\.idle: expected no idle: only teams and shared costs/;
    expectError(await admin.post('/metrics', { ...metric, scope }), 400, words);
    expectError(
      await admin.patch('/metrics/met_none', { scope: { spend: [account('1111'), idle] } }),
      400,
      words,
    );
    expectData(await admin.delete(`/teams/${ops.id}`));
  });

  it('cannot have the same pick or name, and the error names the other team', async () => {
    expectError(
      await admin.post('/teams', { name: 'Shop' }),
      409,
      `name: expected a name that no other team has, got "Shop", the name of ${ids.shop}`,
    );
    expectError(await admin.patch(`/teams/${ids.search}`, { name: 'Shop' }), 409, /^name: /);
    expectError(
      await put(`/teams/${ids.search}/ownership`, { ownership: [account('2222'), account('1111')] }),
      409,
      'ownership[1]: All of AWS account 1111 is owned by team "Shop" already',
    );
    expectError(await admin.post('/teams', { name: 'X', ownership: [account('1111')] }), 409, /team "Shop"/);
    expectError(await admin.post('/teams', { ownership: [] }), 400, /^name: expected/);
    expectError(await put(`/teams/${ids.shop}/ownership`, {}), 400, /^ownership: expected/);
    expectError(
      await put(`/teams/${ids.shop}/ownership`, { ownership: [{ source: 'moon' }] }),
      400,
      /^ownership\[0\]/,
    );
    expectError(await admin.get('/teams/team_none'), 404, /team_none/);
  });
});

describe('shared costs', () => {
  it('are split evenly, by fixed percents, or by a labelled metric', async () => {
    const metric = (more: object) =>
      createMetric(admin, {
        name: 'Calls',
        unit: 'call',
        frequency: 'monthly',
        ...more,
      });
    ids.calls = await metric({ label_key: 'service' });
    ids.users = await metric({ name: 'Users', unit: 'user', scope: { type: 'team', team_id: ids.shop } });
    const shared = async (name: string, id: string, split: object) => {
      const created = expectData(
        await admin.post<{ id: string }>('/shared-costs', { name, spend: [account(id)], split }),
      );
      expect(created).toEqual({ id: created.id, name, spend: [account(id)], split, warnings: [] });
      return created.id;
    };
    ids.even = await shared('Network', '3333', { type: 'even', team_ids: [ids.shop, ids.search] });
    const share = (team_id: string, percent: number) => ({ team_id, percent });
    ids.fixed = await shared('Support', '4444', {
      type: 'fixed',
      shares: [share(ids.shop, 70), share(ids.search, 20)],
    });
    ids.byCalls = await shared('Gateway', '5555', {
      type: 'metric',
      metric_id: ids.calls,
      labels: { web: ids.shop, find: ids.search },
    });
    expect(expectPage(await admin.get<{ id: string }[]>('/shared-costs')).items.map(({ id }) => id)).toEqual([
      ids.even,
      ids.fixed,
      ids.byCalls,
    ]);
  });

  it.each<[string, () => object, RegExp]>([
    ['an unknown split', () => ({ type: 'random' }), /^split.*expected a type "even", "fixed" or "metric"/],
    ['no team', () => ({ type: 'even', team_ids: [] }), /^split\.team_ids.*expected 1 to 1000 teams/],
    [
      'a team twice',
      () => ({ type: 'even', team_ids: [ids.shop, ids.shop] }),
      /^split\.team_ids.*each team once/,
    ],
    ['an unknown team', () => ({ type: 'even', team_ids: ['team_x'] }), /^split\.team_ids\[0\].*"team_x"/],
    [
      'more than 100 percent',
      () => ({
        type: 'fixed',
        shares: [
          { team_id: ids.shop, percent: 60 },
          { team_id: ids.search, percent: 40.000001 },
        ],
      }),
      /^split\.shares.*at most 100/,
    ],
    [
      'seven decimals',
      () => ({ type: 'fixed', shares: [{ team_id: ids.shop, percent: 0.0000001 }] }),
      /^split\.shares\[0\]\.percent.*6 decimals/,
    ],
    [
      'a metric without labels',
      () => ({ type: 'metric', metric_id: ids.users, labels: { a: ids.shop } }),
      /^split\.metric_id: expected a metric with a label key/,
    ],
    [
      'an unknown metric',
      () => ({ type: 'metric', metric_id: 'met_x', labels: { a: ids.shop } }),
      /^split\.metric_id: .*"met_x"/,
    ],
  ])('are rejected with %s', async (_, split, words) => {
    const body = { name: 'X', spend: [account('7777')], split: split() };
    expectError(await admin.post('/shared-costs', body), 400, words);
  });

  it('prevent the deletion of their teams and metric', async () => {
    expectError(await admin.delete(`/teams/${ids.shop}`), 409, /shared cost "Network".*metric "Users"/);
    expectError(await admin.delete(`/metrics/${ids.calls}`), 409, /shared cost "Gateway"/);
    expectError(
      await admin.patch(`/shared-costs/${ids.even}`, { spend: [account('4444')] }),
      409,
      /^spend\[0\]: .* is covered by shared cost "Support" already/,
    );
    expectError(
      await admin.post('/metrics', {
        ...ORDERS,
        scope: { type: 'team', team_id: 'team_x' },
      }),
      400,
      /^scope\.team_id: expected a team of this organisation, got "team_x"/,
    );
    expectError(
      await admin.patch(`/metrics/${ids.users}`, { scope: { team_id: ids.search } }),
      400,
      /^scope\.team_id: .*cannot be changed/,
    );
  });
});

describe('bills', () => {
  it('are estimates while the month runs, and name what they wait for', async () => {
    const all = await bills(ids.shop);
    expect(all).toHaveLength(12);
    expect(all[0]).toEqual({
      month: '2026-01',
      status: 'estimate',
      direct: 100,
      shared: 19, // 5 + 14; the gateway's 40 are not split yet
      fully_loaded: 119,
      by_source: { cloud: 100, kubernetes: 0, hosts: 0, ai_tools: 0 },
      shared_costs: [
        { id: ids.even, name: 'Network', amount: 5 },
        { id: ids.fixed, name: 'Support', amount: 14 },
      ],
      version: null,
      sealed_at: null,
      sealed_because: null,
      reason: null,
      sealed_by: null,
      uncollected: [],
      settled_before_teams: false,
      backfilled: false,
      follows_today: false,
      waiting_for: [
        'the month has not ended',
        'metric "Calls", by which a shared cost is split, has no value for 2026-01',
      ],
      unallocated: 49,
    });
    expect(await billOf(ids.search)).toMatchObject({ fully_loaded: 69, unallocated: 49 });
    expect(all[1]).toMatchObject({
      month: '2025-12',
      status: 'estimate',
      direct: null,
      fully_loaded: null,
      unallocated: null,
      waiting_for: expect.arrayContaining(['no spend has been ingested for 2025-12']) as unknown,
    });
  });

  it('wait for their split values once the month has settled', async () => {
    await service.stop();
    await service.start(settingsAt('2026-02-07T06:00:00Z')(service.dataDir));
    admin = as(service, secret);
    await writeBill([...january, dayLine('2026-01-31', '0', { SubAccountId: '1111' })]);
    await ingest(admin, bill);
    const waits = ['metric "Calls", by which a shared cost is split, has no value for 2026-01'];
    expect(await billOf(ids.shop)).toMatchObject({
      status: 'waiting',
      fully_loaded: 119,
      waiting_for: waits,
    });
    expectData(
      await admin.post(`/metrics/${ids.users}/values`, { values: [{ period: '2026-01', value: 10 }] }),
    );
    expect(await usersMonth()).toMatchObject({ cost: 119, status: 'open', reason: waits[0] });
    expectError(await admin.post(`/metrics/${ids.users}/months/2026-01/lock`), 409, /metric "Calls"/);
    expect(expectData(await admin.get(`/teams/${ids.shop}/bills/2026-01/versions`))).toEqual([]);
  });

  it('seal once their split values arrive, and add up with unallocated spend to the total', async () => {
    expectData(await calls({ web: 3, find: 1 }));
    const shop = await billOf(ids.shop);
    expect(shop).toMatchObject({
      status: 'sealed',
      direct: 100,
      shared: 49,
      fully_loaded: 149,
      version: 1,
      sealed_at: '2026-02-07T06:00:00.000Z',
      waiting_for: [],
      unallocated: 9,
    });
    expect(shop?.shared_costs.map(({ name, amount }) => [name, amount])).toEqual([
      ['Network', 5],
      ['Support', 14],
      ['Gateway', 30],
    ]);
    expect(await billOf(ids.search)).toMatchObject({ fully_loaded: 79, unallocated: 9 });
    expect(expectData(await admin.get('/costs?start_date=2026-01-01&end_date=2026-01-31'))).toMatchObject({
      total: 237,
    }); // 149 + 79 + 9
    expect(await usersMonth()).toMatchObject({
      cost: 149,
      unit_cost: 14.9,
      status: 'ready_to_lock',
      reason: null,
    });
    expectData(await admin.post(`/metrics/${ids.users}/months/2026-01/lock`));
  });

  it('reseal as a new version if split values change, and do not move a locked month of a metric', async () => {
    expectData(await calls({ web: 1, find: 1 }));
    expect(await billOf(ids.shop)).toMatchObject({ fully_loaded: 139, version: 2, unallocated: 9 });
    expect(await billOf(ids.search)).toMatchObject({ fully_loaded: 89, version: 2 });
    const versions = expectData(
      await admin.get<(Bill & { version: number })[]>(`/teams/${ids.shop}/bills/2026-01/versions`),
    );
    expect(
      versions.map(({ version, fully_loaded, sealed_because }) => [version, fully_loaded, sealed_because]),
    ).toEqual([
      [2, 139, 'values_changed'],
      [1, 149, 'settled'],
    ]);
    expect(await usersMonth()).toMatchObject({ cost: 149, unit_cost: 14.9, status: 'locked' });
  });

  it('do not move with late spend, which is unallocated', async () => {
    await writeBill([...january, dayLine('2026-01-31', '1000', { SubAccountId: '1111' })]);
    await ingest(admin, bill);
    expect(await billOf(ids.shop)).toMatchObject({ fully_loaded: 139, version: 2, unallocated: 1009 });
  });

  it('can be resealed by an admin, which gives a later team its first bill', async () => {
    const late = expectData(await admin.post<Team>('/teams', { name: 'Late', ownership: [account('6666')] }));
    const why = 'the team was created after the bills of 2026-01 had sealed; an admin may seal them again';
    expect(await billOf(late.id)).toMatchObject({
      status: 'waiting',
      direct: null,
      fully_loaded: null,
      version: null,
      reason: why,
      waiting_for: [why],
      unallocated: 1009,
    });
    const answered = expectData(await reseal('2026-01', { reason: ' the late invoice is right ' }));
    const again = { status: 'sealed', sealed_because: 'resealed', reason: 'the late invoice is right' };
    const by = { type: 'key', name: 'First admin key' };
    expect(answered).toMatchObject([
      { ...again, team_id: ids.shop, team_name: 'Shop', fully_loaded: 1139, version: 3, sealed_by: by },
      { ...again, team_name: 'Search', fully_loaded: 89, version: 3, unallocated: 2 },
      { ...again, team_name: 'Late', fully_loaded: 7, version: 1, follows_today: false },
    ]);
    expect(await billOf(late.id)).toMatchObject({ ...again, fully_loaded: 7, waiting_for: [] });
    // A locked month of a team's metric does not move.
    expect(await usersMonth()).toMatchObject({ cost: 149, unit_cost: 14.9, status: 'locked' });
    const [newest] = expectData(await admin.get<Bill[]>(`/teams/${ids.shop}/bills/2026-01/versions`));
    expect(newest).toMatchObject({ fully_loaded: 1139, reason: again.reason, sealed_by: by });
    const [entry] = expectPage(await admin.get<object[]>('/audit-log?limit=1')).items;
    expect(entry).toMatchObject({
      action: 'bills.reseal',
      target: '2026-01',
      detail: { month: '2026-01', reason: again.reason },
    });
    expectData(await admin.delete(`/teams/${late.id}`));
  });

  it.each<[string, object, number, RegExp]>([
    ['2026-13', { reason: 'x' }, 400, /^month: expected a month as YYYY-MM/],
    ['2026-03', { reason: 'x' }, 400, /^month: expected a past month, got "2026-03"/],
    ['2026-01', {}, 400, /^reason: expected a text of 1 to 1000 characters/],
    ['2026-01', { reason: '  ' }, 400, /^reason: expected a text of 1 to 1000 characters/],
    ['2026-01', { reason: 'x'.repeat(1001) }, 400, /^reason: expected a text of 1 to 1000 characters/],
    ['2026-01', { reason: 'x', force: true }, 400, /force/],
    ['2026-02', { reason: 'x' }, 409, /has not settled; the month has not ended/],
    ['2025-12', { reason: 'x' }, 409, /has not settled/],
  ])('of %s are not resealed with %j', async (month, body, status, words) => {
    expectError(await reseal(month, body), status, words);
  });

  it('differ from the breakdown by team, which gives each dollar to its owner', async () => {
    const { body } = await admin.get<object[]>(
      '/costs/breakdown?start_date=2026-01-01&end_date=2026-01-10&group_by=team',
    );
    expect(body).toMatchObject({
      total: 237,
      data: [
        { team: ids.shop, team_name: 'Shop', total: 100 },
        { team: null, team_name: null, total: 77 },
        { team: ids.search, team_name: 'Search', total: 60 },
      ],
    });
  });

  it('are deleted with the team, once nothing refers to it', async () => {
    for (const id of [ids.even, ids.fixed, ids.byCalls])
      expectData(await admin.delete(`/shared-costs/${id}`));
    expectData(await admin.delete(`/metrics/${ids.users}`));
    expectData(await admin.delete(`/teams/${ids.shop}`));
    expectError(await admin.get(`/teams/${ids.shop}/bills`), 404);
    expectData(await admin.delete(`/metrics/${ids.calls}`));
  });
});

describe('the audit log', () => {
  it('records who made, changed and deleted what, with the fields set', async () => {
    interface Entry {
      actor: object;
      action: string;
      target: string;
      detail: Record<string, unknown>;
    }
    const log = expectPage(await admin.get<Entry[]>('/audit-log?limit=1000')).items.toReversed();
    const entriesOf = (id: string) => log.filter(({ target }) => target === id);
    expect(entriesOf(ids.shop).map(({ action, detail }) => [action, detail])).toEqual([
      ['team.create', { name: 'Shop', ownership: [account('1111')] }],
      ['team.delete', { name: 'Shop' }],
    ]);
    expect(entriesOf(ids.search).map(({ action }) => action)).toEqual([
      'team.create',
      ...['rename', 'own', 'own'].map(() => 'team.update'),
    ]);
    expect(entriesOf(ids.even)[0]).toMatchObject({
      actor: { type: 'key', name: 'First admin key' },
      action: 'shared_cost.create',
      detail: { spend: [account('3333')], split: { type: 'even' } },
    });
    expect(entriesOf(ids.calls).map(({ action }) => action)).toEqual(['metric.create', 'metric.delete']);
    // The log omits a location, because it may have a credential.
    expect(entriesOf(bill).map(({ action, detail }) => [action, detail])).toEqual([
      [
        'cost_source.create',
        {
          name: 'AWS',
          kind: 'focus',
          set: ['name', 'kind', 'location', 'options', 'schedule_paused', 'starts_on', 'currency'],
        },
      ],
    ]);
    expect(JSON.stringify(log)).not.toContain('bill.csv');
  });
});
