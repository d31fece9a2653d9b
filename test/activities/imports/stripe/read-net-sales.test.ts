import Stripe from 'stripe';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { BalanceTransaction } from '../../../../domain/imports/stripe/net-sales-progress.ts';
import { naiveNetSales } from '../../../model/expected/naive-net-sales.ts';
import { SEED } from '../../../support/effort.ts';
import { TEST_KEY } from '../../../support/fakes/stripe/key-parts.ts';
import { ledgerOf } from '../../../../demo/stripe/ledger.ts';
import { CATEGORIES, randomLedger } from '../../../support/fakes/stripe/random-ledger.ts';
import { fakeStripes, readFrom } from '../../../support/fakes/stripe/readings.ts';

/** Net sales from Stripe. */
const fakes = fakeStripes();
afterEach(async () => {
  vi.restoreAllMocks();
  await fakes.closeAll();
});

let ids = 0;
function transaction(at: string, amount: number, category = 'charge', currency = 'usd'): BalanceTransaction {
  ids += 1;
  const created = Date.parse(at) / 1000;
  return { id: `txn_${ids}`, amount, created, currency, reporting_category: category };
}

describe('a shop', () => {
  it('has one value for each day with sales', async () => {
    const ledger = ledgerOf([
      transaction('2025-12-31T23:59:59Z', 500_00), // before the range
      transaction('2026-01-01T00:00:00Z', 19_99),
      transaction('2026-01-01T12:00:00Z', 5_01),
      transaction('2026-01-02T08:00:00Z', -10_00, 'refund'),
      transaction('2026-01-03T08:00:00Z', 30_00),
      transaction('2026-01-03T09:00:00Z', -30_00, 'dispute'),
      transaction('2026-01-04T08:00:00Z', 20_00, 'charge', 'eur'),
      transaction('2026-01-04T09:00:00Z', -400_00, 'payout'),
      transaction('2026-02-28T23:59:59Z', 1_00),
      transaction('2026-03-01T00:00:00Z', 700_00), // after the range
    ]);
    expect(await readFrom(await fakes.start({ ledger }))).toEqual({
      values: [
        { day: '2026-01-01', value: '25' },
        { day: '2026-01-02', value: '-10' },
        { day: '2026-01-03', value: '0' },
        { day: '2026-02-28', value: '1' },
      ],
      other_currencies: [{ month: '2026-01', currency: 'EUR', net_sales: '20' }],
      left_out: [],
      transactions: 8,
    });
  });

  it('has values despite a row in a currency of four letters, which is another currency', async () => {
    const ledger = ledgerOf([
      transaction('2026-01-01T08:00:00Z', 20_00),
      transaction('2026-01-01T09:00:00Z', 7_50, 'charge', 'usdc'),
      transaction('2026-01-02T09:00:00Z', -2_50, 'refund', 'usdc'),
      transaction('2026-02-02T09:00:00Z', 1_00, 'refund', 'usd'),
    ]);
    expect(await readFrom(await fakes.start({ ledger }))).toMatchObject({
      values: [
        { day: '2026-01-01', value: '20' },
        { day: '2026-02-02', value: '1' },
      ],
      other_currencies: [{ month: '2026-01', currency: 'USDC', net_sales: '5' }],
      transactions: 4,
    });
  });

  it('without sales has no values', async () => {
    const nothing = { values: [], other_currencies: [], left_out: [], transactions: 0 };
    expect(await readFrom(await fakes.start())).toEqual(nothing);
  });

  it('keeps transactions apart that share a second, also between two pages', async () => {
    const ledger = ledgerOf(Array.from({ length: 250 }, () => transaction('2026-01-01T12:00:00Z', 1)));
    const fake = await fakes.start({ ledger });
    expect((await readFrom(fake)).values).toEqual([{ day: '2026-01-01', value: '2.5' }]);
    expect(fake.requests).toHaveLength(3);
  });

  it('leaves transactions that are created during a reading to the next one', async () => {
    const before = Array.from({ length: 150 }, () => transaction('2026-01-01T12:00:00Z', 1_00));
    const fake = await fakes.start({ ledger: ledgerOf(before) });
    const onPage = (): void => {
      fake.account.ledger = ledgerOf([...before, transaction('2026-01-01T13:00:00Z', 1_00)]);
    };
    expect((await readFrom(fake, { onPage })).values).toEqual([{ day: '2026-01-01', value: '150' }]);
    expect((await readFrom(fake)).values).toEqual([{ day: '2026-01-01', value: '151' }]);
  });
});

describe('requests', () => {
  it('list balance transactions only, a hundred at a time, with the version of the package and no telemetry', async () => {
    const warn = vi.spyOn(process, 'emitWarning');
    const fake = await fakes.start({ ledger: randomLedger({ seed: 1, length: 201 }) });
    await readFrom(fake);
    // 2026-01-01 and 2026-03-01, in seconds.
    const range = { 'created[gte]': '1767225600', 'created[lt]': '1772323200', limit: '100' };
    const lastOf = (count: number) => fake.account.ledger.at(count - 1).id;
    expect(fake.requests.map(({ query }) => query)).toEqual([
      range,
      { ...range, starting_after: lastOf(100) },
      { ...range, starting_after: lastOf(200) },
    ]);
    for (const { path, version, isKnownKey, hasTelemetry } of fake.requests) {
      expect({ path, version }).toEqual({ path: '/v1/balance_transactions', version: Stripe.API_VERSION });
      expect({ isKnownKey, hasTelemetry }).toEqual({ isKnownKey: true, hasTelemetry: false });
    }
    expect(warn).not.toHaveBeenCalled();
  });

  it('are not sent with a key that is not restricted', async () => {
    const fake = await fakes.start();
    const apiKey = TEST_KEY.replace('rk_', 'sk_');
    await expect(readFrom(fake, { apiKey })).rejects.toThrow(/^api_key: expected a restricted key/);
    expect(fake.requests).toEqual([]);
  });
});

describe('random ledgers of 10,000 transactions', () => {
  it.each(['USD', 'JPY', 'KWD'])('have the values of a naive sum in %s', async (currency) => {
    const ledger = randomLedger({ seed: SEED, length: 10_000 });
    const all = Array.from({ length: ledger.length }, (_, index) => ledger.at(index));
    expect(new Set(all.map(({ reporting_category }) => reporting_category))).toEqual(new Set(CATEGORIES));
    // Some transactions lie outside the range.
    const range = { from: '2026-01-03', to: '2026-02-27' };
    const expected = naiveNetSales(all, currency.toLowerCase(), range.from, range.to);
    expect(expected).toMatchObject({ values: { length: 55 }, other_currencies: { length: 8 } });
    expect(await readFrom(await fakes.start({ ledger }), { currency, ...range })).toEqual(expected);
  });
});
