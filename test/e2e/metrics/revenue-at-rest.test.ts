import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { beforeAll, expect, it } from 'vitest';
import type { BalanceTransaction } from '../../../domain/imports/stripe/net-sales-progress.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { filesWith, formsOf } from '../../support/fakes/search-bytes.ts';
import { startFakeStripe } from '../../support/fakes/stripe/fake-stripe.ts';
import { TEST_KEY } from '../../support/fakes/stripe/key-parts.ts';
import { stripeAccount } from '../../../demo/stripe/stripe-account.ts';
import { create, createMetric, SALES } from '../../support/service/create.ts';
import { ingest, newOrganisation, waitFor, type Api } from '../../support/service/api-client.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { importEnd, put } from '../../support/service/imports.ts';
import { withService } from '../../support/service/with-service.ts';
import { openTemporal, runScheduled } from '../../support/service/temporal-client.ts';
import { withOpened } from '../../support/with-opened.ts';

/**
 * A story with revenue, and then a search of everything that the service has stored for its numbers: files of the warehouse with
 * its write-ahead log, of Temporal, of logs, and every column of every table.
 */

/**
 * Values, and what derives from them: the sum of January, its margin after a cost of 400, the sum after a change. None has a row of
 * zeros, because the durations in the log do.
 */
const NUMBERS = [7_654_321.25, 467_912.5, 8_122_233.75, 8_121_833.75, 7_654_444.25, 8_122_356.75];
/** A hundred sales of 987,654.31 on one day, as Stripe lists them, in dollars. The second page has fifty of the day before. */
const IMPORTED = [987_654.31, 98_765_431, 49_382_715.5];
/** A count, which is not private: the search finds it. */
const COUNT = 5_432_109.25;

let admin: Api;
const stripe = withOpened(() => startFakeStripe(stripeAccount(TEST_KEY, Array.from({ length: 150 }, sale))));

const sale = (_: unknown, index: number): BalanceTransaction => ({
  id: `txn_${index}`,
  amount: 98_765_431,
  created: Date.parse(index < 50 ? '2026-02-04T12:00:00Z' : '2026-02-05T12:00:00Z') / 1000 + index,
  currency: 'usd',
  reporting_category: 'charge',
});

const service = withService(() => {
  const STRIPE_API_BASE = `http://127.0.0.1:${stripe.base.port}`;
  return { CLOCK: '2026-02-07T06:00:00Z', PRIVATE_TARGETS: '127.0.0.1', STRIPE_API_BASE };
});

beforeAll(async () => {
  ({ admin } = await newOrganisation(service, { tier: 'enterprise' }));
});

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

/** Imports two pages of transactions. Temporal gets the progress between them, while Stripe makes the import wait. */
async function importSlowly(metric: string): Promise<void> {
  expectData(await put(admin, `/metrics/${metric}/import`, { type: 'stripe', api_key: TEST_KEY }));
  await importEnd(admin, metric);
  // Once the first page has been read, the request for the second has to wait.
  const { ledger } = stripe.account;
  const limitNext = once(() => stripe.faults.push({ kind: 'rate_limit', retryAfterSeconds: 3 }));
  stripe.account.ledger = {
    ...ledger,
    at: (index) => {
      queueMicrotask(limitNext);
      return ledger.at(index);
    },
  };
  const listed = stripe.requests.length;
  expectData(await admin.post(`/metrics/${metric}/import/run`));
  // Temporal has stored the progress, sealed.
  await waitFor(async () => {
    const holders = await filesWith(service.dataDir, [Buffer.from('"sealed":"v1.')]);
    return holders.some((file) => file.startsWith('temporal.db')) ? true : undefined;
  });
  expect((await importEnd(admin, metric)).last_run).toMatchObject({ status: 'completed', rows: 150 });
  // The first page, the refusal, and the second page.
  expect(stripe.requests.length - listed).toBe(3);
  const { items } = expectPage(await admin.get<{ value: number }[]>(`/metrics/${metric}/values`));
  expect(items.map(({ value }) => value)).toEqual([49_382_715.5, 98_765_431]);
}

async function maintain(): Promise<void> {
  const temporal = await openTemporal(service.dataDir);
  await runScheduled(temporal, 'maintain-warehouse');
  await temporal.close();
}

