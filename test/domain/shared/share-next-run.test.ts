import { describe, expect, it, vi } from 'vitest';
import { shareNextRun } from '../../../domain/shared/share-next-run.ts';
import { WAIT_MS } from '../../support/patience.ts';

/** Starts work that ends on the test's command. Returns the runs that it has begun. */
function startWork() {
  const runs: { items: readonly string[]; end: (error?: Error) => void }[] = [];
  const ask = shareNextRun(
    (items: readonly string[]) =>
      new Promise<string>((resolve, reject) => {
        runs.push({
          items,
          end: (error) => {
            if (error === undefined) resolve(items.join());
            else reject(error);
          },
        });
      }),
  );
  /** Ends a run once it has begun. */
  const end = async (index: number, error?: Error): Promise<void> => {
    await vi.waitFor(() => {
      expect(runs.length).toBeGreaterThan(index);
    }, WAIT_MS);
    runs[index]?.end(error);
  };
  return { runs, ask, end };
}

describe('calls that share the next run', () => {
  it('start at once, or together after the current run', async () => {
    const { runs, ask, end } = startWork();
    const first = ask('a');
    const [second, third] = [ask('b'), ask('c')];
    expect(runs.map(({ items }) => items)).toEqual([['a']]);
    await end(0);
    expect(await first).toBe('a');
    await end(1);
    expect(await Promise.all([second, third])).toEqual(['b,c', 'b,c']);
    expect(runs).toHaveLength(2);
  });

  it('succeed although the run before theirs fails', async () => {
    const { ask, end } = startWork();
    const first = ask('a');
    const second = ask('b');
    const failed = expect(first).rejects.toThrow('no disk');
    await end(0, new Error('no disk'));
    await failed;
    await end(1);
    expect(await second).toBe('b');
  });
});
