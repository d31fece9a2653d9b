import { beforeAll, describe, expect, it } from 'vitest';
import type { BalanceTransaction } from '../../../domain/imports/stripe/net-sales-progress.ts';
import { newServiceAccount } from '../../support/fakes/bigquery/service-account.ts';
import { keyPartsIn, TEST_KEY } from '../../support/fakes/stripe/key-parts.ts';
import { ledgerOf } from '../../../demo/stripe/ledger.ts';
import { startFakeStripe } from '../../support/fakes/stripe/fake-stripe.ts';
import { READ_TRANSACTIONS, stripeAccount } from '../../../demo/stripe/stripe-account.ts';
import { filesWith } from '../../support/fakes/search-bytes.ts';
import { THOROUGH } from '../../support/effort.ts';
import { createMetric, SALES } from '../../support/service/create.ts';
import { as, asOperator, newOrganisation, waitFor, type Api } from '../../support/service/api-client.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { importEnd, importNow, put, type Import } from '../../support/service/imports.ts';
import { withService } from '../../support/service/with-service.ts';
import { openTemporal, runScheduled } from '../../support/service/temporal-client.ts';
import { withOpened } from '../../support/with-opened.ts';

/** The import of revenue from Stripe. It is 7 February 2026. Each test continues the story. */

const stripe = withOpened(() => startFakeStripe(stripeAccount(TEST_KEY, LEDGER)));
const service = withService(() => environment());
let organisationId: string;

let admin: Api;
let sales: string;

const environment = () => ({
  CLOCK: '2026-02-07T06:00:00Z',
  STRIPE_API_BASE: `http://127.0.0.1:${stripe.base.port}`,
  // Nothing else may be reached.
  BIGQUERY_API_ENDPOINT: 'http://127.0.0.1:9',
});

const WITH_KEY = { type: 'stripe', api_key: TEST_KEY };

const transaction = (
  id: number,
  created: string,
  amount: number,
  reporting_category = 'charge',
  currency = 'usd',
): BalanceTransaction => ({
  id: `txn_${id}`,
  amount,
  created: Date.parse(created) / 1000,
  currency,
  reporting_category,
});

/** Net sales in USD: 2025-03-01 10.00; 2026-01-31 19.99 − 5.00; 2026-02-07 −1.50. In EUR 7.00 + 0.05. */
const LEDGER = [
  transaction(1, '2025-02-28T23:59:59Z', 99_900),
  transaction(2, '2025-03-01T00:00:00Z', 1_000),
  transaction(3, '2026-01-31T08:00:00Z', 1_999),
  transaction(4, '2026-01-31T23:59:59Z', -500, 'refund'),
  transaction(5, '2026-01-31T12:00:00Z', -1_200, 'payout'),
  transaction(6, '2026-01-31T12:00:00Z', 700, 'charge', 'eur'),
  transaction(12, '2025-12-31T12:00:00Z', 5, 'charge', 'eur'),
  transaction(7, '2026-02-07T00:00:00Z', -150, 'dispute'),
  transaction(8, '2026-02-07T01:00:00Z', 333, 'moon_tax'),
  transaction(13, '2025-12-30T01:00:00Z', -75, 'other_adjustment'),
];

const valuesOf = async (): Promise<[string, number][]> =>
  expectPage(await admin.get<{ period: string; value: number }[]>(`/metrics/${sales}/values`)).items.map(
    ({ period, value }) => [period, value],
  );

beforeAll(async () => {
  ({ id: organisationId, admin } = await newOrganisation(service, { tier: 'business' }));
  sales = await createMetric(admin, SALES);
});

