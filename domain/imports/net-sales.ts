import Big from 'big.js';
import { monthOf, type Day, type Month } from '../shared/calendar.ts';
import type { DecimalText } from '../shared/decimals.ts';
import type { ImportedValue } from './imported-value.ts';
import { minorUnitsText } from './minor-units.ts';
import type { NetSalesProgress } from './net-sales-progress.ts';

/** The net sales of a month in another currency than the metric's. */
export interface OtherCurrency {
  month: Month;
  currency: string;
  net_sales: DecimalText;
}

/** The net sales of a range of days, before fees (spec §8, Payment-platform revenue import). */
export interface NetSales {
  /** One value per day with a transaction that counts, in the metric's currency, the oldest first. It may be 0 or negative. */
  values: ImportedValue[];
  /** Totals of each month in other currencies, by month and currency code. They are not part of the values. */
  other_currencies: OtherCurrency[];
  /** Reporting categories that no rule covers, by name. Their transactions are not part of the values. */
  unknown_categories: { category: string; transactions: number }[];
  /** All transactions read, those left out included. */
  transactions: number;
}

const byKey = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;

/** Returns the net sales of a finished reading. */
export const netSales = ({ currency, days, others, unknown, transactions }: NetSalesProgress): NetSales => ({
  values: days
    .toSorted(byKey)
    .map(([day, units]) => ({ day, value: minorUnitsText(BigInt(units), currency) })),
  other_currencies: others.toSorted(byKey).map(([key, units]) => {
    const [month = '', code = ''] = key.split(' ');
    return { month, currency: code, net_sales: minorUnitsText(BigInt(units), code) };
  }),
  unknown_categories: unknown.toSorted(byKey).map(([category, count]) => ({ category, transactions: count })),
  transactions,
});

/**
 * Returns the totals of an import after a run. The months that the run has read replace those of the runs before.
 *
 * @param days the days that the run has read, whole months up to today.
 */
export const totalsAfter = (
  before: readonly OtherCurrency[],
  read: readonly OtherCurrency[],
  days: { start: Day; end: Day },
): OtherCurrency[] => [
  ...before.filter(({ month }) => month < monthOf(days.start) || month > monthOf(days.end)),
  ...read,
];

/** Adds up the months of each currency, by currency code. */
export const totalsByCurrency = (
  months: readonly OtherCurrency[],
): { currency: string; net_sales: Big }[] => {
  const sums = new Map<string, Big>();
  for (const { currency, net_sales } of months)
    sums.set(currency, (sums.get(currency) ?? Big(0)).plus(net_sales));
  return [...sums].sort(byKey).map(([currency, net_sales]) => ({ currency, net_sales }));
};
