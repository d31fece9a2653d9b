import { afterEach, describe, expect, it, vi } from 'vitest';
import { randomLedger } from '../../../support/fakes/stripe/random-ledger.ts';
import { answering, fakeStripes, readFrom } from '../../../support/fakes/stripe/readings.ts';
import { tooManyRequests } from '../../../../demo/stripe/stripe-answers.ts';
import { WAIT_MS } from '../../../support/patience.ts';

/** Readings that Temporal gives up. */
const ledger = randomLedger({ seed: 7, length: 450 });
const fakes = fakeStripes();
afterEach(() => fakes.closeAll());

describe('a reading that is given up', () => {
  const givenUp = (): { stop: AbortController; reason: Error } => ({
    stop: new AbortController(),
    reason: new Error('given up'),
  });

  it('sends nothing if that was before it began', async () => {
    const { stop, reason } = givenUp();
    const fake = await fakes.start({ ledger });
    stop.abort(reason);
    await expect(readFrom(fake, { signal: stop.signal })).rejects.toBe(reason);
    expect(fake.requests).toEqual([]);
  });

  it('does not wait for the rest of an answer, and breaks off its request', async () => {
    const { stop, reason } = givenUp();
    const fake = await fakes.start({ ledger }, [{ kind: 'drip' }]);
    fake.onFault = () => {
      stop.abort(reason);
    };
    await expect(readFrom(fake, { signal: stop.signal })).rejects.toBe(reason);
    expect(fake.requests).toHaveLength(1);
    await vi.waitFor(() => {
      expect(fake.connections.size).toBe(0);
    }, WAIT_MS);
  });

  it('does not wait until the next try', async () => {
    const { stop, reason } = givenUp();
    const fake = await fakes.start({ ledger }, [answering(tooManyRequests(60))]);
    fake.onFault = () => {
      setImmediate(() => {
        stop.abort(reason);
      });
    };
    await expect(readFrom(fake, { signal: stop.signal })).rejects.toBe(reason);
    expect(fake.requests).toHaveLength(1);
  });

  it('keeps no connection after its end', async () => {
    const fake = await fakes.start({ ledger });
    await readFrom(fake);
    await vi.waitFor(() => {
      expect(fake.connections.size).toBe(0);
    }, WAIT_MS);
  });

  it('passes on an error of its caller', async () => {
    const reason = new Error('the heartbeat failed');
    const onPage = () => Promise.reject(reason);
    await expect(readFrom(await fakes.start({ ledger }), { onPage })).rejects.toBe(reason);
  });
});