describe('before it is connected', () => {
  it('is not there', async () => {
    expectError(await admin.get(`/metrics/${sales}/import`), 404, /import of metric/);
    expectError(await admin.post(`/metrics/${sales}/import/run`), 404);
    expectError(await admin.delete(`/metrics/${sales}/import`), 404);
    expect(expectData(await admin.get(`/metrics/${sales}`))).toMatchObject({ import: null });
  });

  it('refuses other keys before anything is sent, and repeats none', async () => {
    const asked = stripe.requests.length;
    const others = [TEST_KEY.replace('rk_', 'sk_'), TEST_KEY.replace('rk_', 'pk_'), 'rk_test_', 42, null];
    for (const api_key of others)
      for (const path of ['import', 'import/check']) {
        const body = { type: 'stripe', api_key };
        const url = `/metrics/${sales}/${path}`;
        const answer = path === 'import' ? await put(admin, url, body) : await admin.post(url, body);
        expect(keyPartsIn(expectError(answer, 400, /^api_key: expected a restricted key/))).toEqual([]);
      }
    expect(stripe.requests).toHaveLength(asked);
  });

  it('is only for daily revenue', async () => {
    const orders = await createMetric(admin);
    expectError(await put(admin, `/metrics/${orders}/import`, WITH_KEY), 400, /"bigquery" on a count metric/);
    const monthly = await createMetric(admin, { ...SALES, name: 'Monthly', frequency: 'monthly' });
    expectError(await put(admin, `/metrics/${monthly}/import`, WITH_KEY), 400, /expected a daily metric/);
  });

  it('says what a person must do about a key that Stripe rejects', async () => {
    const unknown = { ...WITH_KEY, api_key: 'rk_test_unknown00000000000000' };
    const answer = await put(admin, `/metrics/${sales}/import`, unknown);
    expect(expectError(answer, 400, /restricted key/)).not.toContain('unknown0000');
    stripe.account.keys.set(TEST_KEY, new Set());
    const check = expectData(
      await admin.post<{ ok: boolean; problems: string[] }>(`/metrics/${sales}/import/check`, WITH_KEY),
    );
    expect(check.ok).toBe(false);
    expect(check.problems.join()).toMatch(/rak_balance_transaction_read/);
    stripe.account.keys.set(TEST_KEY, new Set([READ_TRANSACTIONS]));
    expect(expectData(await admin.post(`/metrics/${sales}/import/check`, WITH_KEY))).toEqual({
      ok: true,
      problems: [],
    });
    expectError(await admin.get(`/metrics/${sales}/import`), 404);
  });
});

describe('a platform that is away', () => {
  // The client of BigQuery waits for a quarter of a minute before it gives up.
  it.runIf(THOROUGH)('is a 503, and nothing is stored', async () => {
    const id = await createMetric(admin, { name: 'Visits', unit: 'visit' });
    const query = 'SELECT day, value FROM visits WHERE day BETWEEN @start AND @end';
    const body = { type: 'bigquery', project_id: 'shop', query, credentials: newServiceAccount().key };
    expectError(await put(admin, `/metrics/${id}/import`, body), 503, /cannot be reached/);
    expectError(await admin.get(`/metrics/${id}/import`), 404);
    expectData(await admin.delete(`/metrics/${id}`));
  });
});

