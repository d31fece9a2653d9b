import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { loadExtension } from '../../../../warehouse/engine/opening/extensions.ts';
import type { Statements } from '../../../../warehouse/engine/session.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it('an extension whose site sends nothing is given up after half a minute, with what to do', async () => {
  const statements: string[] = [];
  const silent: Statements = {
    run: (sql) => {
      statements.push(sql);
      return new Promise(() => undefined);
    },
    query: () => Promise.reject(new Error('nothing is read')),
    interrupt: () => undefined,
    isLost: false,
    rowsRead: 0,
  };
  const loading = loadExtension(silent, 'httpfs', null).catch((error: unknown) => error);
  vi.advanceTimersByTime(29_999);
  expect(await Promise.race([loading, Promise.resolve('still waiting')])).toBe('still waiting');
  vi.advanceTimersByTime(1);
  expect(await loading).toMatchObject({
    kind: 'invalid',
    message:
      'the DuckDB extension httpfs cannot be loaded: DuckDB could not install it (no answer from its site within 30 s); ' +
      'run scripts/fetch-duckdb-extensions.sh DIR, which takes it from PyPI, and set DUCKDB_EXTENSIONS to DIR',
  });
  expect(statements).toEqual(['INSTALL httpfs']);
});
