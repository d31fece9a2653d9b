import type { BaseLogger } from 'pino';
import { adoptRunningServer } from './adopt-running-server.ts';
import { databaseIsUnreadable, watchForDamage } from './damage-watch.ts';
import {
  devServerFiles,
  isMarkedDamaged,
  logTail,
  markDatabaseDamaged,
  markDatabaseFinished,
  markNewDatabase,
  removeUnfinishedDatabase,
  rotateLog,
  setDatabaseAside,
  type DevServerFiles,
} from './dev-server-files.ts';
import { removeDevServerRecord, writeDevServerRecord } from './dev-server-record.ts';
import { stopProcess } from './server-process.ts';
import { freePort, spawnDevServer } from './spawn-dev-server.ts';
import { waitUntilReady, type RunningServer, type ServedContent } from './wait-until-ready.ts';

/** The namespace and the search attributes are created if the database does not have them. */
export interface DevServerOptions extends ServedContent {
  /** Path of the Temporal CLI, see `findTemporalCli`. */
  cli: string;
  /** Holds temporal.db (the state), temporal.log and temporal.json. Created if it does not exist. */
  dataDir: string;
  /** The port of the server's web page on 127.0.0.1 (TEMPORAL_UI_PORT); null for none. */
  uiPort: number | null;
  log: Pick<BaseLogger, 'info' | 'warn'>;
}

export interface DevServer {
  /** host:port of the gRPC frontend. */
  address: string;
  /** Ends the server: SIGTERM, SIGKILL after ten seconds. Resolves when it is gone; may be called again. */
  stop(): Promise<void>;
  /** Resolves when the server has ended for any reason: with its exit code, or null if that is unknown. */
  exited: Promise<number | null>;
  /**
   * Resolves with SQLite's words when the server has reported that its database is damaged. The server is no longer of
   * use. The next start sets the database aside.
   */
  damaged: Promise<string>;
}

const START_TIMEOUT_MS = 60_000;
const START_ATTEMPTS = 3;

/**
 * Starts the Temporal dev server on the database in the data directory, or takes over the one that still runs there
 * because its starter was killed. Returns when the server is ready. If the database cannot be read or is damaged, sets
 * it aside, once, and makes a new one: the caller restores schedules and open work.
 *
 * The caller must hold the data directory for itself (the lock of the DuckDB file does that). A second caller would take
 * over the server of the first.
 *
 * @throws Error with the end of the server's log if it exits early, or is not ready within a minute
 * @throws Error if another process uses the port of the web page
 */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const files = await devServerFiles(options.dataDir);
  const adopted = await adoptRunningServer(files, options);
  if (adopted !== undefined) return handleOf(adopted, options, files);
  await removeUnfinishedDatabase(files);
  await rotateLog(files);
  let isSetAside = await isMarkedDamaged(files);
  if (isSetAside) await setAside(options, files, new Error('its server had reported damage'));
  await markNewDatabase(files);
  for (let attempt = 1; ; attempt++) {
    try {
      return await startNewServer(options, files);
    } catch (error) {
      if (!isSetAside && databaseIsUnreadable(String(error))) {
        isSetAside = true;
        await setAside(options, files, error);
        await markNewDatabase(files);
        continue;
      }
      if (!chanceEndedIt(error) || attempt >= START_ATTEMPTS) throw error;
      options.log.warn({ attempt, err: error }, 'Temporal: the dev server could not start; starting again');
    }
  }
}

/**
 * Tells whether the same start may succeed another time. The server and its internal services listen on ports that were
 * free a moment before. The CLI panics if it finds no port for itself.
 */
const chanceEndedIt = (error: unknown): boolean =>
  /address already in use|can't set frontend port|^panic: /m.test(String(error));

/** What the CLI reports if it cannot listen on the port of the web page. */
const PAGE_PORT_IN_USE = /can't set UI port \d+: .*address already in use/;

async function setAside(options: DevServerOptions, files: DevServerFiles, error: unknown): Promise<void> {
  const aside = await setDatabaseAside(files, new Date());
  options.log.warn(
    { aside, err: error },
    'Temporal: its database cannot be read and was set aside; starting with a new one',
  );
}

async function startNewServer(options: DevServerOptions, files: DevServerFiles): Promise<DevServer> {
  const port = await freePort();
  const server = await spawnDevServer({ ...options, files, port });
  writeDevServerRecord(files.record, server);
  const address = `127.0.0.1:${port}`;
  const running = { server, address, damage: watchForDamage(files.log, server.logStart, options.log) };
  try {
    await waitUntilReady(running, options, START_TIMEOUT_MS);
  } catch (error) {
    await stop(running, files);
    const reason = error instanceof Error ? error.message : String(error);
    const tail = await logTail(files, server.logStart);
    if (PAGE_PORT_IN_USE.test(tail))
      throw new Error(
        `port ${options.uiPort} of 127.0.0.1 is taken: stop what listens there, or choose another with TEMPORAL_UI_PORT`,
        { cause: error },
      );
    throw new Error(`The Temporal dev server did not start: ${reason}\nEnd of ${files.log}:\n${tail}`, {
      cause: error,
    });
  }
  await markDatabaseFinished(files);
  const { pid, uiPort } = server;
  options.log.info(
    { server: pid, address, uiPort, database: files.database },
    'Temporal: dev server started',
  );
  return handleOf(running, options, files);
}

async function stop({ server, damage }: RunningServer, files: DevServerFiles): Promise<void> {
  await damage.stop();
  await stopProcess(server);
  removeDevServerRecord(files.record, server.pid);
}

function handleOf(running: RunningServer, { log }: DevServerOptions, files: DevServerFiles): DevServer {
  const { server, address, damage } = running;
  let stopped: Promise<void> | undefined;
  const damaged = damage.found.then(async (words) => {
    await markDatabaseDamaged(files).catch((error: unknown) => {
      log.warn({ err: error }, 'Temporal: its damaged database could not be marked');
    });
    return words;
  });
  return { address, exited: server.exited, damaged, stop: () => (stopped ??= stop(running, files)) };
}
