import { afterEach, describe, expect, it } from 'vitest';
import { checkStripeKey } from '../../../../activities/imports/stripe/check-key.ts';
import { ServiceError } from '../../../../domain/shared/errors.ts';
import type { FakeStripe } from '../../../support/fakes/stripe/fake-stripe.ts';
import { TEST_KEY } from '../../../support/fakes/stripe/key-parts.ts';
import {
  answering,
  fakeStripes,
  recordedWaits,
  rejectionOf,
} from '../../../support/fakes/stripe/readings.ts';
import { serverError } from '../../../../demo/stripe/stripe-answers.ts';

/** Keys are checked with Stripe before they are stored. */
const fakes = fakeStripes();
afterEach(() => fakes.closeAll());

const check = (fake: FakeStripe, apiKey = TEST_KEY, wait = recordedWaits().wait): Promise<void> =>
  checkStripeKey({ apiBase: fake.base, apiKey, signal: new AbortController().signal, wait });

/** Returns the kind or name of a check's error, and its message. */
async function refusalOf(checked: Promise<void>): Promise<[string, string]> {
  const error = await rejectionOf(checked);
  return [error instanceof ServiceError ? error.kind : error.name, error.message];
}

describe('a key', () => {
  it('passes if it can list balance transactions', async () => {
    const fake = await fakes.start();
    await check(fake);
    expect(fake.requests).toMatchObject([{ path: '/v1/balance_transactions', query: { limit: '1' } }]);
  });

  it.each(['sk_test_', 'sk_live_', 'pk_test_', ''])('of another kind is not sent: %s', async (prefix) => {
    const fake = await fakes.start();
    const key = TEST_KEY.replace('rk_test_', prefix);
    fake.account.keys.set(key, new Set(['rak_balance_transaction_read']));
    expect(await refusalOf(check(fake, key))).toEqual([
      'invalid',
      'api_key: expected a restricted key that begins with rk_live_ or rk_test_, followed by letters and digits: in Stripe, under Developers, API keys, create a restricted key with Read on balance transactions',
    ]);
    expect(fake.requests).toEqual([]);
  });

  it('is refused if Stripe does not know it', async () => {
    const fake = await fakes.start();
    fake.account.keys.clear();
    expect(await refusalOf(check(fake))).toEqual([
      'invalid',
      'api_key: Stripe rejects the key, because it is wrong, revoked or expired; in Stripe, under Developers, API keys, create a restricted key with Read on balance transactions, and connect with it',
    ]);
    expect(fake.requests).toHaveLength(1);
  });

  it('is refused if it lacks the permission, by the name of the permission', async () => {
    const fake = await fakes.start();
    fake.account.keys.set(TEST_KEY, new Set(['rak_customer_read']));
    expect(await refusalOf(check(fake))).toEqual([
      'invalid',
      'api_key: the key lacks Read on balance transaction (rak_balance_transaction_read); add it to the key in Stripe, or connect with a key that has it',
    ]);
  });

  it('is neither refused nor accepted while Stripe is away', async () => {
    const fake = await fakes.start();
    fake.faults.push(...Array.from({ length: 3 }, () => answering(serverError(503))));
    const { waits, wait } = recordedWaits();
    expect(await refusalOf(check(fake, TEST_KEY, wait))).toEqual(['Outage', 'Stripe answered 503']);
    expect(fake.requests).toHaveLength(3);
    expect(waits).toHaveLength(2);
    await check(fake);
  });
});