/** Returns the columns of the warehouse whose text contains any of some texts. */
async function columnsWith(file: string, texts: readonly string[]): Promise<string[]> {
  const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  try {
    const columns = await connection.runAndReadAll(
      `SELECT table_name AS "table", column_name AS "column" FROM duckdb_columns() WHERE NOT internal`,
    );
    const found: string[] = [];
    for (const { table, column } of columns.getRowObjects() as { table: string; column: string }[]) {
      const has = texts.map((text) => `contains(CAST("${column}" AS VARCHAR), '${text}')`).join(' OR ');
      const { rowCount } = await connection.run(`FROM "${table}" WHERE ${has} LIMIT 1`);
      if (rowCount > 0) found.push(`${table}.${column}`);
    }
    return found;
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

it('leaves no number of revenue in any file or table', async () => {
  const { dataDir } = service;
  const file = join(dataDir, 'aws.csv');
  await writeFile(file, focusCsv([dayLine('2026-01-01', '400'), dayLine('2026-01-31', '0')]));
  const source = { name: 'AWS', kind: 'focus', location: file };
  await ingest(admin, await create(admin, '/cost-sources', source));
  const sales = await createMetric(admin, { ...SALES, target: 1 });
  const orders = await createMetric(admin, { unit: 'USD', target: 1 });
  const webhook = { url: 'http://127.0.0.1:9/', events: ['unit_cost.changed'] };
  expectData(await admin.post('/webhooks', webhook));
  const [first = 0, second = 0] = NUMBERS;
  const values = [{ period: '2026-01-05', value: first }];
  expectData(await admin.post(`/metrics/${sales}/values`, { values }));
  const count = { values: [{ period: '2026-01-05', value: COUNT }] };
  expectData(await admin.post(`/metrics/${orders}/values`, count));
  const upload = (body: string) =>
    admin.send('POST', `/metrics/${sales}/values/csv`, { headers: { 'content-type': 'text/csv' }, body });
  expectData(await upload(`2026-01-06,${second}\n`));
  expectError(await upload(`2026-01-06,${second}\n2026-13-06,${first}\n`), 400);
  expectData(await admin.post(`/metrics/${sales}/months/2026-01/lock`));
  const byHand = { headers: { 'content-type': 'application/json' }, body: '{"value": 7654444.25}' };
  expectData(await admin.send('PUT', `/metrics/${sales}/values/2026-01-05`, byHand));
  expectData(await admin.post(`/metrics/${sales}/months/2026-01/lock`));
  for (const path of ['', '/months', '/values', '/history', '/months/2026-01/versions'])
    expect((await admin.get(`/metrics/${sales}${path}`)).status).toBe(200);
  expectData(await admin.get('/overview'));
  await importSlowly(await createMetric(admin, { ...SALES, name: 'Card sales' }));

  const forms = [
    ...[...NUMBERS, ...IMPORTED].flatMap(formsOf),
    Buffer.from(TEST_KEY),
    Buffer.from(TEST_KEY.slice(8)),
  ];
  const findsTheCount = async (): Promise<void> => {
    expect((await filesWith(dataDir, formsOf(COUNT))).length).toBeGreaterThan(0);
  };
  // While it runs, and as a crash leaves it, with the write-ahead log.
  expect(await filesWith(dataDir, forms)).toEqual([]);
  await service.kill();
  expect(await filesWith(dataDir, forms)).toEqual([]);
  await findsTheCount();
  const crashed = service.logs();
  await service.start();
  await maintain();
  expect(await service.stop()).toBe(0);
  expect(await filesWith(dataDir, forms)).toEqual([]);

  const logs = crashed + service.logs();
  expect(logs).toContain('/metrics/');
  const texts = [...NUMBERS, ...IMPORTED].flatMap((number) => [
    String(number),
    number.toFixed(2).replace('.', ''),
  ]);
  expect(texts.filter((text) => logs.includes(text))).toEqual([]);
  const warehouse = join(dataDir, 'warehouse.duckdb');
  expect(await columnsWith(warehouse, texts)).toEqual([]);
  expect(await columnsWith(warehouse, [String(COUNT)])).toContain('metric_value_changes.value');
});
