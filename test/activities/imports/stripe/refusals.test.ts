import { afterEach, describe, expect, it } from 'vitest';
import type { NetSalesProgress } from '../../../../domain/imports/stripe/net-sales-progress.ts';
import { stripeApiBase } from '../../../../domain/imports/stripe/api-base.ts';
import { ServiceError } from '../../../../domain/shared/errors.ts';
import { listenLocally } from '../../../support/fakes/file-server.ts';
import type { FakeStripe } from '../../../support/fakes/stripe/fake-stripe.ts';
import { keyPartsIn, TEST_KEY } from '../../../support/fakes/stripe/key-parts.ts';
import { randomLedger } from '../../../support/fakes/stripe/random-ledger.ts';
import { answering, fakeStripes, readFrom, rejectionOf } from '../../../support/fakes/stripe/readings.ts';
import { READ_TRANSACTIONS } from '../../../../demo/stripe/stripe-account.ts';
import {
  badParameter,
  listOf,
  noPermission,
  type StripeAnswer,
} from '../../../../demo/stripe/stripe-answers.ts';

/** What a person must do if Stripe refuses a reading, and where the key goes. */
const ledger = randomLedger({ seed: 7, length: 450 });
const fakes = fakeStripes();
afterEach(() => fakes.closeAll());

describe('a reading ends with what to do', () => {
  /** Reads until a change after three pages makes it fail. */
  const failing = async (change: (fake: FakeStripe) => void) => {
    const fake = await fakes.start({ ledger });
    let stored: unknown;
    const onPage = (progress: NetSalesProgress): void => {
      stored = progress;
      if (progress.transactions === 300) change(fake);
    };
    const error = await rejectionOf(readFrom(fake, { onPage }));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ kind: 'invalid' });
    return { fake, message: error.message, stored };
  };

  it('if the key is revoked between pages, and goes on with another key', async () => {
    const { fake, message, stored } = await failing(({ account }) => {
      account.keys.clear();
    });
    expect(message).toBe(
      'api_key: Stripe rejects the key, because it is wrong, revoked or expired; in Stripe, under Developers, API keys, create a restricted key with Read on balance transactions, and connect with it',
    );
    fake.account.keys.set('rk_test_new', new Set([READ_TRANSACTIONS]));
    const resumed = await readFrom(fake, { apiKey: 'rk_test_new', resume: stored });
    expect(resumed).toEqual(await readFrom(await fakes.start({ ledger })));
  });

  it('if the key expires', async () => {
    const { message } = await failing(({ account }) => account.expiredKeys.add(TEST_KEY));
    expect(message).toMatch(/^api_key: Stripe rejects the key, because it is wrong, revoked or expired; /);
  });

  it('if the key loses its permission', async () => {
    const { message } = await failing(({ account }) => account.keys.set(TEST_KEY, new Set()));
    expect(message).toBe(
      'api_key: the key lacks Read on balance transaction (rak_balance_transaction_read); add it to the key in Stripe, or connect with a key that has it',
    );
  });

  const forbidden = (message: string): StripeAnswer => ({
    ...noPermission(TEST_KEY, 'acct_1', ''),
    body: JSON.stringify({ error: { message, type: 'invalid_request_error' } }),
  });

  it.each<[string, StripeAnswer, RegExp]>([
    [
      'a permission in its other form',
      forbidden(
        `The provided key '${TEST_KEY}' does not have the required permissions for this endpoint on account 'acct_1'. Enabling "Balance Read" ('balance_read') permissions on this key would allow this request to continue.`,
      ),
      /the key lacks Read on balance \(balance_read\);/,
    ],
    [
      'no permission',
      forbidden(`Not with '${TEST_KEY}'.`),
      /lacks a permission, probably Read on balance tr/,
    ],
    [
      'the IP address',
      forbidden(`The API key ${TEST_KEY} does not allow requests from your IP address.`),
      /^api_key: Stripe does not accept the key from the IP address of this service; allow/,
    ],
    [
      'a parameter',
      badParameter('created[gte]', `Invalid: ${TEST_KEY}`),
      /^Stripe refused the request with 400, parameter_unknown, created\[gte\]$/,
    ],
    ['a code of the key', badParameter(TEST_KEY, '', TEST_KEY), /^Stripe refused the request with 400$/],
    [
      'another address',
      { status: 302, body: '{}', headers: { location: 'http://127.0.0.1:1/' } },
      /^Stripe refused the request with 302$/,
    ],
  ])('if Stripe names %s', async (_, given, message) => {
    const failed = await failing(({ faults }) => faults.push(answering(given)));
    expect(failed.message).toMatch(message);
    expect(failed.fake.requests).toHaveLength(4);
  });

  const shown = (change: object): unknown => ({ ...ledger.at(0), ...change });
  it.each<[string, StripeAnswer, string]>([
    ['is no list', { status: 200, body: '{}' }, 'at data: '],
    ['has an amount with decimals', listOf('', [shown({ amount: 1.5 })], false), 'at data.0.amount: '],
    [
      'has an amount that is too large to be exact',
      listOf('', [shown({ amount: 2 ** 53 })], false),
      'amount: ',
    ],
    [
      'has no category',
      listOf('', [shown({ reporting_category: null })], false),
      'at data.0.reporting_category',
    ],
    [
      'has a currency that is no code',
      listOf('', [shown({ currency: 'us dollars' })], false),
      'at data.0.currency: ',
    ],
    ['is empty but not the last', listOf('', [], true), 'expected transactions on a page before the last'],
    ['ignores the days', listOf('', [shown({ created: 0 })], false), 'created on the days asked for'],
    ['begins again', listOf('', [ledger.at(299)], true), 'expected a page after the last transaction read'],
  ])('if a page %s', async (_, given, message) => {
    const failed = await failing(({ faults }) => faults.push(answering(given)));
    expect(failed.message).toContain(message);
  });
});

describe('the key', () => {
  it('is found by the search for its parts', () => {
    const nested = new Error('x', { cause: { headers: { authorization: `Bearer ${TEST_KEY}` } } });
    expect(keyPartsIn(nested)).not.toEqual([]);
    expect(keyPartsIn(new Error(`ends in ${TEST_KEY.slice(-4)}`))).toEqual([TEST_KEY.slice(-4)]);
  });

  it('is sent to no other address that an answer names', async () => {
    const other = await listenLocally((_request, response) => response.end('{}'));
    const fake = await fakes.start({ ledger }, [
      answering({ status: 302, body: '{}', headers: { location: `${other.url}/` } }),
    ]);
    await rejectionOf(readFrom(fake));
    await other.close();
    expect(other.requests).toEqual([]);
  });

  it('is in no error of a server that speaks another protocol', async () => {
    const base = stripeApiBase('https://127.0.0.1:1');
    const fake = await fakes.start({ ledger });
    const error = await rejectionOf(readFrom({ base: { ...base, port: fake.base.port } }));
    expect(error).toMatchObject({ kind: 'invalid' });
    expect(error.message).toMatch(/cannot be reached: expected .*, got /);
  });
});
