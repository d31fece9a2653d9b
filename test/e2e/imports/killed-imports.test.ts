import { beforeAll, describe, expect, it } from 'vitest';
import type { BalanceTransaction } from '../../../domain/imports/stripe/net-sales-progress.ts';
import { addDays, type Day } from '../../../domain/shared/calendar.ts';
import { KILLS, SEED, THOROUGH } from '../../support/effort.ts';
import { startFakeBigQuery } from '../../support/fakes/bigquery/fake-bigquery.ts';
import { TEST_KEY } from '../../support/fakes/stripe/key-parts.ts';
import { ledgerOf } from '../../../demo/stripe/ledger.ts';
import { startFakeStripe } from '../../support/fakes/stripe/fake-stripe.ts';
import { stripeAccount } from '../../../demo/stripe/stripe-account.ts';
import { createMetric, SALES } from '../../support/service/create.ts';
import { as, newOrganisation, waitFor, type Api } from '../../support/service/api-client.ts';
import { expectData, expectPage } from '../../support/service/envelope.ts';
import { importEnd, put, type Import } from '../../support/service/imports.ts';
import { withService } from '../../support/service/with-service.ts';
import { COUNTED_TEST_MS } from '../../support/patience.ts';
import { withOpened } from '../../support/with-opened.ts';

/** Imports while the service is killed at random moments. Each round imports other numbers. */

const QUERY = 'SELECT day, value FROM shop.orders WHERE day BETWEEN @start AND @end';
/** Pages of a hundred. */
const TRANSACTIONS = 4_000;
const FIRST: Day = '2026-01-01';
const DAYS = 38;
/** Starts, reads and ends of both runs lie within it. */
const LONGEST_WAIT_MS = 1_500;

const stripe = withOpened(() => startFakeStripe(stripeAccount(TEST_KEY)));
const bigQuery = withOpened(startFakeBigQuery);
let secret: string;
let sales: string;
let orders: string;

const admin = (): Api => as(service, secret);

/** Lays other numbers, and returns the values that both imports must have then. */
function layNumbers(round: number): { sales: Map<Day, number>; orders: Map<Day, number> } {
  const cents = new Map<Day, number>();
  const transactions = Array.from({ length: TRANSACTIONS }, (_, index): BalanceTransaction => {
    const day = addDays(FIRST, index % DAYS);
    const amount = ((index * 7_919 + round * 104_729) % 20_011) - 5_000;
    cents.set(day, (cents.get(day) ?? 0) + amount);
    return {
      id: `txn_${round}_${index}`,
      amount,
      created: Date.parse(`${day}T00:00:00Z`) / 1000 + index,
      currency: 'usd',
      reporting_category: amount < 0 ? 'refund' : 'charge',
    };
  });
  stripe.account.ledger = ledgerOf(transactions);
  const counts = Array.from(
    { length: DAYS },
    (_, index) => [addDays(FIRST, index), index + round * 100] as const,
  );
  bigQuery.project.queries.set(QUERY, {
    columns: [
      { name: 'day', type: 'DATE' },
      { name: 'value', type: 'INTEGER' },
    ],
    rows: () => counts.map(([day, count]) => [day, count.toString()]),
  });
  return { sales: new Map([...cents].map(([day, sum]) => [day, sum / 100])), orders: new Map(counts) };
}

const valuesOf = async (metric: string): Promise<Map<Day, number>> =>
  new Map(
    expectPage(
      await admin().get<{ period: Day; value: number }[]>(
        `/metrics/${metric}/values?start=2026-01&limit=1000`,
      ),
    ).items.map(({ period, value }) => [period, value]),
  );

const run = async (metric: string): Promise<string> =>
  expectData(await admin().post<{ run_id: string }>(`/metrics/${metric}/import/run`)).run_id;

/** Waits until a run has ended, however long its next attempt waits for the dead one. */
const ended = (metric: string, runId: string): Promise<Import> => waitFor(() => endOf(metric, runId));

async function endOf(metric: string, runId: string): Promise<Import | undefined> {
  const { body } = await admin().get<Import>(`/metrics/${metric}/import`);
  const { last_run } = body.data;
  return last_run?.run_id === runId && last_run.status !== 'running' ? body.data : undefined;
}

const service = withService(() => {
  layNumbers(0);
  return {
    CLOCK: '2026-02-07T06:00:00Z',
    STRIPE_API_BASE: `http://127.0.0.1:${stripe.base.port}`,
    BIGQUERY_API_ENDPOINT: bigQuery.url,
  };
});

describe.runIf(THOROUGH)('imports of a service that is killed', () => {
  beforeAll(async () => {
    ({ secret } = await newOrganisation(service));
    sales = await createMetric(admin(), SALES);
    orders = await createMetric(admin());
    expectData(await put(admin(), `/metrics/${sales}/import`, { type: 'stripe', api_key: TEST_KEY }));
    const query = {
      type: 'bigquery',
      project_id: bigQuery.project.id,
      query: QUERY,
      credentials: bigQuery.account.key,
    };
    expectData(await put(admin(), `/metrics/${orders}/import`, query));
    await importEnd(admin(), sales);
    await importEnd(admin(), orders);
  });

  it(
    'end with the same values, and pay for each query once',
    async () => {
      // Two answers until the job ends.
      bigQuery.project.polls = 2;
      for (let round = 1; round <= KILLS; round += 1) {
        const expected = layNumbers(round);
        const before = bigQuery.project.started.length;
        const [salesRun, ordersRun] = [await run(sales), await run(orders)];
        const wait = (SEED * 31 + round * 7_907) % LONGEST_WAIT_MS;
        await new Promise((resume) => setTimeout(resume, wait));
        await service.kill();
        await service.start();
        for (const [metric, runId] of [
          [sales, salesRun],
          [orders, ordersRun],
        ] as const) {
          const { last_run } = await ended(metric, runId);
          expect({ round, wait, ...last_run }).toMatchObject({ status: 'completed', error: null });
        }
        expect(await valuesOf(sales)).toEqual(expected.sales);
        expect(await valuesOf(orders)).toEqual(expected.orders);
        expect(bigQuery.project.started.length - before).toBe(1);
      }
    },
    COUNTED_TEST_MS,
  );

  it(
    'start again although the service died as the last one ended',
    async () => {
      for (let kill = 1; kill <= KILLS; kill += 1) {
        layNumbers(kill);
        // The workflow is still open for some milliseconds when the record of its end can be read.
        const last = await run(orders);
        while ((await endOf(orders, last)) === undefined);
        await service.kill();
        await service.start();
        const again = await run(orders);
        expect((await ended(orders, again)).last_run).toMatchObject({ status: 'completed', error: null });
      }
    },
    COUNTED_TEST_MS,
  );
});
