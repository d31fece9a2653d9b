import { CatalogLocks } from './catalog-locks.ts';
import type { CommitQueue, Leave } from './commit-queue.ts';
import type { Locks } from './locks.ts';

const PATIENCE_S = 10;

/**
 * The queue of the transactions of all nodes of a DuckLake. Two that commit at once are correct without it, but slow: the later one
 * repeats its commit, and each time reads all snapshots of the catalog. So nothing depends on the queue, and a transaction that
 * cannot enter goes on. Postgres removes a node that hangs, so that the others wait for it only once.
 */
export class CatalogCommitQueue implements CommitQueue {
  readonly #locks: Locks;
  readonly #patienceS: number;

  /**
   * @param catalog the connection string of the catalog.
   * @param patienceS how long a transaction is first at most, and how long the next one waits, in seconds.
   */
  constructor(catalog: string, patienceS = PATIENCE_S) {
    this.#locks = new CatalogLocks(catalog, 1, patienceS);
    this.#patienceS = patienceS;
  }

  enter(): Promise<Leave> {
    return new Promise((begin) => {
      const held = () =>
        new Promise<void>((end) => {
          begin(end);
        });
      this.#locks.hold(['commit'], held, this.#patienceS).catch(() => {
        begin(() => undefined);
      });
    });
  }

  close(): void {
    this.#locks.close();
  }
}
