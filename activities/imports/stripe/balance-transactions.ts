import Stripe from 'stripe';
import { z } from 'zod';
import { expectation } from '../../../domain/shared/text/expectation.ts';
import { restrictedKeyProblem } from '../../../domain/imports/stripe/restricted-key.ts';
import { apiBaseText, type StripeApiBase } from '../../../domain/imports/stripe/api-base.ts';
import { invalid, Outage } from '../../../domain/shared/errors.ts';
import { connectToStripe } from './connection.ts';
import { stripeFailure } from './failure.ts';
import { tryAgain, type Tries } from '../../shared/try-again.ts';

/** An account of Stripe, and the work that reads it. */
export interface StripeAccess extends Omit<Tries, 'mostTries'> {
  /** The setting STRIPE_API_BASE. */
  apiBase: StripeApiBase;
  /** A restricted key. No error repeats any part of it. */
  apiKey: string;
  /** The longest that an answer may take, in ms. Only tests set it. */
  timeoutMs?: number;
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

/** Lists one page. Throws `invalid` if a person must act, Outage if the problem may pass, and UnknownStart. */
export type ListPage = (params: Stripe.BalanceTransactionListParams) => Promise<TransactionPage>;

/** Lists balance transactions with a restricted key. Refuses other keys before anything is sent. Tries requests as `tryAgain` does. */
export async function withBalanceTransactions<Result>(
  { apiBase, apiKey, signal, wait, timeoutMs }: StripeAccess,
  mostTries: number,
  work: (list: ListPage) => Promise<Result>,
): Promise<Result> {
  const problem = restrictedKeyProblem(apiKey);
  if (problem !== null) throw invalid(`api_key: ${problem}`);
  const { client, close } = connectToStripe(apiBase, apiKey, { signal, timeoutMs });

  const ask = (params: Stripe.BalanceTransactionListParams): Promise<unknown> =>
    tryAgain(
      async () => expectOk(await client.balanceTransactions.list(params)),
      (error) => {
        const failure = stripeFailure(error, apiBase);
        return failure.isUnknownStart && params.starting_after !== undefined
          ? { ...failure, error: new UnknownStart() }
          : failure;
      },
      { mostTries, signal, wait },
    );
  try {
    return await work(async (params) => pageIn(await ask(params), apiBase));
  } finally {
    close();
  }
}

/** Returns an answer of status 200. The package accepts any status if the JSON has no `error`, for example a gateway's 503. */
function expectOk(answer: Stripe.Response<object>): object {
  const { statusCode, headers } = answer.lastResponse;
  if (statusCode === 200) return answer;
  throw new Stripe.errors.StripeAPIError({ message: '', type: 'api_error', statusCode, headers });
}

function pageIn(answer: unknown, base: StripeApiBase): TransactionPage {
  const parsed = page.safeParse(answer);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined ? '' : `, at ${issue.path.join('.') || 'the top'}: ${expectation(issue)}`;
  throw invalid(`${apiBaseText(base)} does not answer like Stripe${where}`);
}
