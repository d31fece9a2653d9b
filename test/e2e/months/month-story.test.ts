import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { create, createMetric } from '../../support/service/create.ts';
import { as, ingest, newOrganisation, waitFor, type Api } from '../../support/service/api-client.ts';
import { THOROUGH } from '../../support/effort.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { anyText, textLike } from '../../support/service/matchers.ts';
import { withService } from '../../support/service/with-service.ts';
import { openTemporal } from '../../support/service/temporal-client.ts';

/**
 * The story of an organisation from its first bill to months that finance has locked. Each test continues where the one before
 * ended. All numbers are calculated by hand.
 *
 * Spend (USD):       AWS                                     Azure
 *   2025-10          80   (31st)
 *   2025-11          0 (30th)
 *   2025-12          100 (1st) + 187.5 (31st)
 *                    + 12.5 (31st, on January's bill) = 300
 *   2026-01          250.25 (10th) + 149.75 (31st) = 400     60 (10th), later + 20 (31st) = 80
 */

interface Numbers {
  cost: number | null;
  value: number | null;
  unit_cost: number | null;
}

interface Month extends Numbers {
  month: string;
  status: string;
  change_percent: number | null;
  above_target: boolean;
  version: number | null;
  locked: (Numbers & { version: number; locked_at: string; locked_by: object }) | null;
  current?: Numbers;
  reason: string | null;
}

interface Metric {
  id: string;
  target: number | null;
  latest: { month: string; unit_cost: number; change_percent: number | null; status: string } | null;
  months: Month[];
}

const service = withService({ CLOCK: '2026-01-31T12:00:00Z' });
let organisationId: string;
let secret: string;
/** The admin's access to the running service. */
let admin: Api;
let awsFile: string;
let azureFile: string;
let aws: string;
let azure: string;
let orders: string;
let customers: string;
let signups: string;

const OCTOBER = dayLine('2025-10-31', '80');
const NOVEMBER = dayLine('2025-11-30', '0');
const DECEMBER = [dayLine('2025-12-01', '100'), dayLine('2025-12-31', '187.5')];
const JANUARY = [
  dayLine('2025-12-31', '12.5', { BillingPeriodStart: '2026-01-01T00:00:00Z' }),
  dayLine('2026-01-10', '250.25'),
  dayLine('2026-01-31', '149.75'),
];
const AZURE = { ProviderName: 'Microsoft', SubAccountId: 'sub-1' };

beforeAll(async () => {
  const { dataDir } = service;
  awsFile = join(dataDir, 'exports', 'aws.csv');
  azureFile = join(dataDir, 'exports', 'azure.csv');
  ({ id: organisationId, secret, admin } = await newOrganisation(service, { tier: 'professional' }));
});

/** Restarts the service on the same data with a later clock. */
async function travelTo(clock: string): Promise<void> {
  expect(await service.stop()).toBe(0);
  await service.start({ CLOCK: clock });
  admin = as(service, secret);
}

/** Triggers the organisation's daily settlement and waits for its end. */
async function settleDaily(): Promise<void> {
  const temporal = await openTemporal(service.dataDir);
  const query = `WorkflowType = "settleMonths" AND Organisation = "${organisationId}"`;
  const runs = async () => {
    const found = [];
    for await (const run of temporal.client.workflow.list({ query })) found.push(run.status.name);
    return found;
  };
  const before = (await runs()).length;
  await temporal.client.schedule.getHandle(`settle/${organisationId}`).trigger();
  await waitFor(async () => {
    const now = await runs();
    return now.length > before && now.every((status) => status === 'COMPLETED') ? true : undefined;
  });
  await temporal.close();
}

const send = async (metric: string, values: Record<string, number>): Promise<unknown> =>
  expectData(
    await admin.post(`/metrics/${metric}/values`, {
      values: Object.entries(values).map(([period, value]) => ({ period, value })),
    }),
  );

const monthsOf = async (metric: string): Promise<Month[]> =>
  expectData(await admin.get<Month[]>(`/metrics/${metric}/months`));

