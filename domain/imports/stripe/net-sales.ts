import type { ImportedValue } from '../imported-value.ts';
import { byKey, type Uncounted } from '../uncounted.ts';
import { minorUnitsText } from './minor-units.ts';
import type { NetSalesProgress } from './net-sales-progress.ts';

/** The net sales of a range of days, before fees (docs/concepts.md#daily-imports). */
export interface NetSales extends Uncounted {
  /** One value per day with a transaction that counts, in the metric's currency, the oldest first. It may be 0 or negative. */
  values: ImportedValue[];
  /** All transactions read, those left out included. */
  transactions: number;
}

export const netSales = ({ currency, days, others, unknown, transactions }: NetSalesProgress): NetSales => ({
  values: days
    .toSorted(byKey)
    .map(([day, units]) => ({ day, value: minorUnitsText(BigInt(units), currency) })),
  other_currencies: others.toSorted(byKey).map(([key, units]) => {
    const [month = '', code = ''] = key.split(' ');
    return { month, currency: code, net_sales: minorUnitsText(BigInt(units), code) };
  }),
  left_out: unknown.toSorted(byKey).map(([key, units, count]) => {
    const [month = '', code = '', category = ''] = key.split(' ');
    const amount = minorUnitsText(BigInt(units), code);
    return { month, category, currency: code, amount, transactions: count };
  }),
  transactions,
});
