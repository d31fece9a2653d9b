import type { DecimalText } from '../shared/decimals.ts';
import type { ImportedValue } from './imported-value.ts';
import { minorUnitsText } from './minor-units.ts';
import type { NetSalesProgress } from './net-sales-progress.ts';

/** The net sales of a range of days, before fees (spec §8, Payment-platform revenue import). */
export interface NetSales {
  /** One value per day with a transaction that counts, in the metric's currency, the oldest first. It may be 0 or negative. */
  values: ImportedValue[];
  /** Totals of the whole range in other currencies, by currency code. They are not part of the values. */
  other_currencies: { currency: string; net_sales: DecimalText }[];
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
  other_currencies: others
    .toSorted(byKey)
    .map(([code, units]) => ({ currency: code, net_sales: minorUnitsText(BigInt(units), code) })),
  unknown_categories: unknown.toSorted(byKey).map(([category, count]) => ({ category, transactions: count })),
  transactions,
});
