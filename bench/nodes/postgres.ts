import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { freePort } from '../../temporal/dev-server/spawn-dev-server.ts';
import { catalogUrl } from '../../warehouse/engine/locks/catalog-url.ts';

const run = promisify(execFile);

const ROOT = dirname(createRequire(import.meta.url).resolve('#package.json'));
const FIND = join(ROOT, 'scripts/with-postgres.sh');

/** A Postgres of its own, which its user stops and starts again. */
export interface OwnPostgres {
  /** Its connection string, in libpq's words. It names no database. */
  connection: string;
  /** Returns the process of the server, whose children are its sessions. */
  pid: () => number;
  /** Ends it at once, as a crash does. Nothing that was committed is lost. */
  stop: () => Promise<void>;
  start: () => Promise<void>;
  /** Runs statements, and returns the rows of the only one. */
  query: <Row extends object>(database: string, sql: string) => Promise<Row[]>;
  remove: () => Promise<void>;
}

/** Starts an empty Postgres on a free port. */
export async function startPostgres(): Promise<OwnPostgres> {
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
  const pidFile = join(data, 'postmaster.pid');
  const pid = (): number => Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
  const stopWithUs = (): void => {
    if (existsSync(pidFile)) process.kill(pid(), 'SIGQUIT');
  };
  process.once('exit', stopWithUs);
  await start();
  const connection = `host=127.0.0.1 port=${port} user=postgres`;
  return {
    connection,
    pid,
    start,
    stop,
    query: async <Row extends object>(database: string, sql: string) => {
      const client = new Client(catalogUrl(`${connection} dbname=${database}`));
      await client.connect();
      return (await client.query<Row>(sql).finally(() => client.end())).rows;
    },
    remove: async () => {
      process.removeListener('exit', stopWithUs);
      await stop().catch((error: unknown) => error);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns how to run the server's programs, which refuse to run as root. */
async function owner(folder: string) {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    await chmod(folder, 0o755);
    await run('chown', ['postgres', folder]);
  }
  return (program: string, ...words: string[]) =>
    isRoot
      ? run('runuser', ['-u', 'postgres', '--', program, ...words], { cwd: folder })
      : run(program, words, { cwd: folder });
}
