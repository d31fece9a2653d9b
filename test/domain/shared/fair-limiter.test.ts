import { describe, expect, it } from 'vitest';
import { FairLimiter } from '../../../domain/shared/fair-limiter.ts';

const forever = new AbortController().signal;

describe('a fair limiter', () => {
  /** Returns functions that take places under a name and give them back. `got` lists the names in the order of their places. */
  const namedPlaces = (limiter: FairLimiter) => {
    const got: string[] = [];
    const releaseOf = new Map<string, () => void>();
    const take = (owner: string, name: string, signal = forever) =>
      limiter.acquire(owner, signal).then((release) => {
        got.push(name);
        releaseOf.set(name, release);
      });
    const settle = () => new Promise((resolve) => setImmediate(resolve));
    const release = (name: string) => {
      releaseOf.get(name)?.();
      return settle();
    };
    return { got, take, release, settle };
  };

  it('leave places for others, however many one owner asks for', async () => {
    const { got, take, release, settle } = namedPlaces(
      new FairLimiter({ total: 3, each: 2, mostWaiting: 10 }),
    );
    for (const name of ['a1', 'a2', 'a3', 'a4']) void take('acme', name);
    await settle();
    expect(got).toEqual(['a1', 'a2']);
    await take('bolt', 'b1');
    expect(got).toEqual(['a1', 'a2', 'b1']);
    await release('a1');
    expect(got).toEqual(['a1', 'a2', 'b1', 'a3']);
    // If a place is given back twice, the second time frees nothing.
    await release('a1');
    expect(got).toHaveLength(4);
    await release('b1');
    expect(got).toHaveLength(4);
    await release('a2');
    expect(got).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
  });

  it('go to waiting owners in turn', async () => {
    const { got, take, release, settle } = namedPlaces(
      new FairLimiter({ total: 1, each: 1, mostWaiting: 10 }),
    );
    for (const name of ['a1', 'a2', 'a3']) void take('acme', name);
    void take('bolt', 'b1');
    await settle();
    for (const name of ['a1', 'a2', 'b1']) await release(name);
    expect(got.slice(0, 1)).toEqual(['a1']);
    expect(got.indexOf('b1')).toBeLessThan(got.indexOf('a3'));
    expect(got).toHaveLength(4);
  });

  it('reject a call if too many calls of its owner wait, and forget aborted calls', async () => {
    const limiter = new FairLimiter({ total: 1, each: 1, mostWaiting: 1 });
    const { got, take, release, settle } = namedPlaces(limiter);
    await take('acme', 'a1');
    const abort = new AbortController();
    const aborted = take('acme', 'a2', abort.signal);
    await expect(take('acme', 'a3')).rejects.toMatchObject({ kind: 'unavailable' });
    abort.abort();
    await expect(aborted).rejects.toThrow('busy');
    void take('acme', 'a4');
    await settle();
    await release('a1');
    expect(got).toEqual(['a1', 'a4']);
  });
});
