import type { BaseLogger } from 'pino';
import { databaseIsUnreadable, watchForDamage } from './damage-watch.ts';
import {
  isMarkedDamaged,
  markDatabaseDamaged,
  markDatabaseFinished,
  type DevServerFiles,
} from './dev-server-files.ts';
import { runningDevServer } from './running-dev-server.ts';
import { killProcess, stopProcess, watchForeignProcess } from './server-process.ts';
import { waitUntilReady, type RunningServer, type ServedContent } from './wait-until-ready.ts';

/** The server runs already: it answers at once, or it hangs or lacks the namespace, which a start adds. */
const ADOPT_TIMEOUT_MS = 5_000;

/**
 * Takes over the dev server that still runs on the database because its starter was killed. Kills it if it does not
 * answer or its database is damaged, because it holds the lock of the database. Stops it if its web page is not at `uiPort`.
 *
 * @returns the server, ready for work; undefined if no server runs now
 */
export async function adoptRunningServer(
  files: DevServerFiles,
  options: ServedContent & { uiPort: number | null; log: Pick<BaseLogger, 'info' | 'warn'> },
): Promise<RunningServer | undefined> {
  const record = await runningDevServer(files);
  if (record === undefined) return undefined;
  const { pid } = record;
  if (record.uiPort !== options.uiPort) {
    options.log.info(
      { server: pid },
      'Temporal: the server that was left running starts again, for another web page',
    );
    await stopProcess(watchForeignProcess(pid, files.database));
    return undefined;
  }
  const address = `127.0.0.1:${record.port}`;
  const running = {
    server: watchForeignProcess(pid, files.database),
    address,
    damage: watchForDamage(files.log, record.logStart, options.log),
  };
  try {
    if (await isMarkedDamaged(files)) throw new Error('its database is damaged');
    await waitUntilReady(running, options, ADOPT_TIMEOUT_MS);
  } catch (error) {
    options.log.warn(
      { server: pid, err: error },
      'Temporal: the server that was left running cannot be used and is killed',
    );
    await running.damage.stop();
    if (databaseIsUnreadable(String(error))) await markDatabaseDamaged(files);
    await killProcess(running.server);
    return undefined;
  }
  await markDatabaseFinished(files);
  options.log.info({ server: pid, address }, 'Temporal: took over the server that was left running');
  return running;
}