async function monthOf(metric: string, month: string): Promise<Month> {
  const found = (await monthsOf(metric)).find((each) => each.month === month);
  if (found === undefined) throw new Error(`${month} is not among the months`);
  return found;
}

const latestOf = async (metric: string) => expectData(await admin.get<Metric>(`/metrics/${metric}`)).latest;

const lock = (metric: string, month: string) => admin.post<Month>(`/metrics/${metric}/months/${month}/lock`);

describe('31 January 2026, noon', () => {
  it('shows twelve empty months at first, each with the reason why it is open', async () => {
    orders = await createMetric(admin, { name: 'Orders', unit: 'order', target: 2.4 });
    customers = await createMetric(admin, {
      name: 'Active customers',
      unit: 'customer',
      aggregation: 'average',
    });
    signups = await createMetric(admin, { name: 'Signups', unit: 'signup', frequency: 'monthly' });
    const months = await monthsOf(orders);
    expect(months.map(({ month }) => month)).toEqual([
      '2026-01',
      '2025-12',
      '2025-11',
      '2025-10',
      '2025-09',
      '2025-08',
      '2025-07',
      '2025-06',
      '2025-05',
      '2025-04',
      '2025-03',
      '2025-02',
    ]);
    for (const month of months) {
      expect(month).toEqual({
        month: month.month,
        cost: null,
        value: null,
        unit_cost: null,
        status: 'open',
        change_percent: null,
        change_basis: month.month === '2026-01' ? 'same_days' : 'month',
        cost_change_percent: null,
        above_target: false,
        version: null,
        locked: null,
        reason: textLike(/spend.*value/),
        can_lock: 'no',
        missing: [],
        notes: [],
        complete_through: null,
      });
    }
    expect(months[0]?.reason).toMatch(/has not ended/);
    expect(await latestOf(orders)).toBeNull();
  });

  it('computes unit costs once spend and values are there', async () => {
    await writeFile(awsFile, focusCsv([OCTOBER, NOVEMBER, ...DECEMBER, ...JANUARY]));
    aws = await create(admin, '/cost-sources', { name: 'AWS', kind: 'focus', location: awsFile });
    expect(await ingest(admin, aws)).toMatchObject({
      status: 'completed',
      months: ['2025-10', '2025-11', '2025-12', '2026-01'],
      cost_total: 780,
    });
    expect(
      await send(orders, {
        '2025-10-03': 40,
        '2025-12-05': 100,
        '2025-12-20': 50,
        '2026-01-10': 60,
        '2026-01-15': 100,
      }),
    ).toEqual({
      created: 5,
      replaced: 0,
      unchanged: 0,
      rounded: 0,
      months: ['2025-10', '2025-12', '2026-01'],
    });
    // Averages: December (10 + 20) ÷ 2 = 15, January (30 + 50) ÷ 2 = 40. Days without a value do not count.
    await send(customers, {
      '2025-11-30': 25,
      '2025-12-01': 10,
      '2025-12-31': 20,
      '2026-01-01': 30,
      '2026-01-31': 50,
    });
    await send(signups, { '2025-12': 3, '2026-01': 0 });

    // 300 ÷ 150 = 2. 400 ÷ 160 = 2.5, above 2.4. The days up to the last value, the 15th, are compared with those of December:
    // 250.25 ÷ 160 = 1.5640625 with 100 ÷ 100.
    expect(await monthOf(orders, '2025-12')).toMatchObject({ cost: 300, value: 150, unit_cost: 2 });
    expect(await monthOf(orders, '2026-01')).toMatchObject({
      cost: 400,
      value: 160,
      unit_cost: 2.5,
      change_percent: 56.40625,
      change_basis: 'same_days',
      cost_change_percent: 150.25,
      above_target: true,
      status: 'open',
      reason: textLike(/has not ended/),
    });
    // 300 ÷ 15 = 20, 400 ÷ 40 = 10. The days up to the 30th, the last full day, are compared: 250.25 ÷ 30 with 100 ÷ 10.
    expect(await monthOf(customers, '2025-12')).toMatchObject({ cost: 300, value: 15, unit_cost: 20 });
    expect(await monthOf(customers, '2026-01')).toMatchObject({
      cost: 400,
      value: 40,
      unit_cost: 10,
      change_percent: -16.583333,
    });
    // 300 ÷ 3 = 100. With a value of 0 there is no unit cost.
    expect(await monthOf(signups, '2025-12')).toMatchObject({ cost: 300, value: 3, unit_cost: 100 });
    expect(await monthOf(signups, '2026-01')).toMatchObject({
      cost: 400,
      value: 0,
      unit_cost: null,
      change_percent: null,
    });
    expect(await latestOf(orders)).toEqual({
      month: '2026-01',
      unit_cost: 2.5,
      change_percent: 56.40625,
      change_basis: 'same_days',
      status: 'open',
    });
    expect(await latestOf(signups)).toMatchObject({ month: '2025-12', unit_cost: 100 });
    const { items } = expectPage(await admin.get<Metric[]>('/metrics'));
    expect(items.map(({ id, latest }) => [id, latest?.unit_cost])).toEqual([
      [orders, 2.5],
      [customers, 10],
      [signups, 100],
    ]);
    expect(expectData(await admin.get<Metric>(`/metrics/${orders}`)).months).toEqual(await monthsOf(orders));
  });

  it('settles the past months at the end of the ingest', async () => {
    const states = async (metric: string) =>
      (await monthsOf(metric)).slice(0, 5).map(({ month, status }) => [month, status]);
    expect(await states(orders)).toEqual([
      ['2026-01', 'open'],
      ['2025-12', 'ready_to_lock'],
      ['2025-11', 'open'],
      ['2025-10', 'ready_to_lock'],
      ['2025-09', 'open'],
    ]);
    // With a bill of 0 the month has a known cost of 0.
    expect(await monthOf(customers, '2025-11')).toMatchObject({
      cost: 0,
      value: 25,
      unit_cost: 0,
      status: 'ready_to_lock',
    });
    expect(await monthOf(customers, '2025-12')).toMatchObject({ change_percent: null });
    expect((await monthOf(orders, '2025-11')).reason).toMatch(/no value/);
    expect((await monthOf(orders, '2025-09')).reason).toMatch(/no spend/);
    // A settled month is ready to lock once it has a value.
    await send(orders, { '2025-11-11': 8 });
    expect(await monthOf(orders, '2025-11')).toMatchObject({
      status: 'ready_to_lock',
      cost: 0,
      value: 8,
      unit_cost: 0,
      change_percent: -100,
      reason: null,
    });
    expect((await monthOf(orders, '2025-12')).change_percent).toBeNull();
  });

  it('flags months above the target, and not those that equal it', async () => {
    const flags = async () => (await monthsOf(orders)).slice(0, 2).map(({ above_target }) => above_target);
    expect(await flags()).toEqual([true, false]);
    for (const [target, expected] of [
      [2.5, [false, false]],
      [2.499999, [true, false]],
      [1.5, [true, true]],
      [null, [false, false]],
      [2.4, [true, false]],
    ] as const) {
      expect(expectData(await admin.patch<Metric>(`/metrics/${orders}`, { target })).target).toBe(target);
      expect(await flags()).toEqual(expected);
    }
  });

  it('shows every metric in the overview', async () => {
    const overview = expectData(
      await admin.get<{ metric: object; sparkline: (number | null)[] }[]>('/overview'),
    );
    expect(overview).toHaveLength(3);
    const record = expectData(await admin.get<Metric>(`/metrics/${orders}`));
    const [latest, before] = record.months.slice(
      record.months.findIndex(({ month }) => month === record.latest?.month),
    );
    expect(overview[0]).toEqual({
      metric: { id: orders, name: 'Orders', unit: 'order', kind: 'count' },
      latest: record.latest,
      // 250.25 compared with 100, in the first fifteen days.
      spend_change_percent: 150.25,
      change_basis: 'same_days',
      unit_cost_change_percent: latest?.change_percent,
      opposite_directions: (latest?.change_percent ?? 0) < 0,
      target: record.target,
      above_target: latest?.above_target,
      sparkline: record.months.map(({ unit_cost }) => unit_cost).reverse(),
      import_status: null,
    });
    expect(before?.month).toBe('2025-12');
    expect(overview[0]?.sparkline).toHaveLength(12);
  });

  it('locks months that are ready, and rejects the others with a reason', async () => {
    const locked = expectData(await lock(orders, '2025-12'));
    expect(locked).toEqual({
      month: '2025-12',
      cost: 300,
      value: 150,
      unit_cost: 2,
      status: 'locked',
      change_percent: null,
      change_basis: 'month',
      cost_change_percent: null,
      above_target: false,
      version: 1,
      locked: {
        version: 1,
        cost: 300,
        value: 150,
        unit_cost: 2,
        locked_at: '2026-01-31T12:00:00.000Z',
        locked_by: { type: 'key', id: textLike(/^key_/), name: 'First admin key' },
      },
      reason: null,
      can_lock: 'no',
      missing: [],
      notes: [],
      complete_through: '2025-12-31',
    });
    expect(await monthOf(orders, '2025-12')).toEqual(locked);
    expectError(await lock(orders, '2025-12'), 409, /locked already.*version 1/);
    expectError(await lock(orders, '2026-01'), 409, /2026-01.*has not ended/);
    expectError(await lock(orders, '2026-02'), 409, /2026-02.*has not ended/);
    expectError(await lock(orders, '2025-09'), 409, /2025-09.*no spend.*no value/);
    expectError(await lock(signups, '2025-10'), 409, /2025-10.*no value/);
    expectError(await lock(orders, '2025-1'), 400);
    for (const permission of ['read', 'write', 'metrics:ingest']) {
      const key = expectData(await admin.post<{ secret: string }>('/keys', { name: permission, permission }));
      const api = as(service, key.secret);
      expectError(await api.post(`/metrics/${customers}/months/2025-12/lock`), 403);
      // Everyone in the organisation may read months.
      if (permission !== 'metrics:ingest') expectData(await api.get(`/metrics/${orders}/months`));
    }
    expect(expectData(await admin.get(`/metrics/${orders}/months/2026-01/versions`))).toEqual([]);
    expect(expectData(await admin.get(`/metrics/${orders}/months/2025-12/versions`))).toHaveLength(1);
  });
});

