import { setTimeout } from 'node:timers/promises';
import Stripe from 'stripe';
import { z } from 'zod';
import { restrictedKeyProblem } from '../../domain/imports/restricted-key.ts';
import { apiBaseText, type StripeApiBase } from '../../domain/imports/stripe-api-base.ts';
import { invalid, Outage } from '../../domain/shared/errors.ts';
import { connectToStripe } from './stripe-connection.ts';
import { stripeFailure } from './stripe-failure.ts';

/** An account of Stripe, and the work that reads it. */
export interface StripeAccess {
  /** The setting STRIPE_API_BASE. */
  apiBase: StripeApiBase;
  /** A restricted key. No error repeats any part of it. */
  apiKey: string;
  /** Ends the work at once. The work then rejects with the signal's reason. */
  signal: AbortSignal;
  /** Waits before another try. Tests replace it. */
  wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

const page = z.object({
  data: z.array(
    z.object({
      id: z.string().min(1),
      amount: z.int(),
      created: z.int(),
      // Stripe documents three letters. Another code is another currency, and no reason to refuse all sales.
      currency: z
        .string()
        .regex(/^\w{1,20}$/)
        .toLowerCase(),
      reporting_category: z.string().regex(/^\w{1,100}$/),
    }),
  ),
  has_more: z.boolean(),
});

/** A page of balance transactions, the newest first. */
export type TransactionPage = z.infer<typeof page>;

/** Stripe does not know the transaction after which a page was to begin. */
export class UnknownStart extends Outage {
  constructor() {
    super('Stripe no longer knows the transaction at which the reading had stopped');
  }
}

/** If Stripe asks for a longer wait, the work ends in an Outage, and Temporal retries it later. */
const LONGEST_WAIT_MS = 60_000;
const FIRST_WAIT_MS = 500;

/** Lists one page. Throws `invalid` if a person must act, Outage if the problem may pass, and UnknownStart. */
export type ListPage = (params: Stripe.BalanceTransactionListParams) => Promise<TransactionPage>;

/**
 * Lists balance transactions with a restricted key. Refuses other keys before anything is sent. A request that may succeed
 * later is sent up to `mostTries` times. Before each try it waits as long as Stripe asks for, or else twice as long as before.
 */
export const withBalanceTransactions = async <Result>(
  { apiBase, apiKey, signal, wait = waitFor }: StripeAccess,
  mostTries: number,
  work: (list: ListPage) => Promise<Result>,
): Promise<Result> => {
  const problem = restrictedKeyProblem(apiKey);
  if (problem !== null) throw invalid(`api_key: ${problem}`);
  const { client, close } = connectToStripe(apiBase, apiKey);

  const ask = async (params: Stripe.BalanceTransactionListParams): Promise<unknown> => {
    for (let tries = 1; ; tries += 1) {
      signal.throwIfAborted();
      try {
        return expectOk(await untilAborted(client.balanceTransactions.list(params), signal));
      } catch (error) {
        signal.throwIfAborted();
        const failure = stripeFailure(error, apiBase);
        if (failure.isUnknownStart && params.starting_after !== undefined) throw new UnknownStart();
        const waitMs = failure.retryAfterMs ?? backoffMs(tries);
        if (!failure.isWorthRetry || tries >= mostTries || waitMs > LONGEST_WAIT_MS) throw failure.error;
        await wait(waitMs, signal);
      }
    }
  };
  try {
    return await work(async (params) => pageIn(await ask(params), apiBase));
  } finally {
    close();
  }
};

/** Returns an answer of status 200. The package accepts any status if the JSON has no `error`, for example a gateway's 503. */
const expectOk = (answer: Stripe.Response<object>): object => {
  const { statusCode, headers } = answer.lastResponse;
  if (statusCode === 200) return answer;
  throw new Stripe.errors.StripeAPIError({ message: '', type: 'api_error', statusCode, headers });
};

const pageIn = (answer: unknown, base: StripeApiBase): TransactionPage => {
  const parsed = page.safeParse(answer);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0] ?? { path: [], message: 'unknown' };
  throw invalid(
    `${apiBaseText(base)} does not answer like Stripe, at ${path.join('.') || 'the top'}: ${message}`,
  );
};

/** Settles like `work`, or rejects as soon as `signal` aborts. */
const untilAborted = <Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> =>
  new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', abort);
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', abort);
    });
  });

/** Doubles with each try. It is random by half, so that many imports do not come back at the same moment. */
const backoffMs = (tries: number): number => FIRST_WAIT_MS * 2 ** (tries - 1) * (0.5 + Math.random() / 2);

const waitFor = async (milliseconds: number, signal: AbortSignal): Promise<void> => {
  try {
    await setTimeout(milliseconds, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
};
