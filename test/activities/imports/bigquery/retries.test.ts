import { afterEach, describe, expect, it } from 'vitest';
import { runQuery } from '../../../../activities/imports/bigquery/query-import.ts';
import type { ImportedValue } from '../../../../domain/imports/imported-value.ts';
import { Outage } from '../../../../domain/shared/errors.ts';
import { SEED } from '../../../support/effort.ts';
import type { FakeBigQuery, Fault } from '../../../support/fakes/bigquery/fake-bigquery.ts';
import { closeShops, errorOf, runOf, startShop, valuesOf } from './shop-query.ts';

afterEach(closeShops);

/** Attempts of a run that fail or are given up, and the next ones. A run is billed for one job. */
const BACKEND = { status: 503, reason: 'backendError', message: 'Error encountered during execution.' };

describe('another attempt of a run', () => {
  it('reads the job of the first', async () => {
    const fake = await startShop();
    const values = await valuesOf(fake);
    expect(await valuesOf(fake)).toEqual(values);
    expect(fake.project.started).toHaveLength(1);
    // Another run, other days and another query have jobs of their own.
    await valuesOf(fake, { jobId: 'cost-analytics-run-2' });
    await valuesOf(fake, { end: '2026-01-30' });
    expect(new Set(fake.project.started).size).toBe(3);
    expect(fake.project.started).toHaveLength(3);
  });

  it('waits for the job that the first left running', async () => {
    const fake = await startShop();
    fake.project.polls = Infinity;
    const attempt = new AbortController();
    fake.answered = ({ kind }) => {
      if (kind === 'job') attempt.abort(new Error('given up'));
    };
    await expect(valuesOf(fake, { signal: attempt.signal })).rejects.toThrow('given up');
    expect(fake.project.started).toHaveLength(1);
    fake.answered = ({ kind, number }) => {
      if (kind === 'job' && number > 10) fake.project.release();
    };
    expect(await valuesOf(fake)).toHaveLength(31);
    expect(fake.project.started).toHaveLength(1);
  });

  it('starts the next job if BigQuery failed the first, and reads the second from then on', async () => {
    const fake = await startShop();
    fake.project.failures.push(BACKEND, { ...BACKEND, reason: 'jobInternalError' });
    for (const _ of ['first', 'second']) {
      expect(await errorOf(valuesOf(fake))).toMatchObject({
        name: 'Outage',
        message: 'BigQuery is not available: Error encountered during execution.',
      });
    }
    for (const _ of ['third', 'fourth']) expect(await valuesOf(fake)).toHaveLength(31);
    const [first = ''] = fake.project.started;
    expect(fake.project.started).toEqual([first, `${first}-2`, `${first}-3`]);
  });

  it('gives up after five jobs that BigQuery failed', async () => {
    const fake = await startShop();
    fake.project.failures.push(...Array.from({ length: 9 }, () => BACKEND));
    for (let attempt = 1; attempt <= 5; attempt += 1)
      expect(await errorOf(valuesOf(fake))).toMatchObject({ name: 'Outage' });
    for (const _ of ['sixth', 'seventh']) {
      expect(await errorOf(valuesOf(fake))).toMatchObject({
        kind: 'invalid',
        message: 'BigQuery failed the query 5 times by no fault of the query: start another run later',
      });
    }
    expect(fake.project.started).toHaveLength(5);
  });

  it('never replaces a job that someone cancelled, or whose query is wrong', async () => {
    const fake = await startShop();
    fake.project.polls = Infinity;
    fake.answered = ({ kind }) => {
      const [job] = fake.project.jobs.values();
      if (kind === 'insert' && job !== undefined) fake.project.cancel(job.id, 'EU');
    };
    for (const _ of ['first', 'second'])
      expect(await errorOf(valuesOf(fake))).toMatchObject({ kind: 'invalid' });
    expect(fake.project.started).toHaveLength(1);
  });
});