describe('5 February 2026, one second before midnight', () => {
  it('January waits for five full days, and for the second source', async () => {
    await travelTo('2026-02-05T23:59:59Z');
    expect(await monthOf(orders, '2025-12')).toMatchObject({ status: 'locked', version: 1 });
    await settleDaily();
    expect(await monthOf(orders, '2026-01')).toMatchObject({
      status: 'open',
      reason: textLike(/settles on 2026-02-06/),
    });
    await writeFile(azureFile, focusCsv([dayLine('2026-01-10', '60', AZURE)]));
    azure = await create(admin, '/cost-sources', {
      name: 'Azure',
      kind: 'focus',
      location: azureFile,
    });
    expect((await monthOf(orders, '2026-01')).reason).toMatch(
      /"Azure" has not delivered 2026-01-01 to 2026-01-31 .nothing so far/,
    );
    await ingest(admin, azure);
    // 460 ÷ 160
    expect(await monthOf(orders, '2026-01')).toMatchObject({
      status: 'open',
      cost: 460,
      unit_cost: 2.875,
      change_percent: 43.75,
      reason: textLike(/"Azure" has not delivered 2026-01-11 to 2026-01-31 .delivered through 2026-01-10/),
    });
  });
});

describe('6 February 2026, midnight', () => {
  it('January still waits for Azure, and settles at the end of the ingest that brings its last day', async () => {
    await travelTo('2026-02-06T00:00:00Z');
    await settleDaily();
    expect(await monthOf(orders, '2026-01')).toMatchObject({ status: 'open' });
    expectError(await lock(orders, '2026-01'), 409, /Azure/);
    // The AWS ingest at noon of the 31st does not cover that day.
    expect((await monthOf(orders, '2026-01')).reason).toMatch(/"AWS" has not delivered 2026-01-31 /);
    await ingest(admin, aws);
    await writeFile(
      azureFile,
      focusCsv([dayLine('2026-01-10', '60', AZURE), dayLine('2026-01-31', '20', AZURE)]),
    );
    expect(await ingest(admin, azure)).toMatchObject({ status: 'completed', cost_total: 80 });
    // 480 ÷ 160 = 3, after 2 in December. 480 ÷ 40 = 12, after 20.
    expect(await monthOf(orders, '2026-01')).toMatchObject({
      status: 'ready_to_lock',
      cost: 480,
      value: 160,
      unit_cost: 3,
      change_percent: 50,
      reason: null,
    });
    expect(await monthOf(customers, '2026-01')).toMatchObject({
      status: 'ready_to_lock',
      unit_cost: 12,
      change_percent: -40,
    });
    expect(expectData(await lock(orders, '2026-01'))).toMatchObject({ status: 'locked', version: 1 });
    // A month with a value of 0 can be locked, without a unit cost.
    expect(expectData(await lock(signups, '2026-01'))).toMatchObject({
      status: 'locked',
      locked: { version: 1, cost: 480, value: 0, unit_cost: null },
    });
  });

  it('the same values again change nothing', async () => {
    expect(await send(orders, { '2026-01-15': 100, '2026-01-10': 60 })).toEqual({
      created: 0,
      replaced: 0,
      unchanged: 2,
      rounded: 0,
      months: [],
    });
    expect(await monthOf(orders, '2026-01')).toMatchObject({ status: 'locked' });
  });

  it('another value marks the month as changed since its lock, with today’s numbers beside the frozen ones', async () => {
    expect(await send(orders, { '2026-01-15': 90, '2026-01-10': 60 })).toEqual({
      created: 0,
      replaced: 1,
      unchanged: 1,
      rounded: 0,
      months: ['2026-01'],
    });
    expect(await monthOf(orders, '2026-01')).toMatchObject({
      status: 'changed_since_lock',
      cost: 480,
      value: 160,
      unit_cost: 3,
      change_percent: 50,
      version: 1,
      locked: { version: 1, cost: 480, value: 160, unit_cost: 3 },
      // 480 ÷ 150
      current: { cost: 480, value: 150, unit_cost: 3.2 },
      reason: null,
    });
    expect(await latestOf(orders)).toEqual({
      month: '2026-01',
      unit_cost: 3,
      change_percent: 50,
      change_basis: 'month',
      status: 'changed_since_lock',
    });
    // The other months and metrics stay as they are.
    expect(await monthOf(orders, '2025-12')).toMatchObject({ status: 'locked' });
    expect(await monthOf(customers, '2026-01')).toMatchObject({ status: 'ready_to_lock' });
    // A value of a new period changes a month too. So does a return to the value of the lock.
    await send(orders, { '2025-12-06': 50 });
    expect(await monthOf(orders, '2025-12')).toMatchObject({
      status: 'changed_since_lock',
      unit_cost: 2,
      current: { cost: 300, value: 200, unit_cost: 1.5 },
    });
    await send(orders, { '2026-01-15': 100 });
    expect(await monthOf(orders, '2026-01')).toMatchObject({
      status: 'changed_since_lock',
      current: { cost: 480, value: 160, unit_cost: 3 },
    });
    await send(orders, { '2026-01-15': 90 });
  });

  it('restated spend moves months that are not locked, and no others', async () => {
    // January's last day costs 20 more: 500 in all.
    const restated = JANUARY.map((line) =>
      line['EffectiveCost'] === '149.75' ? dayLine('2026-01-31', '169.75') : line,
    );
    await writeFile(awsFile, focusCsv([OCTOBER, NOVEMBER, ...DECEMBER, ...restated]));
    await ingest(admin, aws);
    expect(await monthOf(signups, '2026-01')).toMatchObject({ status: 'locked', cost: 480, version: 1 });
    expect(await monthOf(signups, '2026-01')).not.toHaveProperty('current');
    expect(await monthOf(orders, '2026-01')).toMatchObject({
      status: 'changed_since_lock',
      cost: 480,
      unit_cost: 3,
      // 500 ÷ 150
      current: { cost: 500, value: 150, unit_cost: 3.333333 },
    });
    // 500 ÷ 40 = 12.5
    expect(await monthOf(customers, '2026-01')).toMatchObject({
      status: 'ready_to_lock',
      cost: 500,
      unit_cost: 12.5,
      change_percent: -37.5,
    });
  });

  it('a second lock adds a version, and keeps the first', async () => {
    const relocked = expectData(await lock(orders, '2026-01'));
    expect(relocked).toMatchObject({
      status: 'locked',
      cost: 500,
      value: 150,
      unit_cost: 3.333333,
      version: 2,
      locked: { version: 2, cost: 500, value: 150, unit_cost: 3.333333 },
    });
    expect(relocked).not.toHaveProperty('current');
    const by = { type: 'key', id: anyText, name: 'First admin key' };
    const at = '2026-02-06T00:00:00.000Z';
    expect(expectData(await admin.get(`/metrics/${orders}/months/2026-01/versions`))).toEqual([
      {
        version: 2,
        cost: 500,
        value: 150,
        unit_cost: 3.333333,
        locked_at: at,
        locked_by: by,
        reason: null,
        missing: [],
      },
      {
        version: 1,
        cost: 480,
        value: 160,
        unit_cost: 3,
        locked_at: at,
        locked_by: by,
        reason: null,
        missing: [],
      },
    ]);
    expectError(await lock(orders, '2026-01'), 409, /version 2/);
  });

  it('the history lists every change newest first, with the value before and the actor', async () => {
    const { items } = expectPage(
      await admin.get<Record<string, unknown>[]>(`/metrics/${orders}/history?limit=4`),
    );
    expect(items.map(({ period, value, previous }) => [period, value, previous])).toEqual([
      ['2026-01-15', 90, 100],
      ['2026-01-15', 100, 90],
      ['2025-12-06', 50, null],
      ['2026-01-15', 90, 100],
    ]);
    expect(items[0]).toEqual({
      period: '2026-01-15',
      action: 'set',
      value: 90,
      previous: 100,
      source: 'api',
      changed_by: { type: 'key', id: textLike(/^key_/), name: 'First admin key' },
      changed_at: '2026-02-06T00:00:00.000Z',
    });
    const values = expectPage(
      await admin.get<Record<string, unknown>[]>(`/metrics/${orders}/values?start=2025-12&end=2026-01-10`),
    );
    expect(values.items.map(({ period, value }) => [period, value])).toEqual([
      ['2025-12-05', 100],
      ['2025-12-06', 50],
      ['2025-12-20', 50],
      ['2026-01-10', 60],
    ]);
    const monthly = expectPage(await admin.get<Record<string, unknown>[]>(`/metrics/${signups}/values`));
    expect(monthly.items.map(({ period, value }) => [period, value])).toEqual([
      ['2025-12', 3],
      ['2026-01', 0],
    ]);
    const audit = expectPage(await admin.get<{ action: string; detail: object }[]>('/audit-log'));
    expect(
      audit.items.filter(({ action }) => action === 'month.lock').map(({ detail }) => detail),
    ).toMatchObject([
      { month: '2026-01', version: 2 },
      { month: '2026-01', version: 1 },
      { month: '2026-01', version: 1 },
      { month: '2025-12', version: 1 },
    ]);
  });
});

