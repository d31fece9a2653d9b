import { describe, expect, it } from 'vitest';
import { FairPlaces } from '../../../domain/shared/fair-places.ts';

const forever = new AbortController().signal;

describe('fair places', () => {
  /** Takes places for owners. `got` lists the names that have got one, in order. */
  const story = (places: FairPlaces) => {
    const got: string[] = [];
    const give = new Map<string, () => void>();
    const take = (owner: string, name: string, signal = forever) =>
      places.take(owner, signal).then((giveBack) => {
        got.push(name);
        give.set(name, giveBack);
      });
    const settle = () => new Promise((resolve) => setImmediate(resolve));
    const giveBack = (name: string) => {
      give.get(name)?.();
      return settle();
    };
    return { got, take, giveBack, settle };
  };

  it('leave places for others, however many one owner asks for', async () => {
    const { got, take, giveBack, settle } = story(new FairPlaces({ total: 3, each: 2, mostWaiting: 10 }));
    for (const name of ['a1', 'a2', 'a3', 'a4']) void take('acme', name);
    await settle();
    expect(got).toEqual(['a1', 'a2']);
    await take('bolt', 'b1');
    expect(got).toEqual(['a1', 'a2', 'b1']);
    await giveBack('a1');
    expect(got).toEqual(['a1', 'a2', 'b1', 'a3']);
    // A place that is given back twice is free once.
    await giveBack('a1');
    expect(got).toHaveLength(4);
    await giveBack('b1');
    expect(got).toHaveLength(4);
    await giveBack('a2');
    expect(got).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
  });

  it('go to waiting owners in turns', async () => {
    const { got, take, giveBack, settle } = story(new FairPlaces({ total: 1, each: 1, mostWaiting: 10 }));
    for (const name of ['a1', 'a2', 'a3']) void take('acme', name);
    void take('bolt', 'b1');
    await settle();
    for (const name of ['a1', 'a2', 'b1']) await giveBack(name);
    expect(got.slice(0, 1)).toEqual(['a1']);
    expect(got.indexOf('b1')).toBeLessThan(got.indexOf('a3'));
    expect(got).toHaveLength(4);
  });

  it('reject a call behind too many waiting ones, and forget aborted calls', async () => {
    const places = new FairPlaces({ total: 1, each: 1, mostWaiting: 1 });
    const { got, take, giveBack, settle } = story(places);
    await take('acme', 'a1');
    const leave = new AbortController();
    const gone = take('acme', 'a2', leave.signal);
    await expect(take('acme', 'a3')).rejects.toMatchObject({ kind: 'unavailable', status: 503 });
    leave.abort();
    await expect(gone).rejects.toThrow('busy');
    void take('acme', 'a4');
    await settle();
    await giveBack('a1');
    expect(got).toEqual(['a1', 'a4']);
  });
});
