import type { Ledger } from '../../demo/stripe/ledger.ts';

/** What a ledger's sales add up to, in cents. */
export interface SalesSums {
  /** Net sales in USD by month. */
  months: Map<string, bigint>;
  /** Net sales in EUR. */
  euros: bigint;
  transactions: number;
}

const SALES = new Set(['charge', 'refund', 'dispute', 'dispute_reversal']);

/** Adds up the sales of a ledger from a day on. Does not use the product's own rules. */
export function salesSums(ledger: Ledger, from: string): SalesSums {
  const all = Array.from({ length: ledger.length }, (_, index) => ledger.at(index));
  const dayOf = (created: number): string => new Date(created * 1000).toISOString().slice(0, 10);
  const read = all.filter(({ created }) => dayOf(created) >= from);
  const sums: SalesSums = { months: new Map(), euros: 0n, transactions: read.length };
  for (const { amount, created, currency, reporting_category: category } of read) {
    if (!SALES.has(category)) continue;
    const month = dayOf(created).slice(0, 7);
    if (currency === 'eur') sums.euros += BigInt(amount);
    else sums.months.set(month, (sums.months.get(month) ?? 0n) + BigInt(amount));
  }
  return sums;
}

/** A month of the printed table of revenue, with its cells as printed, without commas. */
export interface PrintedRevenue {
  month: string;
  cost: string;
  revenue: string;
  share: string;
  margin: string;
  marginPercent: string;
  status: string;
}

const ROW =
  /^ {2}(?<month>\d{4}-\d\d) +(?<cost>\S+) +(?<revenue>\S+) +(?<share>\S+) % +(?<margin>\S+) +(?<marginPercent>\S+) % +(?:\S+ %|-) {2}(?<status>\S.*)$/;

/** Returns the printed table of revenue, newest month first. */
export const printedRevenue = (stdout: string): PrintedRevenue[] =>
  stdout.split('\n').flatMap((line) => {
    const cells = ROW.exec(line)?.groups;
    if (cells === undefined) return [];
    const plain = (name: string): string => (cells[name] ?? '').replaceAll(',', '');
    return [
      {
        month: plain('month'),
        cost: plain('cost'),
        revenue: plain('revenue'),
        share: plain('share'),
        margin: plain('margin'),
        marginPercent: plain('marginPercent'),
        status: cells['status'] ?? '',
      },
    ];
  });