describe('one attempt', () => {
  /** The faults of requests, by their numbers. */
  const faults = (fake: FakeBigQuery, at: Record<number, Fault>): void => {
    fake.instead = ({ number }) => at[number];
  };

  it.each<[string, Record<number, Fault>]>([
    ['a limit', { 1: { status: 429, reason: 'rateLimitExceeded', message: 'Slow down.' } }],
    ['an outage of the insert', { 2: BACKEND, 3: BACKEND, 4: BACKEND }],
    ['an insert whose answer broke off', { 2: 'cut the answer' }],
    ['an insert that never arrived', { 2: 'cut' }],
    ['a job whose state broke off', { 3: 'cut the answer', 4: 'cut' }],
    ['pages that broke off', { 4: 'cut the answer', 6: 'cut the answer', 8: BACKEND }],
  ])('survives %s, and starts one job', async (_what, at) => {
    const fake = await startShop();
    fake.project.mostRowsPerPage = 10;
    faults(fake, at);
    const values = await valuesOf(fake);
    expect(values.map(({ value }) => value)).toEqual(
      Array.from({ length: 31 }, (_, index) => `${100 + index}`),
    );
    expect(fake.project.started).toHaveLength(1);
    // Each fault was met: each repeats one of the seven requests, and the insert with a lost answer finds its job.
    expect(fake.requests).toHaveLength(7 + Object.keys(at).length);
  });

  it('does not hand out a page that broke off', async () => {
    const fake = await startShop();
    fake.project.mostRowsPerPage = 10;
    fake.instead = ({ kind, url }) =>
      kind === 'results' && url.searchParams.has('pageToken') ? 'cut the answer' : undefined;
    const pages: ImportedValue[][] = [];
    const read = async () => {
      for await (const page of runQuery(runOf(fake))) pages.push(page);
    };
    expect(await errorOf(read())).toBeInstanceOf(Outage);
    expect(pages).toHaveLength(1);
    fake.instead = null;
    expect(await valuesOf(fake)).toHaveLength(31);
    expect(fake.project.started).toHaveLength(1);
  });

  it('stops at once when it is given up, whatever it waits for', async () => {
    for (const awaited of ['dryRun', 'insert', 'job', 'results'] as const) {
      const fake = await startShop();
      const attempt = new AbortController();
      const reason = new Error('given up');
      fake.instead = ({ kind }) => {
        if (kind !== awaited) return undefined;
        setImmediate(() => {
          attempt.abort(reason);
        });
        return 'silence';
      };
      expect(await errorOf(valuesOf(fake, { signal: attempt.signal }))).toBe(reason);
    }
    const fake = await startShop();
    expect(await errorOf(valuesOf(fake, { signal: AbortSignal.abort(new Error('before')) }))).toMatchObject({
      message: 'before',
    });
    expect(fake.requests).toEqual([]);
  });
});

/** Random numbers from 0 to 1 that follow from a seed. */
function randomFrom(seed: number) {
  let state = seed;
  return (): number => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

/** How an attempt ends, at one of its requests or pages. */
const ENDINGS = ['before', 'cut', 'cut the answer', 'after', 'between pages'] as const;
/** Enough for the requests of a run with three polls and four pages. */
const MOST_REQUESTS = 10;

describe('a run that is given up', () => {
  it('at any of 50 moments, and then at random ones, ends with the same values from one job', async () => {
    const random = randomFrom(SEED);
    const below = (limit: number): number => Math.floor(random() * limit);
    const expected = await valuesOf(await startShop());
    const fake = await startShop();
    fake.project.mostRowsPerPage = 8;

    /** Makes an attempt that ends at a moment, if it comes so far. */
    const attempt = async (
      jobId: string,
      ending: (typeof ENDINGS)[number],
      moment: number,
    ): Promise<string> => {
      const controller = new AbortController();
      let left = moment;
      const isNow = (): boolean => left-- === 0;
      const stop = (): void => {
        controller.abort(new Error('killed'));
      };
      fake.instead = () => {
        if (ending === 'after' || ending === 'between pages' || !isNow()) return undefined;
        stop();
        return ending === 'before' ? 'silence' : ending;
      };
      fake.answered = () => {
        if (ending === 'after' && isNow()) stop();
      };
      const read: ImportedValue[] = [];
      const reading = async (): Promise<void> => {
        for await (const page of runQuery(runOf(fake, { jobId, signal: controller.signal }))) {
          read.push(...page);
          if (ending === 'between pages' && read.length >= moment * 4) throw new Error('killed');
        }
      };
      const outcome = await reading().then(
        () => 'ended',
        (error: unknown) => (error as Error).message,
      );
      // What was handed out before is right, however far the attempt came.
      expect(read).toEqual(expected.slice(0, read.length));
      fake.instead = null;
      fake.answered = null;
      return outcome;
    };

    const outcomes: string[] = [];
    for (let story = 0; story < ENDINGS.length * MOST_REQUESTS; story += 1) {
      const jobId = `story-${SEED}-${story}`;
      fake.project.polls = below(4);
      outcomes.push(
        await attempt(jobId, ENDINGS[story % ENDINGS.length] ?? 'cut', Math.floor(story / ENDINGS.length)),
      );
      for (let more = below(3); more > 0; more -= 1)
        outcomes.push(await attempt(jobId, ENDINGS[below(ENDINGS.length)] ?? 'cut', below(MOST_REQUESTS)));
      expect(await valuesOf(fake, { jobId })).toEqual(expected);
      expect(fake.project.started.filter((id) => id.startsWith(`${jobId}-`))).toHaveLength(1);
    }
    expect(new Set(outcomes)).toEqual(new Set(['killed', 'ended']));
    expect(outcomes.filter((outcome) => outcome === 'killed').length).toBeGreaterThan(30);
    expect(new Set(fake.project.started).size).toBe(fake.project.started.length);
  });
});
