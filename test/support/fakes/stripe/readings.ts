import { readNetSales, type NetSalesReading } from '../../../../activities/imports/stripe/read-net-sales.ts';
import { stripeAccount, type StripeAccount } from '../../../../demo/stripe/stripe-account.ts';
import type { StripeAnswer } from '../../../../demo/stripe/stripe-answers.ts';
import type { NetSales } from '../../../../domain/imports/stripe/net-sales.ts';
import { startFakeStripe, type Fault, type FakeStripe } from './fake-stripe.ts';
import { keyPartsIn, TEST_KEY } from './key-parts.ts';

/** Servers of a test file. */
export interface FakeStripes {
  /** Starts a server for an account in which the test key may read balance transactions. */
  start: (account?: Partial<StripeAccount>, faults?: readonly Fault[]) => Promise<FakeStripe>;
  closeAll: () => Promise<void>;
}

export function fakeStripes(): FakeStripes {
  const started: FakeStripe[] = [];
  return {
    start: async (account = {}, faults = []) => {
      const fake = await startFakeStripe({ ...stripeAccount(TEST_KEY), ...account });
      fake.faults.push(...faults);
      started.push(fake);
      return fake;
    },
    closeAll: async () => {
      await Promise.all(started.splice(0).map((fake) => fake.close()));
    },
  };
}

/** Reads the net sales of January and February 2026 in USD with the test key, unless `more` says otherwise. */
export const readFrom = (
  { base }: Pick<FakeStripe, 'base'>,
  more: Partial<NetSalesReading> = {},
): Promise<NetSales> =>
  readNetSales({
    apiBase: base,
    apiKey: TEST_KEY,
    currency: 'USD',
    from: '2026-01-01',
    to: '2026-03-01',
    signal: new AbortController().signal,
    ...more,
  });

/** Returns waits that take no time, and their milliseconds. */
export function recordedWaits(): { waits: number[]; wait: (milliseconds: number) => Promise<void> } {
  const waits: number[] = [];
  return {
    waits,
    wait: async (milliseconds) => {
      waits.push(milliseconds);
    },
  };
}

/** Returns the error with which some work ends. Throws if it ends without one, or if the error holds a part of the test key. */
export async function rejectionOf(work: Promise<unknown>): Promise<Error> {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Error)) throw new Error('expected an error');
  const parts = keyPartsIn(error);
  if (parts.length > 0) throw new Error(`expected no part of the key, got ${parts.join(', ')}`);
  if (Object.hasOwn(error, 'cause')) throw new Error('expected an error without a cause');
  return error;
}

/** Returns a fault that answers in Stripe's place. */
export const answering = (answer: StripeAnswer): Fault => ({ kind: 'answer', answer });
