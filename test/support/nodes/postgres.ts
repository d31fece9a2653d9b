import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { catalogUrl } from '../../../warehouse/engine/decisions/catalog-url.ts';
import { freePort } from '../../../temporal/dev-server/spawn-dev-server.ts';

const run = promisify(execFile);

const FIND = resolve(import.meta.dirname, '../../../scripts/with-postgres.sh');

/** A Postgres of its own, which a test stops and starts again. */
export interface OwnPostgres {
  /** Its connection string, in libpq's words. It names no database. */
  connection: string;
  /** Ends it at once, as a crash does. Nothing that was committed is lost. */
  stop: () => Promise<void>;
  start: () => Promise<void>;
  psql: (database: string, sql: string) => Promise<void>;
  remove: () => Promise<void>;
}

/** Starts an empty Postgres on a free port. */
export const startPostgres = async (): Promise<OwnPostgres> => {
  const bin = (await run(FIND, ['--find'])).stdout.trim();
  // Not in TMPDIR: the path of a Unix socket is limited to about 100 bytes.
  const folder = await mkdtemp('/tmp/cost-analytics-own-pg.');
  const asOwner = await owner(folder);
  const data = join(folder, 'data');
  const port = await freePort();
  const settings = `-c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -p ${port}`;
  const pgCtl = (...words: string[]) => asOwner(join(bin, 'pg_ctl'), '-D', data, '-w', ...words);
  await asOwner(
    join(bin, 'initdb'),
    '-D',
    data,
    '-U',
    'postgres',
    '--auth=trust',
    '--no-locale',
    '--no-sync',
  );
  const start = async (): Promise<void> => {
    await pgCtl('start', '-l', join(folder, 'log'), '-o', settings);
  };
  const stop = async (): Promise<void> => {
    await pgCtl('stop', '-m', 'immediate');
  };
  await start();
  const connection = `host=127.0.0.1 port=${port} user=postgres`;
  return {
    connection,
    start,
    stop,
    psql: async (database, sql) => {
      const client = new Client(catalogUrl(`${connection} dbname=${database}`));
      await client.connect();
      await client.query(sql).finally(() => client.end());
    },
    remove: async () => {
      await stop().catch((error: unknown) => error);
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** Returns how to run the server's programs, which refuse to run as root. */
const owner = async (folder: string) => {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    await chmod(folder, 0o755);
    await run('chown', ['postgres', folder]);
  }
  return (program: string, ...words: string[]) =>
    isRoot
      ? run('runuser', ['-u', 'postgres', '--', program, ...words], { cwd: folder })
      : run(program, words, { cwd: folder });
};
