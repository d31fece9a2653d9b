import { z } from 'zod';
import { dayAt, dayNumber, isDay, monthOf, type Day } from '../../shared/calendar.ts';
import { salesRole } from './reporting-categories.ts';

/** A balance transaction of Stripe, as far as net sales need it (docs/design.md#platforms). */
export interface BalanceTransaction {
  id: string;
  /** Gross, in the smallest unit of the currency. Negative if money leaves the account. */
  amount: number;
  /** Seconds since 1970, in UTC. */
  created: number;
  /** Lower case, for example `usd`. Stripe documents three letters, and other codes occur. */
  currency: string;
  reporting_category: string;
}

/** Which net sales are read: those of the days from `from` until before `to`. `currency` is upper case, for example `USD`. */
export interface NetSalesRange {
  currency: string;
  from: Day;
  to: Day;
}

const units = z.string().regex(/^-?\d{1,40}$/);
const count = z.int().positive();

const progress = z.strictObject({
  version: z.literal(3),
  currency: z.string(),
  from: z.string(),
  to: z.string(),
  /** The id of the last transaction read; null before the first page. */
  after: z.string().min(1).nullable(),
  /** Transactions read so far, those left out included. */
  transactions: z.int().nonnegative(),
  /** Minor units of each day in the currency. A day without a transaction that counts is missing. */
  days: z.array(z.tuple([z.string().refine(isDay), units])),
  /** Minor units of each month in each other currency, upper case: `2026-01 EUR`. */
  others: z.array(z.tuple([z.string().regex(/^\d{4}-\d\d \S+$/), units])),
  /** Minor units and transactions of each month, currency and unknown reporting category: `2026-01 USD moon_tax`. */
  unknown: z.array(z.tuple([z.string().regex(/^\d{4}-\d\d \S+ \S+$/), units, count])),
});

/**
 * How far a reading of net sales has come. It is plain JSON, and its size depends on days, currencies and categories, not on
 * transactions. A reading that continues from it ends with the same values.
 */
export type NetSalesProgress = z.infer<typeof progress>;

/** Returns the progress of a reading that has not begun. */
export const noProgress = ({ currency, from, to }: NetSalesRange): NetSalesProgress => ({
  version: 3,
  currency,
  from,
  to,
  after: null,
  transactions: 0,
  days: [],
  others: [],
  unknown: [],
});

/** Returns stored progress if the reading of a range can continue from it. Otherwise, returns the progress of a new reading. */
export function resumableProgress(stored: unknown, range: NetSalesRange): NetSalesProgress {
  const { data } = progress.safeParse(stored);
  const fits =
    data?.currency === range.currency &&
    data.from === range.from &&
    data.to === range.to &&
    data.days.every(([day]) => day >= range.from && day < range.to);
  return fits ? data : noProgress(range);
}

const SECONDS_PER_DAY = 86_400;

/** Returns the instants, in seconds since 1970, from which and before which a range's transactions were created. */
export const createdWithin = ({ from, to }: NetSalesRange): { gte: number; lt: number } => ({
  gte: dayNumber(from) * SECONDS_PER_DAY,
  lt: dayNumber(to) * SECONDS_PER_DAY,
});

function add(sums: Map<string, string>, key: string, units: bigint): void {
  sums.set(key, (BigInt(sums.get(key) ?? '0') + units).toString());
}

/**
 * Returns progress with one more page, the newest first. Each transaction counts on the UTC day of its creation
 * (docs/concepts.md#daily-imports). Amounts must be safe integers.
 */
export function withPage(before: NetSalesProgress, page: readonly BalanceTransaction[]): NetSalesProgress {
  const own = before.currency.toLowerCase();
  // A page covers few days. Converting texts once for each day keeps a million transactions fast.
  const dayUnits = new Map<number, bigint>();
  const others = new Map(before.others);
  const unknown = new Map(
    before.unknown.map(([key, units, count]) => [key, { units: BigInt(units), count }]),
  );
  for (const { amount, created, currency, reporting_category } of page) {
    const role = salesRole(reporting_category);
    if (role === 'left_out') continue;
    const day = Math.floor(created / SECONDS_PER_DAY);
    const month = (): string => `${monthOf(dayAt(day))} ${currency.toUpperCase()}`;
    if (role === 'unknown') {
      const key = `${month()} ${reporting_category}`;
      const { units, count } = unknown.get(key) ?? { units: 0n, count: 0 };
      unknown.set(key, { units: units + BigInt(amount), count: count + 1 });
    } else if (currency === own) dayUnits.set(day, (dayUnits.get(day) ?? 0n) + BigInt(amount));
    else add(others, month(), BigInt(amount));
  }
  const days = new Map(before.days);
  for (const [day, units] of dayUnits) add(days, dayAt(day), units);
  return {
    ...before,
    after: page.at(-1)?.id ?? before.after,
    transactions: before.transactions + page.length,
    days: [...days],
    others: [...others],
    unknown: [...unknown].map(([key, { units, count }]) => [key, units.toString(), count]),
  };
}