describe('March 2026', () => {
  it('the daily settlement makes February ready to lock without an ingest', async () => {
    await travelTo('2026-03-01T06:00:00Z');
    const february = [dayLine('2026-02-01', '300'), dayLine('2026-02-28', '300')];
    await writeFile(awsFile, focusCsv(february));
    await writeFile(azureFile, focusCsv([dayLine('2026-02-28', '150', AZURE)]));
    // The export has only February, so that earlier billing periods stay as they are.
    await ingest(admin, aws);
    await ingest(admin, azure);
    await send(orders, { '2026-02-14': 250 });
    // 750 ÷ 250
    expect(await monthOf(orders, '2026-02')).toMatchObject({
      status: 'open',
      cost: 750,
      value: 250,
      unit_cost: 3,
      reason: textLike(/settles on 2026-03-06/),
    });
    expect(await monthOf(orders, '2026-03')).toMatchObject({ status: 'open', unit_cost: null });
    expect(await latestOf(orders)).toMatchObject({ month: '2026-02', unit_cost: 3, status: 'open' });

    await travelTo('2026-03-06T00:00:00Z');
    expect(await monthOf(orders, '2026-02')).toMatchObject({ status: 'open' });
    await settleDaily();
    expect(await monthOf(orders, '2026-02')).toMatchObject({ status: 'ready_to_lock', reason: null });
    // A second settlement changes nothing.
    await settleDaily();
    expect(expectData(await lock(orders, '2026-02'))).toMatchObject({ status: 'locked', version: 1 });
    const months = await monthsOf(orders);
    expect(months).toHaveLength(12);
    expect([months[0]?.month, months.at(-1)?.month]).toEqual(['2026-03', '2025-04']);
  });

  it('compares exact unit costs, and not their six decimals', async () => {
    // January is locked with 500 ÷ 150, and December with 2. The increase is two thirds, not 66.66665 %.
    expect((await monthOf(orders, '2026-01')).change_percent).toBe(66.666667);
    // February's 3 is a tenth less than 500 ÷ 150, not 9.999991 %.
    expect((await monthOf(orders, '2026-02')).change_percent).toBe(-10);
    // 300 ÷ 200,000,000 = 0.0000015 is written as 0.000002, but lies below a target of 0.0000019.
    const calls = await createMetric(admin, { name: 'Calls', frequency: 'monthly', target: 0.0000019 });
    await send(calls, { '2025-10': 40_000_000, '2025-12': 200_000_000 });
    expect(await monthOf(calls, '2025-12')).toMatchObject({
      unit_cost: 0.000002,
      above_target: false,
    });
    expectData(await admin.delete(`/metrics/${calls}`));
  });

  it('a deleted source takes its spend from open months, and never from locked ones', async () => {
    expectData(await admin.delete(`/cost-sources/${azure}`));
    // 500 − 80
    expect(await monthOf(customers, '2026-01')).toMatchObject({ cost: 420, unit_cost: 10.5 });
    expect(await monthOf(orders, '2026-01')).toMatchObject({ status: 'locked', cost: 500, version: 2 });
    expect(await monthOf(orders, '2026-02')).toMatchObject({ status: 'locked', cost: 750 });
    await rm(azureFile);
  });

  it('a deleted metric is gone, and the others stay', async () => {
    expectData(await admin.delete(`/metrics/${signups}`));
    for (const path of ['', '/values', '/history', '/months', '/months/2026-01/versions']) {
      expectError(await admin.get(`/metrics/${signups}${path}`), 404);
    }
    expectError(await admin.delete(`/metrics/${signups}`), 404);
    expectError(
      await admin.post(`/metrics/${signups}/values`, { values: [{ period: '2026-01', value: 1 }] }),
      404,
    );
    expect(expectPage(await admin.get<Metric[]>('/metrics')).items.map(({ id }) => id)).toEqual([
      orders,
      customers,
    ]);
  });

  it.runIf(THOROUGH)('months and versions survive a kill of the process', async () => {
    const before = [await monthsOf(orders), await monthsOf(customers)];
    await service.kill();
    await service.start({ CLOCK: '2026-03-06T00:00:00Z' });
    admin = as(service, secret);
    expect([await monthsOf(orders), await monthsOf(customers)]).toEqual(before);
    expect(expectData(await admin.get(`/metrics/${orders}/months/2026-01/versions`))).toHaveLength(2);
  });
});
