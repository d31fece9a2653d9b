import { afterEach, describe, expect, it } from 'vitest';
import type { NetSalesProgress } from '../../../../domain/imports/stripe/net-sales-progress.ts';
import { Outage } from '../../../../domain/shared/errors.ts';
import type { Fault } from '../../../support/fakes/stripe/fake-stripe.ts';
import { randomLedger } from '../../../support/fakes/stripe/random-ledger.ts';
import {
  answering,
  fakeStripes,
  readFrom,
  recordedWaits,
  rejectionOf,
} from '../../../support/fakes/stripe/readings.ts';
import {
  badParameter,
  noTransaction,
  serverError,
  tooManyRequests,
  type StripeAnswer,
} from '../../../../demo/stripe/stripe-answers.ts';

/** Outages and limits of Stripe during a reading. */
const ledger = randomLedger({ seed: 7, length: 450 });
const fakes = fakeStripes();
afterEach(() => fakes.closeAll());

const retriable = answering({ ...badParameter('', ''), headers: { 'stripe-should-retry': 'true' } });

describe('a reading goes on', () => {
  it('after the time that a 429 asks for', async () => {
    const expected = await readFrom(await fakes.start({ ledger }));
    const fake = await fakes.start({ ledger }, [{ kind: 'rate_limit', retryAfterSeconds: 1 }]);
    expect(await readFrom(fake)).toEqual(expected);
    expect(fake.askedTooSoon).toBe(0);
    expect(fake.requests).toHaveLength(6);
  });

  it.each<[string, Fault, [number, number]]>([
    ['a 429 that names no time', answering(tooManyRequests(null)), [250, 500]],
    ['a 429 that names 7 seconds', answering(tooManyRequests(7)), [7000, 7000]],
    ['a 500', answering(serverError()), [250, 500]],
    [
      'a 503 without a reason of Stripe',
      answering({ status: 503, body: '{"message":"unavailable"}' }),
      [250, 500],
    ],
    ['a 502 that is a web page', answering({ status: 502, body: '<html>' }), [250, 500]],
    ['a 409', answering({ ...badParameter('', 'lock'), status: 409 }), [250, 500]],
    ['a 400 that Stripe advises to try again', retriable, [250, 500]],
    ['a 400 that is a limit', answering(badParameter('', 'slow down', 'rate_limit')), [250, 500]],
    ['a page that is cut in the middle', { kind: 'cut' }, [250, 500]],
  ])('after %s', async (_, fault, [least, most]) => {
    const expected = await readFrom(await fakes.start({ ledger }));
    const { waits, wait } = recordedWaits();
    const fake = await fakes.start({ ledger });
    const onPage = ({ transactions }: NetSalesProgress): void => {
      if (transactions === 200) fake.faults.push(fault);
    };
    expect(await readFrom(fake, { wait, onPage })).toEqual(expected);
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeGreaterThanOrEqual(least);
    expect(waits[0]).toBeLessThanOrEqual(most);
    expect(fake.requests.filter(({ query }) => query['starting_after'] === ledger.at(199).id)).toHaveLength(
      2,
    );
  });

  it('after a page that does not end in time', async () => {
    const expected = await readFrom(await fakes.start({ ledger }));
    const { waits, wait } = recordedWaits();
    const fake = await fakes.start({ ledger }, [{ kind: 'drip' }]);
    expect(await readFrom(fake, { wait, timeoutMs: 1_000 })).toEqual(expected);
    expect(waits).toHaveLength(1);
  });
});

describe('a reading ends in an outage, which Temporal retries,', () => {
  it('after six tries, with longer and longer waits', async () => {
    const { waits, wait } = recordedWaits();
    const fake = await fakes.start(
      { ledger },
      Array.from({ length: 6 }, () => answering(serverError())),
    );
    const error = await rejectionOf(readFrom(fake, { wait }));
    expect(error).toBeInstanceOf(Outage);
    expect(error.message).toBe('Stripe answered 500');
    expect(fake.requests).toHaveLength(6);
    expect(waits).toHaveLength(5);
    for (const [index, longest] of [500, 1000, 2000, 4000, 8000].entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(longest / 2);
      expect(waits[index]).toBeLessThanOrEqual(longest);
    }
  });

  it.each<[string, StripeAnswer]>([
    ['Stripe asks for more than a minute', tooManyRequests(61)],
    ['Stripe advises against a retry', { ...serverError(), headers: { 'stripe-should-retry': 'false' } }],
  ])('at once if %s', async (_, given) => {
    const { waits, wait } = recordedWaits();
    const fake = await fakes.start({ ledger }, [answering(given)]);
    expect(await rejectionOf(readFrom(fake, { wait }))).toBeInstanceOf(Outage);
    expect(waits).toEqual([]);
    expect(fake.requests).toHaveLength(1);
  });

  it('if nobody listens at the address', async () => {
    const { wait } = recordedWaits();
    const fake = await fakes.start({ ledger });
    await fake.close();
    const error = await rejectionOf(readFrom(fake, { wait }));
    expect(error).toBeInstanceOf(Outage);
    expect(error.message).toBe(`127.0.0.1:${fake.base.port} cannot be reached (ECONNREFUSED)`);
  });

  it('if Stripe does not know the transaction after which it goes on, twice in a row', async () => {
    const fake = await fakes.start({ ledger });
    const onPage = (): void => {
      fake.faults.push(answering(noTransaction('txn_1')));
    };
    const error = await rejectionOf(readFrom(fake, { onPage }));
    expect(error).toBeInstanceOf(Outage);
    expect(fake.requests).toHaveLength(4);
  });
});
