import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Matches the messages about a transaction that met one of another writer, so that nothing of it is stored. In a DuckLake, rows of
 * any organisation in the same table can be in the way: a deletion of some, and the nightly maintenance of all.
 */
const CONFLICT =
  /Transaction conflict|Conflict on tuple|write-write conflict|could not serialize access|deadlock detected|Exceeded the maximum retry count/i;

/** Matches the messages about a catalog that is away, or that has ended a connection, and so the transaction on it. */
const CATALOG_AWAY =
  /Unable to connect to Postgres|server closed the connection|Connection terminated|terminating connection|no connection to the server|the database system is|Current transaction is aborted|Failed to execute query "(BEGIN|COMMIT|ROLLBACK)/;

/** Matches the messages about an object storage that is away, or that asks for patience. */
const STORAGE_AWAY = /^HTTP Error|\(HTTP (429|5\d\d)\b/;

const isAbout =
  (words: RegExp) =>
  (error: unknown): error is Error =>
    error instanceof Error && words.test(error.message);

const isConflict = isAbout(CONFLICT);
const isStorageAway = isAbout(STORAGE_AWAY);

/** Whether the catalog is away, or has ended the connection. */
export const isCatalogAway = isAbout(CATALOG_AWAY);

/** Whether a statement has failed because of another writer, or because the catalog or the storage of a DuckLake is away. */
export const isPassing = (error: unknown): boolean =>
  isConflict(error) || isCatalogAway(error) || isStorageAway(error);

/** Most times that work runs because of other writers. Together with their waits they take a few seconds. */
const MOST_RUNS = 20;
const LONGEST_WAIT_MS = 500;

/** Most times that it runs because of a lost connection. One that the catalog has ended is replaced at once. */
const MOST_CONNECTIONS = 3;

/** The error of a COMMIT whose end is unknown, because the connection ended meanwhile. It must not run again. */
class UnknownEnd extends Error {
  override readonly name = 'UnknownEnd';
}

/** Whether nobody can know if a transaction is stored. */
export const isUnknownEnd = (error: unknown): boolean => error instanceof UnknownEnd;

/** Runs a COMMIT. If nobody can know whether it is stored, its error keeps {@link rerun} from trying. */
export const once = (commit: Promise<unknown>): Promise<unknown> =>
  commit.catch((error: unknown) => {
    throw isCatalogAway(error) ? new UnknownEnd(error.message, { cause: error }) : error;
  });

/** Runs `work`, which stores everything or nothing, again after a failure that passes by itself. */
export async function rerun<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let run = 1; ; run += 1) {
    try {
      return await work();
    } catch (error) {
      const isLost = isCatalogAway(error) && !(error instanceof UnknownEnd);
      const most = isConflict(error) ? MOST_RUNS : isLost ? MOST_CONNECTIONS : 1;
      if (run >= most) throw error;
      // A random wait keeps two writers from meeting again.
      await sleep(Math.random() * Math.min(10 * 2 ** run, LONGEST_WAIT_MS));
    }
  }
}
