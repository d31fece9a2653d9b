import { describe, expect, it } from 'vitest';
import { Together } from '../../../warehouse/engine/together.ts';

/** An item names its lock and what becomes of it, such as `a:1`. An item that ends with `!` always fails. */
function doing({ most = 100 } = {}) {
  const calls: { items: readonly string[]; finish: () => void; fail: (error: Error) => void }[] = [];
  const held = new Set<string>();
  let mayRepeat = true;
  const together = new Together<string, string>(
    {
      all: (items) =>
        new Promise((resolve, reject) => {
          const wrong = items.find((item) => item.endsWith('!'));
          calls.push({
            items,
            finish: () => {
              if (wrong === undefined) resolve(items.map((item) => `done ${item}`));
              else reject(new Error(`wrong ${wrong}`));
            },
            fail: reject,
          });
        }),
      lockOf: (item) => item.slice(0, 1),
      isHeld: (lock) => held.has(lock),
      mayRepeat: () => mayRepeat,
    },
    most,
  );
  return {
    do: (item: string) => together.do(item).catch((error: unknown) => String(error)),
    /** What is being done, the oldest first. */
    running: () => calls.map(({ items }) => items.join(' ')),
    /** Ends the oldest call, and waits for what follows from it. */
    finish: async (...error: Error[]): Promise<void> => {
      const call = calls.shift();
      for (const one of error) call?.fail(one);
      call?.finish();
      await new Promise(setImmediate);
    },
    held,
    never: () => {
      mayRepeat = false;
    },
  };
}

describe('what is done together', () => {
  it('begins at once, and takes what came meanwhile in the order in which it came', async () => {
    const test = doing();
    const first = test.do('a1');
    expect(test.running()).toEqual(['a1']);
    const others = [test.do('b1'), test.do('a2'), test.do('c1')];
    await test.finish();
    expect(await first).toBe('done a1');
    expect(test.running()).toEqual(['b1 a2 c1']);
    await test.finish();
    expect(await Promise.all(others)).toEqual(['done b1', 'done a2', 'done c1']);
    const later = test.do('d1');
    expect(test.running()).toEqual(['d1']);
    await test.finish();
    expect(await later).toBe('done d1');
  });

  it('is so much at most', async () => {
    const test = doing({ most: 2 });
    const all = ['a1', 'b1', 'c1', 'd1'].map(test.do);
    await test.finish();
    expect(test.running()).toEqual(['b1 c1']);
    await test.finish();
    expect(test.running()).toEqual(['d1']);
    await test.finish();
    expect(await Promise.all(all)).toEqual(['done a1', 'done b1', 'done c1', 'done d1']);
  });

  it('leaves those alone whose lock another holds, together with others of that lock', async () => {
    const test = doing();
    const first = test.do('a1');
    test.held.add('b');
    const all = ['b1', 'c1', 'b2'].map(test.do);
    await test.finish();
    expect(await first).toBe('done a1');
    expect(test.running()).toEqual(['b1', 'c1']);
    const later = [test.do('b3'), test.do('d1')];
    test.held.delete('b');
    await test.finish();
    expect(test.running()).toEqual(['c1', 'b2']);
    await test.finish();
    // What waits for the lock keeps its order, until nothing waits for it.
    expect(test.running()).toEqual(['b2', 'd1']);
    await test.finish();
    await test.finish();
    expect(test.running()).toEqual(['b3']);
    await test.finish();
    expect(await Promise.all([...all, ...later])).toEqual([
      'done b1',
      'done c1',
      'done b2',
      'done b3',
      'done d1',
    ]);
    const after = test.do('b4');
    expect(test.running()).toEqual(['b4']);
    await test.finish();
    expect(await after).toBe('done b4');
  });

  it('fails for what is wrong, and is done for the rest', async () => {
    const test = doing();
    const first = test.do('a1');
    const all = ['b1', 'b!', 'c1', 'b2'].map(test.do);
    await test.finish();
    await test.finish();
    expect(test.running()).toEqual(['b1 b! b2', 'c1']);
    await test.finish();
    expect(test.running()).toEqual(['c1', 'b1', 'b!', 'b2']);
    for (const _ of test.running()) await test.finish();
    expect(await Promise.all([first, ...all])).toEqual([
      'done a1',
      'done b1',
      'Error: wrong b!',
      'done c1',
      'done b2',
    ]);
  });

  it('is not repeated if nobody can know whether it was done', async () => {
    const test = doing();
    test.never();
    const first = test.do('a1');
    const all = ['b1', 'c1'].map(test.do);
    await test.finish();
    await test.finish(new Error('the connection ended'));
    expect(await Promise.all([first, ...all])).toEqual([
      'done a1',
      'Error: the connection ended',
      'Error: the connection ended',
    ]);
    expect(test.running()).toEqual([]);
  });
});
