import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { NetSalesProgress } from '../../../../domain/imports/stripe/net-sales-progress.ts';
import type { NetSales } from '../../../../domain/imports/stripe/net-sales.ts';
import { SEED } from '../../../support/effort.ts';
import type { FakeStripe } from '../../../support/fakes/stripe/fake-stripe.ts';
import { ledgerOf } from '../../../../demo/stripe/ledger.ts';
import { randomLedger } from '../../../support/fakes/stripe/random-ledger.ts';
import { answering, fakeStripes, readFrom } from '../../../support/fakes/stripe/readings.ts';

/** Readings that are cut off, and go on from the progress that was stored. */
const PAGES = 20;
const LENGTH = PAGES * 100 - 37;

const fakes = fakeStripes();
afterEach(() => fakes.closeAll());
const start = (): Promise<FakeStripe> =>
  fakes.start({ ledger: randomLedger({ seed: SEED, length: LENGTH }) });

/** Where a reading is cut off: after the pages, or in the middle of the page that follows them. */
interface Cut {
  pages: number;
  isWithinPage: boolean;
}

/** Reads until the cut. Returns the progress that a caller would have stored, as it comes out of its store. */
async function readUntil(fake: FakeStripe, { pages, isWithinPage }: Cut, resume: unknown): Promise<unknown> {
  const stop = new AbortController();
  let stored = resume;
  let left = pages;
  const slowNextPage = (): void => {
    fake.faults.push({ kind: 'drip' });
  };
  fake.onFault = () => {
    stop.abort(new Error('cut off'));
  };
  if (left === 0) slowNextPage();
  const onPage = (progress: NetSalesProgress): void => {
    stored = JSON.parse(JSON.stringify(progress));
    left -= 1;
    if (left > 0) return;
    if (isWithinPage) slowNextPage();
    else stop.abort(new Error('cut off'));
  };
  await expect(readFrom(fake, { resume, onPage, signal: stop.signal })).rejects.toThrow('cut off');
  fake.onFault = null;
  return stored;
}

let whole: NetSales;
beforeAll(async () => {
  whole = await readFrom(await start());
  expect(whole).toMatchObject({ transactions: LENGTH, values: { length: 59 } });
  await fakes.closeAll();
});

describe('a reading', () => {
  it('ends with the same values from 50 random cuts', async () => {
    const fake = await start();
    for (let cut = 0; cut < 50; cut += 1) {
      const pages = Math.floor(Math.abs(Math.sin(SEED + cut)) * (PAGES - 1));
      const isWithinPage = pages === 0 || cut % 2 === 0;
      const stored = await readUntil(fake, { pages, isWithinPage }, undefined);
      fake.requests.length = 0;
      expect(await readFrom(fake, { resume: stored }), `cut ${cut} after ${pages} pages`).toEqual(whole);
      expect(fake.requests, 'pages read again').toHaveLength(PAGES - pages);
    }
  });

  it('ends with the same values after a cut at each page in turn', async () => {
    const fake = await start();
    let stored: unknown;
    for (let page = 0; page < PAGES - 1; page += 1)
      stored = await readUntil(fake, { pages: 1, isWithinPage: page % 3 === 0 }, stored);
    expect(stored).toMatchObject({ transactions: (PAGES - 1) * 100 });
    expect(await readFrom(fake, { resume: stored })).toEqual(whole);
  });

  it('ends with the same values from the progress of its last page', async () => {
    const fake = await start();
    let last: unknown;
    await readFrom(fake, {
      onPage: (progress) => {
        last = progress;
      },
    });
    expect(await readFrom(fake, { resume: last })).toEqual(whole);
  });

  it('starts over from progress of another kind', async () => {
    const fake = await start();
    const stored = await readUntil(fake, { pages: 5, isWithinPage: false }, undefined);
    expect(await readFrom(fake, { resume: { ...(stored as object), version: 0 } })).toEqual(whole);
    expect(await readFrom(fake, { resume: 'broken' })).toEqual(whole);
  });

  it('starts over if Stripe no longer knows the transaction after which it would go on', async () => {
    const fake = await start();
    const stored = await readUntil(fake, { pages: 5, isWithinPage: false }, undefined);
    fake.requests.length = 0;
    const resume = { ...(stored as object), after: 'txn_deleted' };
    expect(await readFrom(fake, { resume })).toEqual(whole);
    expect(fake.requests).toHaveLength(1 + PAGES);
  });

  it('starts over if Stripe says so without a code', async () => {
    const fake = await start();
    const stored = await readUntil(fake, { pages: 5, isWithinPage: false }, undefined);
    const { param, message } = { param: 'starting_after', message: 'No such balance_transaction' };
    fake.faults.push(answering({ status: 404, body: JSON.stringify({ error: { message, param } }) }));
    expect(await readFrom(fake, { resume: stored })).toEqual(whole);
  });

  it('starts over if an account loses its transactions meanwhile, and then reads what is left', async () => {
    const fake = await start();
    const onPage = ({ transactions }: NetSalesProgress): void => {
      if (transactions === 300) fake.account.ledger = ledgerOf([]);
    };
    const nothing = { values: [], other_currencies: [], left_out: [], transactions: 0 };
    expect(await readFrom(fake, { onPage })).toEqual(nothing);
  });

  it('keeps progress that is as small for many transactions as for few', async () => {
    const fake = await start();
    const sizes: number[] = [];
    await readFrom(fake, {
      onPage: (progress) => {
        sizes.push(JSON.stringify(progress).length);
      },
    });
    expect(sizes).toHaveLength(PAGES);
    // 59 days of at most 30 characters; four currencies and two categories in two months.
    expect(Math.max(...sizes)).toBeLessThan(59 * 30 + 2 * 4 * 3 * 50 + 300);
  });
});
