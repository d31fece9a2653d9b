import {
  createdWithin,
  noProgress,
  resumableProgress,
  withPage,
  type NetSalesProgress,
  type NetSalesRange,
} from '../../../domain/imports/stripe/net-sales-progress.ts';
import { netSales, type NetSales } from '../../../domain/imports/stripe/net-sales.ts';
import { invalid } from '../../../domain/shared/errors.ts';
import {
  UnknownStart,
  withBalanceTransactions,
  type ListPage,
  type StripeAccess,
  type TransactionPage,
} from './balance-transactions.ts';

export interface NetSalesReading extends StripeAccess, NetSalesRange {
  /** Progress that `onPage` received earlier. Anything else, or progress of another range, starts over. */
  resume?: unknown;
  /** Receives the progress after each page. The next page is read once it returns. */
  onPage?: (progress: NetSalesProgress) => void | Promise<void>;
}

/** Together, the tries wait for about a quarter of a minute. Temporal retries after that, and resumes. */
const MOST_TRIES = 6;
/** The most that Stripe gives. */
const PAGE_LIMIT = 100;

/**
 * Reads the net sales of the days from `from` until before `to` (docs/concepts.md#daily-imports), the newest first, in constant
 * memory. Throws `invalid` if a person must act, for example because the key was revoked, and Outage if Stripe is away.
 * Transactions that are created while the reading runs are left to the next one.
 */
export const readNetSales = ({
  currency,
  from,
  to,
  resume,
  onPage,
  ...access
}: NetSalesReading): Promise<NetSales> =>
  withBalanceTransactions(access, MOST_TRIES, async (list) => {
    const range = { currency, from, to };
    const readFrom = (progress: NetSalesProgress): Promise<NetSales> => readPages(list, progress, onPage);
    try {
      return await readFrom(resumableProgress(resume, range));
    } catch (error) {
      // A test account can lose its data, and with it the transaction after which the next page begins.
      if (!(error instanceof UnknownStart)) throw error;
      return readFrom(noProgress(range));
    }
  });

async function readPages(
  list: ListPage,
  start: NetSalesProgress,
  onPage: NetSalesReading['onPage'],
): Promise<NetSales> {
  const created = createdWithin(start);
  let progress = start;
  for (;;) {
    const { after } = progress;
    const page = await list({
      created,
      limit: PAGE_LIMIT,
      ...(after === null ? {} : { starting_after: after }),
    });
    const problem = pageProblem(page, created, after);
    if (problem !== null) throw invalid(`Stripe's list of balance transactions is wrong: ${problem}`);
    progress = withPage(progress, page.data);
    await onPage?.(progress);
    if (!page.has_more) return netSales(progress);
  }
}

/** Returns why a page cannot follow, or null. A server that ignores a parameter would give wrong sums, or pages without end. */
function pageProblem(
  { data, has_more }: TransactionPage,
  { gte, lt }: { gte: number; lt: number },
  after: string | null,
): string | null {
  if (data.some(({ created }) => created < gte || created >= lt))
    return 'expected only transactions created on the days asked for';
  if (data.some(({ id }) => id === after)) return 'expected a page after the last transaction read';
  return has_more && data.length === 0 ? 'expected transactions on a page before the last' : null;
}
