import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import type { SearchAttributes } from '../ensure-search-attributes.ts';
import type { DevServerFiles } from './dev-server-files.ts';
import type { ServerProcess } from './server-process.ts';

export interface SpawnOptions {
  /** Path of the Temporal CLI. */
  cli: string;
  files: DevServerFiles;
  namespace: string;
  searchAttributes: SearchAttributes;
  port: number;
  /** The port of the web page; null for none. */
  uiPort: number | null;
}

export interface SpawnedServer extends ServerProcess {
  port: number;
  uiPort: number | null;
  /** Byte of the log file at which this server's output starts. */
  logStart: number;
}

/** Returns a TCP port of 127.0.0.1 that is free now. Another process may take it before it is used. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Starts the dev server in a process group of its own. Ctrl-C in a terminal goes to the whole foreground group, and the
 * server must outlive the draining of the worker. It writes to a file because a pipe would break if this program is
 * killed and the server lives on.
 *
 * @throws if the CLI cannot be executed
 */
export async function spawnDevServer(options: SpawnOptions): Promise<SpawnedServer> {
  const { cli, files, port, uiPort } = options;
  const log = openSync(files.log, 'a');
  try {
    const logStart = fstatSync(log).size;
    const child = spawn(cli, serverArguments(options), {
      detached: true,
      stdio: ['ignore', log, log],
      env: withoutTemporalSettings(process.env),
    });
    const exited = new Promise<number | null>((resolve) => {
      child.once('exit', resolve);
    });
    const { pid } = child;
    if (pid === undefined) {
      return await new Promise((_, reject) => {
        child.once('error', (error) => {
          reject(new Error(`Cannot execute the Temporal CLI ${cli}: ${error.message}`, { cause: error }));
        });
      });
    }
    child.unref();
    return { pid, port, uiPort, exited, logStart };
  } finally {
    closeSync(log);
  }
}

const serverArguments = ({ files, namespace, searchAttributes, port, uiPort }: SpawnOptions): string[] => [
  ...['server', 'start-dev', '--log-level', 'warn'],
  // The page has no sign-in, so that only this machine may reach it.
  ...(uiPort === null ? ['--headless'] : ['--ui-ip', '127.0.0.1', '--ui-port', String(uiPort)]),
  ...['--ip', '127.0.0.1', '--port', String(port)],
  ...['--namespace', namespace, '--db-filename', files.database],
  // One fsync for a commit instead of several, and as durable: a loss of power loses no commit.
  ...['--sqlite-pragma', 'journal_mode=wal', '--sqlite-pragma', 'synchronous=full'],
  // The server uses one connection. A second server on the same file must fail, not take turns.
  ...['--sqlite-pragma', 'locking_mode=exclusive'],
  ...Object.entries(searchAttributes).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
];

/** Returns an environment without TEMPORAL_* variables, which configure the CLI as a client of some server. */
export const withoutTemporalSettings = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('TEMPORAL_')));
