import type { BalanceTransaction } from '../../domain/imports/stripe/net-sales-progress.ts';
import { addDays } from '../../domain/shared/calendar.ts';

/** The key of the account that the benchmark's Stripe knows. */
export const STRIPE_KEY = 'rk_test_51BenchmarkOfImports00000000';

/** The most rows that a query may return. */
export const ROWS = 200_000;
const LABELS = 6_000;
/** The imports read at this instant, and these are the days of the running month and of the one before. */
export const NOW = '2026-02-07T06:00:00Z';
const DAYS = Array.from({ length: Math.ceil(ROWS / LABELS) }, (_, day) => addDays('2026-01-01', day));

/** Returns a row of the query: day, label and value. Every version has other values. */
export const rowOf = (index: number, version: number): [day: string, label: string, value: string] => [
  DAYS[Math.floor(index / LABELS)] ?? '',
  `customer ${index % LABELS}`,
  `${((index * 7_919) % 100_000) + version}.25`,
];

export const TRANSACTIONS = 1_000_000;
const NEWEST = Date.parse('2026-02-07T05:00:00Z') / 1000;
/** The transactions lie in twelve months. */
const SECONDS_BETWEEN = 29;

/** Returns a transaction by its place, the newest first. */
export const transactionOf = (index: number): BalanceTransaction => ({
  id: `txn_${index}`,
  amount: ((index * 7_919) % 10_007) - (index % 10 === 0 ? 12_000 : 0),
  created: NEWEST - index * SECONDS_BETWEEN,
  currency: 'usd',
  reporting_category: index % 10 === 0 ? 'refund' : 'charge',
});
