import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { minorUnitsText } from '../../../../domain/imports/stripe/minor-units.ts';
import {
  createdWithin,
  noProgress,
  resumableProgress,
  withPage,
  type BalanceTransaction,
} from '../../../../domain/imports/stripe/net-sales-progress.ts';
import { netSales } from '../../../../domain/imports/stripe/net-sales.ts';
import { leftOutInWords, totalsByCategory, uncountedAfter } from '../../../../domain/imports/uncounted.ts';
import { salesRole } from '../../../../domain/imports/stripe/reporting-categories.ts';

/** Net sales of a payment platform. */
const RANGE = { currency: 'USD', from: '2026-01-01', to: '2026-03-01' };

let ids = 0;
function transaction(
  at: string,
  amount: number,
  reporting_category = 'charge',
  currency = 'usd',
): BalanceTransaction {
  ids += 1;
  return { id: `txn_${ids}`, amount, created: Date.parse(at) / 1000, currency, reporting_category };
}
const salesOf = (...transactions: BalanceTransaction[]) =>
  netSales(withPage(noProgress(RANGE), transactions));

describe('net sales', () => {
  it('are charges minus refunds, disputes and failed payments, plus disputes won and refunds that fail', () => {
    const { values, transactions } = salesOf(
      transaction('2026-01-05T09:00:00Z', 100_00),
      transaction('2026-01-05T09:10:00Z', -20_00, 'refund'),
      transaction('2026-01-05T09:20:00Z', -15_00, 'dispute'),
      transaction('2026-01-05T09:30:00Z', -7_50, 'charge_failure'),
      transaction('2026-01-05T09:40:00Z', 15_00, 'dispute_reversal'),
      transaction('2026-01-05T09:50:00Z', 4_25, 'refund_failure'),
      transaction('2026-01-05T09:55:00Z', -1_01, 'partial_capture_reversal'),
    );
    // 100 - 20 - 15 - 7.50 + 15 + 4.25 - 1.01
    expect(values).toEqual([{ day: '2026-01-05', value: '75.74' }]);
    expect(transactions).toBe(7);
  });

  it('leave out payouts, transfers, fees, platform earnings and top-ups without a word', () => {
    const sales = salesOf(
      ...[
        'payout',
        'payout_reversal',
        'transfer',
        'transfer_reversal',
        'fee',
        'platform_earning',
        'platform_earning_refund',
        'topup',
        'topup_reversal',
      ].map((category) => transaction('2026-01-05T09:00:00Z', 999_99, category)),
    );
    expect(sales).toEqual({ values: [], other_currencies: [], left_out: [], transactions: 9 });
  });

  it('leave out unknown categories, and list each with its months, currencies and amounts', () => {
    const { values, left_out } = salesOf(
      transaction('2026-01-05T09:00:00Z', 1_00),
      transaction('2026-01-05T09:00:00Z', 50_00, 'other_adjustment'),
      transaction('2026-01-05T09:00:00Z', 50_00, 'brand_new', 'eur'),
      transaction('2026-01-06T09:00:00Z', 3_33, 'brand_new'),
      transaction('2026-01-31T23:59:59Z', -1_00, 'brand_new'),
      transaction('2026-02-01T00:00:00Z', 1500, 'brand_new', 'jpy'),
      transaction('2026-01-06T09:00:00Z', 50_00, '__proto__'),
    );
    expect(values).toEqual([{ day: '2026-01-05', value: '1' }]);
    const january = { month: '2026-01', currency: 'USD', transactions: 1 };
    expect(left_out).toEqual([
      { ...january, category: 'brand_new', currency: 'EUR', amount: '50' },
      { ...january, category: '__proto__', amount: '50' },
      { ...january, category: 'brand_new', amount: '2.33', transactions: 2 },
      { ...january, category: 'other_adjustment', amount: '50' },
      { month: '2026-02', category: 'brand_new', currency: 'JPY', amount: '1500', transactions: 1 },
    ]);
    expect(
      totalsByCategory(left_out).map(({ amount, ...of }) => [of.category, of.currency, amount.toFixed()]),
    ).toEqual([
      ['__proto__', 'USD', '50'],
      ['brand_new', 'EUR', '50'],
      ['brand_new', 'JPY', '1500'],
      ['brand_new', 'USD', '2.33'],
      ['other_adjustment', 'USD', '50'],
    ]);
    expect(
      leftOutInWords(
        left_out.filter(({ month }) => month === '2026-01'),
        'Stripe',
      ),
    ).toEqual([
      expect.stringMatching(/^1 transaction of Stripe's category __proto__ \(50 USD\) did not count/),
      expect.stringMatching(
        /^3 transactions of Stripe's category brand_new \(50 EUR, 2\.33 USD\) did not count/,
      ),
      expect.stringMatching(/category other_adjustment \(50 USD\)/),
    ]);
  });

  it('that were left out stay listed, except in months that were read again', () => {
    const leftOut = (month: string, amount: string) => ({
      left_out: [{ month, category: 'brand_new', currency: 'USD', amount, transactions: 1 }],
      other_currencies: [{ month, currency: 'EUR', net_sales: amount }],
    });
    const december = leftOut('2025-12', '7');
    const january = leftOut('2026-01', '9');
    const february = { start: '2026-02-01', end: '2026-02-07' };
    const days = { start: '2026-01-01', end: '2026-02-07' };
    const nothing = { left_out: [], other_currencies: [] };
    expect(uncountedAfter(december, january, days)).toEqual({
      left_out: [...december.left_out, ...january.left_out],
      other_currencies: [...december.other_currencies, ...january.other_currencies],
    });
    expect(uncountedAfter(january, nothing, february)).toEqual(january);
    expect(uncountedAfter(january, nothing, days)).toEqual(nothing);
  });

  it('count on the UTC day of their creation', () => {
    const { values } = salesOf(
      transaction('2026-01-06T00:00:00Z', 2_00),
      transaction('2026-01-05T23:59:59Z', 1_00),
    );
    expect(values).toEqual([
      { day: '2026-01-05', value: '1' },
      { day: '2026-01-06', value: '2' },
    ]);
  });

  it('may be negative, or 0 on a day whose transactions cancel out', () => {
    const { values } = salesOf(
      transaction('2026-01-07T09:00:00Z', -30, 'refund'),
      transaction('2026-01-06T10:00:00Z', -5_00, 'refund'),
      transaction('2026-01-06T09:00:00Z', 5_00),
    );
    expect(values).toEqual([
      { day: '2026-01-06', value: '0' },
      { day: '2026-01-07', value: '-0.3' },
    ]);
  });

  it('in other currencies are totals only, each in its own units', () => {
    const { values, other_currencies } = salesOf(
      transaction('2026-01-06T09:00:00Z', 12_34),
      transaction('2026-01-06T09:00:00Z', 1500, 'charge', 'jpy'),
      transaction('2026-01-07T09:00:00Z', -200, 'refund', 'jpy'),
      transaction('2026-01-06T09:00:00Z', 5_120, 'charge', 'kwd'),
      transaction('2026-01-08T09:00:00Z', 9_99, 'charge', 'eur'),
      // Stripe documents three letters.
      transaction('2026-01-09T09:00:00Z', 5_00, 'charge', 'usdc'),
    );
    expect(values).toEqual([{ day: '2026-01-06', value: '12.34' }]);
    expect(other_currencies).toEqual([
      { month: '2026-01', currency: 'EUR', net_sales: '9.99' },
      { month: '2026-01', currency: 'JPY', net_sales: '1300' },
      { month: '2026-01', currency: 'KWD', net_sales: '5.12' },
      { month: '2026-01', currency: 'USDC', net_sales: '5' },
    ]);
  });

  it('are exact beyond the integers of a double', () => {
    const most = Number.MAX_SAFE_INTEGER; // 9 007 199 254 740 991
    const { values } = salesOf(...Array.from({ length: 3 }, () => transaction('2026-01-06T09:00:00Z', most)));
    expect(values).toEqual([{ day: '2026-01-06', value: '270215977642229.73' }]);
  });
});

describe('reporting categories', () => {
  it('have a role each, except two that may hold sales', async () => {
    const types = new URL(
      '../../../../node_modules/stripe/esm/resources/Reporting/ReportRuns.d.ts',
      import.meta.url,
    );
    const [, list = ''] = /type ReportingCategory = ([^;]+);/.exec(await readFile(types, 'utf8')) ?? [];
    const categories = [...list.matchAll(/'(\w+)'/g)].map(([, name = '']) => name);
    const withRole = (role: string) => categories.filter((category) => salesRole(category) === role);
    expect(withRole('counts')).toEqual([
      'charge',
      'charge_failure',
      'dispute',
      'dispute_reversal',
      'partial_capture_reversal',
      'refund',
      'refund_failure',
    ]);
    expect(withRole('unknown')).toEqual(['other_adjustment', 'unreconciled_customer_funds']);
    expect(withRole('left_out')).toHaveLength(28);
  });
});

describe('minor units', () => {
  it.each([
    ['USD', '12.34'],
    ['JPY', '1234'],
    ['MGA', '1234'],
    ['KWD', '1.234'],
    ['TND', '1.234'],
    // Stripe keeps two decimals for these, although ISO 4217 or the bank has none.
    ['ISK', '12.34'],
    ['UGX', '12.34'],
    ['HUF', '12.34'],
    ['TWD', '12.34'],
  ])('of %s', (currency, value) => {
    expect(minorUnitsText(1234n, currency)).toBe(value);
  });
});

describe('a range', () => {
  it('asks for transactions from its first day until before the day after its last', () => {
    expect(createdWithin({ currency: 'USD', from: '1970-01-02', to: '1970-01-04' })).toEqual({
      gte: 86_400,
      lt: 259_200,
    });
  });
});

describe('progress', () => {
  const oldest = transaction('2026-01-04T09:00:00Z', 1, 'brand_new');
  const progress = withPage(noProgress(RANGE), [
    transaction('2026-01-06T09:00:00Z', 12_34),
    transaction('2026-01-05T09:00:00Z', 500, 'charge', 'jpy'),
    oldest,
  ]);
  const stored = (change: object = {}): unknown => JSON.parse(JSON.stringify({ ...progress, ...change }));

  it('survives storage, and continues after the last transaction', () => {
    expect(resumableProgress(stored(), RANGE)).toEqual(progress);
    expect(progress).toMatchObject({ after: oldest.id, transactions: 3 });
  });

  it('stays where it was on an empty page', () => {
    expect(withPage(progress, [])).toEqual(progress);
  });

  it.each([
    ['another version', stored({ version: 1 })],
    ['another currency', stored({ currency: 'EUR' })],
    ['another first day', stored({ from: '2025-12-01' })],
    ['another end', stored({ to: '2026-04-01' })],
    ['a day of no calendar', stored({ days: [['2026-01-32', '1']] })],
    ['a day outside the range', stored({ days: [['2026-03-01', '1']] })],
    ['an amount that is no integer', stored({ days: [['2026-01-05', '1.5']] })],
    ['an unknown field', stored({ more: 1 })],
    ['a number of transactions below 0', stored({ transactions: -1 })],
    ['no position', stored({ after: '' })],
    ['nothing', undefined],
    ['null', null],
    ['text', 'progress'],
  ])('starts over from %s', (_, state) => {
    expect(resumableProgress(state, RANGE)).toEqual(noProgress(RANGE));
  });
});
