import type { BaseLogger } from 'pino';
import { watchForDamage, type DamageWatch } from './damage-watch.ts';
import { databaseIsUnreadable } from './database-is-unreadable.ts';
import {
  isMarkedDamaged,
  logSize,
  markDatabaseDamaged,
  markDatabaseFinished,
  type DevServerFiles,
} from './dev-server-files.ts';
import { readDevServerRecord } from './dev-server-record.ts';
import { isRunningWith } from './is-running-with.ts';
import { readyUnlessExited, type ServedContent } from './ready-unless-exited.ts';
import { killProcess, watchForeignProcess, type ServerProcess } from './server-process.ts';

export interface RunningServer {
  server: ServerProcess;
  /** host:port of the gRPC frontend. */
  address: string;
  damage: DamageWatch;
}

/** The server runs already: it answers at once, or it hangs (or lacks the namespace, which a start adds). */
const ADOPT_TIMEOUT_MS = 5_000;

/**
 * Takes over the dev server that still runs on the database because its starter was killed. One that
 * does not answer, or whose database is damaged, is killed, since it holds the lock of the database.
 *
 * @returns the server, ready for work; or undefined if none runs now
 */
export async function adoptRunningServer(
  files: DevServerFiles,
  options: ServedContent & { log: Pick<BaseLogger, 'info' | 'warn'> },
): Promise<RunningServer | undefined> {
  const record = readDevServerRecord(files.record);
  if (record === undefined || !(await isRunningWith(record.pid, files.database))) return undefined;
  const { pid } = record;
  const server = watchForeignProcess(pid, files.database);
  const address = `127.0.0.1:${record.port}`;
  const damage = watchForDamage(files.log, record.logStart ?? (await logSize(files)), options.log);
  try {
    if (await isMarkedDamaged(files)) throw new Error('its database is damaged');
    await readyUnlessExited(server, address, options, damage, ADOPT_TIMEOUT_MS);
  } catch (error) {
    options.log.warn({ pid, err: error }, 'Temporal: the server left running cannot be used, killing it');
    await damage.stop();
    if (databaseIsUnreadable(String(error))) await markDatabaseDamaged(files);
    await killProcess(server);
    return undefined;
  }
  await markDatabaseFinished(files);
  options.log.info({ pid, address }, 'Temporal: took over the server left running');
  return { server, address, damage };
}
