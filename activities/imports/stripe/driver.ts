import { stripeApiBase } from '../../../domain/imports/stripe/api-base.ts';
import { addDays } from '../../../domain/shared/calendar.ts';
import { ServiceError } from '../../../domain/shared/errors.ts';
import type { Driver } from '../driver.ts';
import { checkStripeKey } from './check-key.ts';
import { readNetSales } from './read-net-sales.ts';

/** Reads the net sales of the account that a restricted key opens. */
export const stripe: Driver<'stripe'> = {
  async check({ credential }, { address, signal }) {
    try {
      await checkStripeKey({ apiBase: stripeApiBase(address), apiKey: credential, signal });
      return { problems: [] };
    } catch (error) {
      if (error instanceof ServiceError && error.kind === 'invalid') return { problems: [error.message] };
      throw error;
    }
  },

  async values({ credential, currency, days, resume, report }, { address, signal }) {
    const sales = await readNetSales({
      apiBase: stripeApiBase(address),
      apiKey: credential,
      currency: currency ?? '',
      from: days.start,
      to: addDays(days.end, 1),
      resume,
      onPage: (read) => {
        report(read.transactions, read);
      },
      signal,
    });
    return { parts: [sales.values], rows: sales.transactions, uncounted: sales };
  },
};