describe('a connection', () => {
  it('imports net sales of twelve months by UTC day, and lists what does not count', async () => {
    const connected = expectData(await put<Import>(admin, `/metrics/${sales}/import`, WITH_KEY));
    expect(connected).toMatchObject({ type: 'stripe', status: 'connected', first_month: '2025-03' });
    const ended = await importEnd(admin, sales);
    expect(ended.last_run).toMatchObject({
      status: 'completed',
      start_day: '2025-03-01',
      end_day: '2026-02-07',
      rows: 9,
      changed: 3,
      removed: 0,
      error: null,
    });
    expect(ended.last_run?.notes).toEqual([
      expect.stringMatching(/category moon_tax were not counted \(1\)/),
      expect.stringMatching(/category other_adjustment were not counted \(1\)/),
    ]);
    expect(ended.other_currencies).toEqual([{ currency: 'EUR', net_sales: 7.05 }]);
    expect(ended.left_out).toEqual([
      { category: 'moon_tax', currency: 'USD', amount: 3.33, transactions: 1 },
      { category: 'other_adjustment', currency: 'USD', amount: -0.75, transactions: 1 },
    ]);
    expect(ended.next_run_at).toBe('2026-02-08T05:45:00.000Z');
    expect(keyPartsIn(ended)).toEqual([]);
    expect(await valuesOf()).toEqual([
      ['2025-03-01', 10],
      ['2026-01-31', 14.99],
      ['2026-02-07', -1.5],
    ]);
    const [change] = expectPage(await admin.get<object[]>(`/metrics/${sales}/history?limit=1`)).items;
    expect(change).toMatchObject({ source: 'payments', changed_by: { type: 'import', name: 'Stripe' } });
    expect(expectData(await admin.get(`/metrics/${sales}`))).toMatchObject({
      import: { type: 'stripe', status: 'connected' },
    });
    expect(expectData(await admin.get<object[]>('/overview'))).toContainEqual(
      expect.objectContaining({ import_status: 'connected' }),
    );
  });

  it('owns the values: nobody else changes them', async () => {
    const csv = { headers: { 'content-type': 'text/csv' }, body: '2020-01-01,1\n' };
    const refused = [
      await admin.post(`/metrics/${sales}/values`, { values: [{ period: '2026-01-01', value: 1 }] }),
      await put(admin, `/metrics/${sales}/values/2026-01-01`, { value: 1 }),
      await admin.delete(`/metrics/${sales}/values?period=2026-01-31`),
      await admin.send('POST', `/metrics/${sales}/values/csv`, csv),
    ];
    for (const answer of refused) expectError(answer, 409, /imported from Stripe; disconnect/);
    expect(await valuesOf()).toHaveLength(3);
  });

  it('reads the running month and the one before, or from a month on', async () => {
    const more = [
      ...LEDGER,
      transaction(9, '2026-02-03T00:00:00Z', 250),
      transaction(10, '2025-12-31T23:59:59Z', 1),
    ];
    stripe.account.ledger = ledgerOf(more);
    const before = stripe.requests.length;
    const { last_run } = await importNow(admin, sales);
    expect(last_run).toMatchObject({ start_day: '2026-01-01', changed: 1 });
    const days = stripe.requests
      .slice(before)
      .map(({ query }) => [query['created[gte]'], query['created[lt]']]);
    // 1 January to the end of 7 February 2026.
    expect(days).toEqual([['1767225600', '1770508800']]);
    expect(await valuesOf()).toContainEqual(['2026-02-03', 2.5]);
    // 7.00 in January, and 0.05 in December, which this run did not read.
    const after = await importEnd(admin, sales);
    expect(after.other_currencies).toEqual([{ currency: 'EUR', net_sales: 7.05 }]);
    // The note of December is on an earlier run. Its amount stays listed.
    expect(last_run?.notes).toHaveLength(1);
    expect(after.left_out).toMatchObject([{ category: 'moon_tax' }, { category: 'other_adjustment' }]);
    const from = await importNow(admin, sales, { start_month: '2025-12' });
    expect(from.last_run).toMatchObject({ start_day: '2025-12-01', changed: 1 });
    const future = await admin.post(`/metrics/${sales}/import/run`, { start_month: '2026-03' });
    expectError(future, 400, /start_month: expected at most 2026-02, got "2026-03"/);
  });

  it('has a schedule of its own at 05:45 UTC', async () => {
    const temporal = await openTemporal(service.dataDir);
    const handle = temporal.client.schedule.getHandle(`import/${organisationId}/${sales}`);
    const { spec } = await handle.describe();
    expect(spec.calendars).toMatchObject([{ hour: [{ start: 5 }], minute: [{ start: 45 }] }]);
    const before = (await importEnd(admin, sales)).last_run?.run_id;
    await handle.trigger();
    const next = await waitFor(async () => {
      const { last_run } = await importEnd(admin, sales);
      return last_run?.run_id === before ? undefined : last_run;
    });
    expect(next).toMatchObject({ status: 'completed', changed: 0 });
    await temporal.close();
  });

  it('keeps the values and says what to do if the key is revoked', async () => {
    stripe.account.keys.delete(TEST_KEY);
    const { status, last_run } = await importNow(admin, sales);
    expect(status).toBe('connected');
    expect(last_run).toMatchObject({ status: 'failed', changed: 0 });
    expect(last_run?.error).toMatch(/restricted key/);
    expect(keyPartsIn(last_run)).toEqual([]);
    expect(await valuesOf()).toHaveLength(5);
    stripe.account.keys.set(TEST_KEY, new Set([READ_TRANSACTIONS]));
    expect((await importNow(admin, sales)).last_run).toMatchObject({ status: 'completed' });
  });

  it('survives faults of the platform', async () => {
    stripe.account.ledger = ledgerOf([...LEDGER, transaction(11, '2026-02-04T00:00:00Z', 400)]);
    stripe.faults.push({ kind: 'cut' }, { kind: 'rate_limit', retryAfterSeconds: 1 });
    expect((await importNow(admin, sales)).last_run).toMatchObject({ status: 'completed', changed: 1 });
    expect(stripe.askedTooSoon).toBe(0);
  });

  it('pauses below Business, and goes on after an upgrade', async () => {
    const operator = await asOperator(service);
    expectData(await operator.patch(`/organisations/${organisationId}`, { tier: 'professional' }));
    const paused = expectData(await admin.get<Import>(`/metrics/${sales}/import`));
    expect(paused).toMatchObject({ status: 'paused', next_run_at: null });
    expect(paused.paused_reason).toMatch(/Business plan or above/);
    expectError(await admin.post(`/metrics/${sales}/import/run`), 403, /Business/);
    expectError(await put(admin, `/metrics/${sales}/import`, WITH_KEY), 403, /Business/);
    expectError(await admin.delete(`/metrics/${sales}/import`), 403, /Business/);
    const before = stripe.requests.length;
    const temporal = await openTemporal(service.dataDir);
    // The workflow of the schedule ends without a run.
    await runScheduled(temporal, `import/${organisationId}/${sales}`);
    await temporal.close();
    expect(stripe.requests).toHaveLength(before);
    expectData(await operator.patch(`/organisations/${organisationId}`, { tier: 'business' }));
    expect((await importNow(admin, sales)).last_run).toMatchObject({ status: 'completed' });
  });

  it('is read by admins only, and each view is in the audit log', async () => {
    const { secret: readSecret } = expectData(
      await admin.post<{ secret: string }>('/keys', { name: 'Reader', permission: 'read' }),
    );
    expectError(await as(service, readSecret).get(`/metrics/${sales}/import`), 403);
    const log = expectPage(await admin.get<{ action: string; detail: object }[]>('/audit-log?limit=1000'));
    expect(log.items).toContainEqual(
      expect.objectContaining({ action: 'viewed', detail: { viewed: 'import' } }),
    );
    const actions = log.items.map(({ action }) => action);
    expect(actions).toContain('import.create');
    expect(actions.filter((action) => action === 'values.change').length).toBeGreaterThan(3);
    expect(keyPartsIn(log.items)).toEqual([]);
  });
});

