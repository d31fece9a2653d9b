import type { BalanceTransaction } from '../../domain/imports/stripe/net-sales-progress.ts';
import { ledgerOf, type Ledger } from './ledger.ts';
import {
  badParameter,
  expiredKey,
  listOf,
  noKey,
  noPermission,
  noRoute,
  noTransaction,
  wrongKey,
  type StripeAnswer,
} from './stripe-answers.ts';

/** The permission that listing balance transactions needs. */
export const READ_TRANSACTIONS = 'rak_balance_transaction_read';

/** An account of Stripe with its keys. Tests change it while a server answers from it. */
export interface StripeAccount {
  id: string;
  ledger: Ledger;
  /** Permissions of each key. A revoked key is missing. */
  keys: Map<string, Set<string>>;
  expiredKeys: Set<string>;
}

/** Returns an account in which one restricted key may read balance transactions. */
export const stripeAccount = (
  key: string,
  transactions: readonly BalanceTransaction[] = [],
): StripeAccount => ({
  id: 'acct_1PQrStUvWxYz',
  ledger: ledgerOf(transactions),
  keys: new Map([[key, new Set([READ_TRANSACTIONS])]]),
  expiredKeys: new Set(),
});

export interface StripeRequest {
  method: string;
  url: URL;
  authorization: string | undefined;
}

const PATH = '/v1/balance_transactions';

/** Answers a request like Stripe: first the key is checked, then the route, the permission and the parameters. */
export function answerLikeStripe(
  account: StripeAccount,
  { method, url, authorization }: StripeRequest,
): StripeAnswer {
  const key = keyIn(authorization);
  if (key === '') return noKey();
  if (account.expiredKeys.has(key)) return expiredKey(key);
  const permissions = account.keys.get(key);
  if (permissions === undefined) return wrongKey(key);
  if (method !== 'GET' || url.pathname !== PATH) return noRoute(method, url.pathname);
  if (!permissions.has(READ_TRANSACTIONS)) return noPermission(key, account.id, READ_TRANSACTIONS);
  return transactionsAnswer(account.ledger, url.searchParams);
}

/** Returns the key of a request; empty if it has none. */
export const keyIn = (authorization: string | undefined): string =>
  /^Bearer (\S+)$/.exec(authorization ?? '')?.[1] ?? '';

const INTEGERS = ['created[gte]', 'created[gt]', 'created[lte]', 'created[lt]', 'limit'];
const DEFAULT_LIMIT = 10;
const LARGEST_LIMIT = 100;

function transactionsAnswer(ledger: Ledger, query: URLSearchParams): StripeAnswer {
  for (const [name, value] of query) {
    if (!INTEGERS.includes(name) && name !== 'starting_after')
      return badParameter(name, `Received unknown parameter: ${name}`);
    if (INTEGERS.includes(name) && !/^\d+$/.test(value))
      return badParameter(name, `Invalid integer: ${value}`, 'parameter_invalid_integer');
  }
  const number = (name: string, otherwise: number): number => Number(query.get(name) ?? otherwise);
  const limit = number('limit', DEFAULT_LIMIT);
  if (limit < 1 || limit > LARGEST_LIMIT)
    return badParameter('limit', `Invalid limit: ${limit}`, 'parameter_invalid_integer');
  const startingAfter = query.get('starting_after');
  const after = startingAfter === null ? -1 : ledger.indexOf(startingAfter);
  if (startingAfter !== null && after === -1) return noTransaction(startingAfter);
  const before = Math.min(number('created[lt]', Infinity), number('created[lte]', Infinity) + 1);
  const from = Math.max(number('created[gte]', 0), number('created[gt]', -1) + 1);
  const first = Math.max(after + 1, firstBefore(ledger, before));
  const end = Math.min(first + limit, firstBefore(ledger, from));
  const data = Array.from({ length: Math.max(0, end - first) }, (_, place) =>
    shown(ledger.at(first + place)),
  );
  return listOf(PATH, data, end > first && end < firstBefore(ledger, from));
}

/** Returns the index of the newest transaction that was created before an instant. */
function firstBefore(ledger: Ledger, instant: number): number {
  let [low, high] = [0, ledger.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (ledger.at(middle).created < instant) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Returns a transaction with all fields that Stripe shows. */
function shown(transaction: BalanceTransaction): Record<string, unknown> {
  const { id, amount, created, currency, reporting_category } = transaction;
  // The fee is never part of net sales.
  const fee = reporting_category === 'charge' ? Math.round(amount * 0.029) + 30 : 0;
  return {
    id,
    object: 'balance_transaction',
    amount,
    available_on: created + 172_800,
    balance_type: 'payments',
    created,
    currency,
    description: null,
    exchange_rate: null,
    fee,
    fee_details:
      fee === 0
        ? []
        : [
            {
              amount: fee,
              application: null,
              currency,
              description: 'Stripe processing fees',
              type: 'stripe_fee',
            },
          ],
    net: amount - fee,
    reporting_category,
    source: `${reporting_category.slice(0, 2)}_${id.slice(4)}`,
    status: 'available',
    type: reporting_category,
  };
}
