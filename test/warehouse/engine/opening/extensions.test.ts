import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { loadExtension } from '../../../../warehouse/engine/opening/extensions.ts';
import { openInstance } from '../../../../warehouse/engine/open-instance.ts';
import { Session, type Statements } from '../../../../warehouse/engine/session.ts';
import { listenLocally } from '../../../support/fakes/file-server.ts';
import { withOpened } from '../../../support/with-opened.ts';

/** What every message ends with. */
const WHAT_TO_DO =
  'run scripts/fetch-duckdb-extensions.sh DIR, which takes it from PyPI, and set DUCKDB_EXTENSIONS to DIR';

describe('an extension that cannot be had', () => {
  let folder: string;
  const busy = withOpened(() => listenLocally((_request, response) => response.writeHead(503).end()));

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cost-analytics-extensions-'));
    await writeFile(join(folder, 'httpfs.duckdb_extension'), 'cut off');
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  /** Returns why a new DuckDB cannot load httpfs. */
  const failure = async (directory: string | null, environment: Record<string, string>): Promise<unknown> => {
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    const instance = await openInstance({ spillDirectory: folder, memoryLimit: '100MB', threads: 1 });
    const session = new Session(await instance.connect());
    return loadExtension(session, 'httpfs', directory).then(
      () => null,
      (error: unknown) => error,
    );
  };
  const invalidWith = (reason: RegExp): object => ({
    kind: 'invalid',
    message: expect.stringMatching(
      new RegExp(`^the DuckDB extension httpfs cannot be loaded: ${reason.source}; ${WHAT_TO_DO}$`),
    ) as string,
  });

  it('says so for a service user without a home', async () => {
    expect(await failure(null, { HOME: join(folder, 'nobody') })).toMatchObject(
      invalidWith(/.*Can't find the home directory at .*nobody'/),
    );
  });

  it('says so for a home that cannot be written to', async () => {
    const home = join(folder, 'httpfs.duckdb_extension');
    expect(await failure(null, { HOME: home })).toMatchObject(invalidWith(/.*(home directory|create dir).*/));
  });

  it('says so for a proxy that answers 503, and for a folder without the extension', async () => {
    const other = await mkdtemp(join(folder, 'empty-'));
    expect(await failure(other, { HOME: folder, HTTP_PROXY: busy.url })).toMatchObject(
      invalidWith(
        /DUCKDB_EXTENSIONS has no httpfs\.duckdb_extension, and .*Failed to download.* \(HTTP 503\)/,
      ),
    );
  });

  it('says so for a file that is damaged, without a download', async () => {
    expect(await failure(folder, { HOME: folder, HTTP_PROXY: busy.url })).toMatchObject(
      invalidWith(/(?!.*download).*httpfs\.duckdb_extension.*/),
    );
  });

  it('is given up after half a minute if its site sends nothing', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
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
    await vi.advanceTimersByTimeAsync(29_999);
    expect(await Promise.race([loading, Promise.resolve('still waiting')])).toBe('still waiting');
    await vi.advanceTimersByTimeAsync(1);
    vi.useRealTimers();
    expect(await loading).toMatchObject(invalidWith(/DuckDB's site has not sent it within 30 s/));
    expect(statements).toEqual(['INSTALL httpfs']);
  });
});
