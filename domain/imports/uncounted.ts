import Big from 'big.js';
import { monthOf, type Day, type Month } from '../shared/calendar.ts';
import type { DecimalText } from '../shared/decimals.ts';

/** The net sales of a month in another currency than the metric's. */
export interface OtherCurrency {
  month: Month;
  currency: string;
  net_sales: DecimalText;
}

/** What transactions of an unknown reporting category add up to in a month. They may be sales, and do not count. */
export interface LeftOut {
  month: Month;
  category: string;
  currency: string;
  /** Gross, in the currency's own units. */
  amount: DecimalText;
  transactions: number;
}

/** What an import has read of its months and does not count. */
export interface Uncounted {
  other_currencies: OtherCurrency[];
  left_out: LeftOut[];
}

/** An import that counts everything. */
export const NOTHING: Uncounted = { other_currencies: [], left_out: [] };

/**
 * Returns what an import does not count after a run. The months that the run has read replace those of the runs before.
 *
 * @param days the days that the run has read, whole months up to today.
 */
export function uncountedAfter(
  before: Uncounted,
  read: Uncounted,
  { start, end }: { start: Day; end: Day },
): Uncounted {
  const isOlder = ({ month }: { month: Month }): boolean => month < monthOf(start) || month > monthOf(end);
  return {
    other_currencies: [...before.other_currencies.filter(isOlder), ...read.other_currencies],
    left_out: [...before.left_out.filter(isOlder), ...read.left_out],
  };
}

/** Orders entries by their keys. */
export const byKey = (
  [one]: readonly [string, ...unknown[]],
  [other]: readonly [string, ...unknown[]],
): number => (one < other ? -1 : 1);

/** Adds up the months of each currency, by currency code. */
export function totalsByCurrency(months: readonly OtherCurrency[]): { currency: string; net_sales: Big }[] {
  const sums = new Map<string, Big>();
  for (const { currency, net_sales } of months)
    sums.set(currency, (sums.get(currency) ?? Big(0)).plus(net_sales));
  return [...sums].sort(byKey).map(([currency, net_sales]) => ({ currency, net_sales }));
}

/** Adds up the months of each category and currency, by category, then by currency code. */
export function totalsByCategory(
  months: readonly LeftOut[],
): { category: string; currency: string; amount: Big; transactions: number }[] {
  const sums = new Map<string, { category: string; currency: string; amount: Big; transactions: number }>();
  for (const { category, currency, amount, transactions } of months) {
    const key = `${category} ${currency}`;
    const sum = sums.get(key) ?? { category, currency, amount: Big(0), transactions: 0 };
    sums.set(key, {
      ...sum,
      amount: sum.amount.plus(amount),
      transactions: sum.transactions + transactions,
    });
  }
  return [...sums].sort(byKey).map(([, sum]) => sum);
}

/**
 * Returns what a month's value leaves out by category, in words with the amounts, one sentence for each category.
 *
 * @param platform the name of the platform.
 */
export function leftOutInWords(ofMonth: readonly LeftOut[], platform: string): string[] {
  const categories = [...new Set(ofMonth.map(({ category }) => category))].sort();
  return categories.map((category) => {
    const parts = ofMonth.filter((part) => part.category === category);
    const count = parts.reduce((sum, { transactions }) => sum + transactions, 0);
    const amounts = parts.map(({ amount, currency }) => `${amount} ${currency}`).join(', ');
    return `${count} ${count === 1 ? 'transaction' : 'transactions'} of ${platform}'s category ${category} (${amounts}) did not count, because it is not known whether they are sales`;
  });
}
