import Big from 'big.js';
import type { BalanceTransaction } from '../../../domain/imports/stripe/net-sales-progress.ts';

/** Net sales worked out a second time, with no code of the product: decimals instead of integers, one day and currency at a time. */
export interface NaiveNetSales {
  values: { day: string; value: string }[];
  other_currencies: { month: string; currency: string; net_sales: string }[];
  left_out: { month: string; category: string; currency: string; amount: string; transactions: number }[];
  transactions: number;
}

const IN = 'charge refund dispute dispute_reversal charge_failure refund_failure partial_capture_reversal';
const OUT =
  'payout payout_reversal transfer transfer_reversal fee platform_earning platform_earning_refund topup topup_reversal tax network_cost';
const UNITS_OF_ONE: Record<string, number> = { jpy: 1, kwd: 1000 };

function sum(amounts: Big[]): string {
  let total = Big(0);
  for (const amount of amounts) total = total.plus(amount);
  return total.toFixed();
}

/** Returns the net sales of `currency`, lower case, from `from` until before `to`. */
export function naiveNetSales(
  all: readonly BalanceTransaction[],
  currency: string,
  from: string,
  to: string,
): NaiveNetSales {
  const read = all
    .map((transaction) => ({
      ...transaction,
      day: new Date(transaction.created * 1000).toISOString().slice(0, 10),
    }))
    .filter(({ day }) => day >= from && day < to);
  const sales = read.filter(({ reporting_category }) => IN.split(' ').includes(reporting_category));
  const amountsOf = (rows: readonly BalanceTransaction[]): Big[] =>
    rows.map((row) => Big(row.amount).div(UNITS_OF_ONE[row.currency] ?? 100));
  const distinct = (names: string[]): string[] => [...new Set(names)].sort();
  const own = sales.filter((row) => row.currency === currency);
  const known = [...IN.split(' '), ...OUT.split(' ')];
  const unknown = read.filter((row) => !known.includes(row.reporting_category));
  const partOf = (row: (typeof read)[number]): string =>
    `${row.day.slice(0, 7)} ${row.currency.toUpperCase()} ${row.reporting_category}`;
  return {
    values: distinct(own.map(({ day }) => day)).map((day) => ({
      day,
      value: sum(amountsOf(own.filter((row) => row.day === day))),
    })),
    other_currencies: distinct(sales.map(({ day }) => day.slice(0, 7))).flatMap((month) => {
      const ofMonth = sales.filter(({ day }) => day.startsWith(month));
      return distinct(ofMonth.map((row) => row.currency))
        .filter((other) => other !== currency)
        .map((other) => ({
          month,
          currency: other.toUpperCase(),
          net_sales: sum(amountsOf(ofMonth.filter((row) => row.currency === other))),
        }));
    }),
    left_out: distinct(unknown.map(partOf)).map((part) => {
      const rows = unknown.filter((row) => partOf(row) === part);
      const [month = '', code = '', category = ''] = part.split(' ');
      return { month, category, currency: code, amount: sum(amountsOf(rows)), transactions: rows.length };
    }),
    transactions: read.length,
  };
}
