import { describe, expect, it } from 'vitest';
import { salesLedger } from '../../demo/organisation/sales-ledger.ts';
import { ORDERS } from '../../demo/organisation/sample-shop.ts';
import { valuesOf } from '../../demo/organisation/values.ts';
import type { BalanceTransaction } from '../../domain/imports/stripe/net-sales-progress.ts';
import { monthsBack } from '../../domain/shared/calendar.ts';
import { salesSums } from './sales-sums.ts';

const YEAR = { months: monthsBack('2026-02', 13).reverse(), through: '2026-02-06' };
const year = salesLedger(YEAR);

const transactions = (ledger: typeof year): BalanceTransaction[] =>
  Array.from({ length: ledger.length }, (_, index) => ledger.at(index));

describe('the sales of the sample shop', () => {
  it('are from the first day through the last complete one, newest first, and few', () => {
    const created = transactions(year).map((each) => each.created);
    expect(created).toEqual([...created].sort((one, other) => other - one));
    expect(created[0]).toBeLessThan(Date.parse('2026-02-07T00:00:00Z') / 1000);
    expect(created.at(-1)).toBeGreaterThanOrEqual(Date.parse('2025-02-01T00:00:00Z') / 1000);
    expect(year.length).toBeLessThan(3000);
    expect(new Set(transactions(year).map(({ id }) => id)).size).toBe(year.length);
  });

  it('are the same for a day in every run', () => {
    const january = salesLedger({ months: ['2026-01'], through: '2026-01-31' });
    const ids = new Set(transactions(january).map(({ id }) => id));
    expect(january.length).toBeGreaterThan(100);
    expect(transactions(year).filter(({ id }) => ids.has(id))).toEqual(transactions(january));
  });

  it('have everything that a balance has', () => {
    const kinds = transactions(year).map((each) => `${each.reporting_category} ${each.currency}`);
    expect([...new Set(kinds)].sort()).toEqual([
      ...['charge eur', 'charge usd', 'dispute usd', 'dispute_reversal usd', 'fee usd'],
      ...['other_adjustment usd', 'payout usd', 'refund usd'],
    ]);
    // A dispute is won in every even month.
    const amounts = (category: string): number[] =>
      transactions(year)
        .filter((each) => each.reporting_category === category)
        .map(({ amount }) => amount);
    expect(amounts('dispute')).toEqual(Array.from({ length: 12 }, () => -48_990));
    expect(amounts('dispute_reversal')).toEqual(Array.from({ length: 6 }, () => 48_990));
  });

  it('are orders times a basket, which is smaller in July', () => {
    const { months } = salesSums(year, '2025-02-01');
    const orders = valuesOf(ORDERS, YEAR);
    const baskets = [...months].map(([month, cents]) => {
      const ofMonth = orders.filter(({ period }) => period.startsWith(month));
      const count = ofMonth.reduce((sum, { value }) => sum + value, 0);
      return [month, Number(cents) / 100 / count] as const;
    });
    expect(baskets).toHaveLength(13);
    for (const [month, dollars] of baskets) {
      const [least, most] = month === '2025-07' ? [13, 14.5] : [15.5, 17];
      expect(dollars, month).toBeGreaterThan(least);
      expect(dollars, month).toBeLessThan(most);
    }
  });
});