describe('a disconnected metric', () => {
  it('keeps its values, which can be edited again, and forgets the key for good', async () => {
    const { dataDir } = service;
    expectData(await admin.delete(`/metrics/${sales}/import`));
    expectError(await admin.get(`/metrics/${sales}/import`), 404);
    expect(await valuesOf()).toHaveLength(6);
    expectData(await put(admin, `/metrics/${sales}/values/2026-01-31`, { value: 15 }));
    const temporal = await openTemporal(dataDir);
    const schedule = temporal.client.schedule.getHandle(`import/${organisationId}/${sales}`);
    await expect(schedule.describe()).rejects.toThrow(/not found/i);
    await temporal.close();
    // The key was never in any file or log.
    expect(await filesWith(dataDir, [Buffer.from(TEST_KEY), Buffer.from(TEST_KEY.slice(8))])).toEqual([]);
    expect(keyPartsIn(service.logs())).toEqual([]);
  });

  it('goes with its metric', async () => {
    expectData(await put(admin, `/metrics/${sales}/import`, WITH_KEY));
    await importEnd(admin, sales);
    expectData(await admin.delete(`/metrics/${sales}`));
    const temporal = await openTemporal(service.dataDir);
    const schedule = temporal.client.schedule.getHandle(`import/${organisationId}/${sales}`);
    await expect(schedule.describe()).rejects.toThrow(/not found/i);
    await temporal.close();
  });
});
