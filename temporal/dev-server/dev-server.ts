import type { BaseLogger } from 'pino';
import { adoptRunningServer, type RunningServer } from './adopt-running-server.ts';
import { watchForDamage } from './damage-watch.ts';
import { databaseIsUnreadable } from './database-is-unreadable.ts';
import {
  devServerFiles,
  isMarkedDamaged,
  markDatabaseDamaged,
  markDatabaseFinished,
  markNewDatabase,
  removeUnfinishedDatabase,
  rotateLog,
  setDatabaseAside,
  type DevServerFiles,
} from './dev-server-files.ts';
import { removeDevServerRecord, writeDevServerRecord } from './dev-server-record.ts';
import type { SearchAttributes } from '../ensure-search-attributes.ts';
import { freePort } from './free-port.ts';
import { logTail } from './log-tail.ts';
import { readyUnlessExited } from './ready-unless-exited.ts';
import { stopProcess } from './server-process.ts';
import { spawnDevServer } from './spawn-dev-server.ts';

export interface DevServerOptions {
  /** Path of the Temporal CLI, see `findTemporalCli`. */
  cli: string;
  /** Holds temporal.db (the state), temporal.log and temporal.json. Created if it does not exist. */
  dataDir: string;
  /** Created if the database does not have it. */
  namespace: string;
  /** Created in the namespace if it does not have them. */
  searchAttributes: SearchAttributes;
  log: Pick<BaseLogger, 'info' | 'warn'>;
}

export interface DevServer {
  /** host:port of the gRPC frontend. */
  address: string;
  /** Ends the server: SIGTERM, SIGKILL after ten seconds. Resolves when it is gone; may be called again. */
  stop(): Promise<void>;
  /** Resolves when the server has ended, also unasked: with its exit code, or null if that is unknown. */
  exited: Promise<number | null>;
  /**
   * Resolves with SQLite's words when the server has reported that its database is damaged. It can no longer be worked with.
   * The next start sets the database aside.
   */
  damaged: Promise<string>;
}

const START_TIMEOUT_MS = 60_000;
const START_ATTEMPTS = 3;

/**
 * Starts the Temporal dev server on the database in the data directory, or takes over the one that
 * still runs there because its starter was killed. Returns when it can be worked with. A database that
 * cannot be read or is damaged is set aside, once, and made anew: the caller restores schedules and open work.
 *
 * The caller must hold the data directory for itself (the lock of the DuckDB file does that): a second
 * caller would take over the server of the first.
 *
 * @throws Error with the end of the server's log if it exits early or is not ready within a minute
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
      // The server and its internal services listen on ports that were free a moment before.
      const portTaken = /address already in use|can't set frontend port/.test(String(error));
      if (!portTaken || attempt >= START_ATTEMPTS) throw error;
      options.log.warn({ attempt }, 'Temporal: a port was taken meanwhile, starting again');
    }
  }
}

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
  writeDevServerRecord(files.record, { pid: server.pid, port, logStart: server.logStart });
  const address = `127.0.0.1:${port}`;
  const damage = watchForDamage(files.log, server.logStart, options.log);
  try {
    await readyUnlessExited(server, address, options, damage, START_TIMEOUT_MS);
  } catch (error) {
    await damage.stop();
    await stopProcess(server);
    removeDevServerRecord(files.record, server.pid);
    const reason = error instanceof Error ? error.message : String(error);
    const tail = await logTail(files.log, server.logStart);
    throw new Error(`The Temporal dev server did not start: ${reason}\nEnd of ${files.log}:\n${tail}`, {
      cause: error,
    });
  }
  await markDatabaseFinished(files);
  options.log.info({ pid: server.pid, address, database: files.database }, 'Temporal: dev server started');
  return handleOf({ server, address, damage }, options, files);
}

function handleOf(
  { server, address, damage }: RunningServer,
  { log }: DevServerOptions,
  files: DevServerFiles,
): DevServer {
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    await damage.stop();
    await stopProcess(server);
    removeDevServerRecord(files.record, server.pid);
  };
  const damaged = damage.found.then(async (words) => {
    await markDatabaseDamaged(files).catch((error: unknown) => {
      log.warn({ err: error }, 'Temporal: its damaged database could not be marked');
    });
    return words;
  });
  return { address, exited: server.exited, damaged, stop: () => (stopped ??= stop()) };
}
