import { withBalanceTransactions, type StripeAccess } from './balance-transactions.ts';

/** A person waits for the result, so an outage is reported soon. */
const MOST_TRIES = 3;

/**
 * Checks with Stripe that a key can read balance transactions (docs/design.md#secrets). Sends nothing for a key that is not
 * restricted. Throws `invalid` with what to do if the key cannot be used, and Outage if Stripe cannot be asked.
 */
export const checkStripeKey = (access: StripeAccess): Promise<void> =>
  withBalanceTransactions(access, MOST_TRIES, async (list) => {
    await list({ limit: 1 });
  });
