import type { BalanceTransaction } from '../../domain/imports/stripe/net-sales-progress.ts';
import { dayNumber, firstDay, monthOf, type Day, type Month } from '../../domain/shared/calendar.ts';
import { growth, noise, wobble } from '../exports/demand.ts';
import { daysBetween, type SampleTime } from '../exports/write-exports.ts';
import { ledgerOf, type Ledger } from '../stripe/ledger.ts';
import { ORDERS } from './sample-shop.ts';
import { valuesOf } from './values.ts';

/** Returns the sample shop's account at Stripe. A day has the same transactions in every run. */
export function salesLedger(time: SampleTime): Ledger {
  const orders = new Map(valuesOf(ORDERS, time).map(({ period, value }) => [period, value]));
  const days = daysBetween(firstDay(time.months[0] ?? monthOf(time.through)), time.through);
  return ledgerOf(days.flatMap((day) => transactionsOf(day, orders.get(day) ?? 0)));
}

/** Dollars of an order. Orders become more and smaller, and cheaper in the sale of July. */
const basketOf = (month: Month): number => 18 * growth(month, -0.004) * (month.endsWith('-07') ? 0.85 : 1);

/** A transaction without its id: its category, its amount in cents and its hour. */
type Booking = [category: string, cents: number, hour: number, currency?: string];

function transactionsOf(day: Day, orders: number): BalanceTransaction[] {
  const cents = Math.round(orders * basketOf(monthOf(day)) * 100 * wobble(`sales ${day}`, 0.04));
  return [...charges(cents), ...otherBookings(day, cents)].map(
    ([category, amount, hour, currency = 'usd'], index) => {
      const id = `txn_sample${day.replaceAll('-', '')}${index.toString().padStart(2, '0')}`;
      const created = (dayNumber(day) * 24 + hour + noise(id)) * SECONDS_PER_HOUR;
      return { id, amount, created: Math.floor(created), currency, reporting_category: category };
    },
  );
}

const SECONDS_PER_HOUR = 3600;
/** The hours at which orders are charged, and the part of a day's sales in each. The last hour has the rest. */
const PARTS = [
  [0, 0.06],
  [9, 0.37],
  [15, 0.34],
] as const;
const LAST_HOUR = 23;

/** Each charge stands for many orders, so that a year has few enough transactions for a demo. */
function charges(cents: number): Booking[] {
  const parts = PARTS.map(([hour, part]): Booking => ['charge', Math.round(cents * part), hour]);
  const charged = parts.reduce((sum, [, amount]) => sum + amount, 0);
  return [...parts, ['charge', cents - charged, LAST_HOUR]];
}

/** A disputed order of many items. The shop loses some disputes, and wins the others two weeks later. */
const DISPUTED_CENTS = 48_990;

/** Returns what else a day has: parts that are negative, parts that are no sales, and one whose meaning is not known. */
function otherBookings(day: Day, cents: number): Booking[] {
  const date = day.slice(8);
  const isMonday = new Date(day).getUTCDay() === 1;
  const isEvenMonth = Number(day.slice(5, 7)) % 2 === 0;
  return [
    ['refund', -Math.round(cents * 0.025 * wobble(`refunds ${day}`, 0.5)), 16],
    ...when(dayNumber(day) % 3 === 0, ['charge', Math.round(cents * 0.02), 11, 'eur']),
    ...when(isMonday, ['payout', -Math.round(cents * 6.6), 6]),
    ...when(date === '01', ['fee', -25_000, 2]),
    ...when(date === '05', ['other_adjustment', 1_500, 12]),
    ...when(date === '09', ['dispute', -DISPUTED_CENTS, 10]),
    ...when(date === '23' && isEvenMonth, ['dispute_reversal', DISPUTED_CENTS, 10]),
  ];
}

const when = (isTrue: boolean, booking: Booking): Booking[] => (isTrue ? [booking] : []);
