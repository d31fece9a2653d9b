import { expect, it } from 'vitest';
import { sideBySide } from '../../../domain/shared/side-by-side.ts';

it('returns what each work returns, in order', async () => {
  expect(await sideBySide([Promise.resolve(1), 'two', Promise.resolve(null)])).toEqual([1, 'two', null]);
});

it('throws the error of one work only once the others have ended', async () => {
  let end = (): void => undefined;
  const slow = new Promise<void>((resolve) => {
    end = resolve;
  });
  const ended: string[] = [];
  const failed = sideBySide([
    Promise.reject(new Error('no such table')),
    slow.then(() => ended.push('slow')),
  ]).catch((error: unknown) => ended.push(String(error)));
  await Promise.resolve();
  expect(ended).toEqual([]);
  end();
  await failed;
  expect(ended).toEqual(['slow', 'Error: no such table']);
});
