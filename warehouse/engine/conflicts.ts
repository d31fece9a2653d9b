import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Matches the messages about a transaction that met one of another writer, so that nothing of it is stored. In a DuckLake, rows of
 * any organisation in the same table can be in the way: a deletion of some, and the nightly maintenance of all.
 */
const CONFLICT =
  /Transaction conflict|Conflict on tuple|write-write conflict|could not serialize access|deadlock detected|Exceeded the maximum retry count/i;

/** Most times that a transaction runs, and the longest wait between two of them. Together they take a few seconds. */
const MOST_RUNS = 20;
const LONGEST_WAIT_MS = 500;

/** Whether a transaction has failed only because of another writer. */
export const isConflict = (error: unknown): boolean => error instanceof Error && CONFLICT.test(error.message);

/** Runs `work`, which stores everything or nothing, again after each conflict with another writer. */
export const outlastConflicts = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  for (let run = 1; ; run += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isConflict(error) || run >= MOST_RUNS) throw error;
      // A random wait keeps two writers from meeting again.
      await sleep(Math.random() * Math.min(10 * 2 ** run, LONGEST_WAIT_MS));
    }
  }
};
