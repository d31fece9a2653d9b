import { afterAll, beforeAll } from 'vitest';

/**
 * Opens a warehouse, a server or the like before the tests of the file, or of the `describe`. After them it closes what was opened
 * last first. The returned object stands for it. It can be used once the tests run.
 */
export function withOpened<Opened extends { close: () => Promise<unknown> }>(
  open: () => Promise<Opened>,
): Opened {
  let opened: Opened | undefined;
  const now = (): Opened => {
    if (opened === undefined) throw new Error('it opens before the tests, not when their file loads');
    return opened;
  };
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened?.close());
  return new Proxy({} as Opened, {
    get: (_, key): unknown => Reflect.get(now(), key),
    set: (_, key, value) => Reflect.set(now(), key, value),
  });
}
