import { expect, it } from 'vitest';
import { LoopTurns } from '../../../api/requests/loop-turns.ts';

const turnOver = () => new Promise((resolve) => setImmediate(resolve));

it('turns start one request of each owner, in order, and a lone request does not wait', async () => {
  const turns = new LoopTurns();
  const started: string[] = [];
  const start = (owner: string, request: string) =>
    turns.take(owner).then(() => {
      started.push(request);
    });
  for (const request of ['acme 1', 'acme 2', 'acme 3']) void start('acme', request);
  await start('bolt', 'bolt 1');
  expect(started).toEqual(['acme 1', 'bolt 1']);
  await turnOver();
  void start('bolt', 'bolt 2');
  await turnOver();
  expect(started).toEqual(['acme 1', 'bolt 1', 'acme 2', 'bolt 2', 'acme 3']);
  // An owner whose last request started in an earlier turn waits for nobody.
  await turnOver();
  await turnOver();
  void turnOver().then(() => started.push('the next turn'));
  await start('acme', 'acme 4');
  expect(started.at(-1)).toBe('acme 4');
  expect(started).not.toContain('the next turn');
});
