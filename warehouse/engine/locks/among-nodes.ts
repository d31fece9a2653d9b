import { CatalogRevisionLog } from '../cache/catalog-revisions.ts';
import { postgresReader } from '../cache/postgres-reader.ts';
import type { RevisionLog } from '../cache/revisions.ts';
import { CatalogCommitQueue } from './catalog-commit-queue.ts';
import { CatalogLocks } from './catalog-locks.ts';
import type { CommitQueue } from './commit-queue.ts';
import type { Locks } from './locks.ts';

/** By what the processes that write in one warehouse agree. */
export interface Agreement {
  revisions: RevisionLog;
  locks: Locks;
  commitQueue: CommitQueue;
}

/**
 * Returns how the nodes of a DuckLake agree, through the Postgres of its catalog.
 *
 * @param catalog the connection string of the catalog, as WAREHOUSE names it after `ducklake:postgres:`.
 */
export const amongNodes = (catalog: string): Agreement => ({
  revisions: new CatalogRevisionLog(postgresReader(catalog)),
  locks: new CatalogLocks(catalog),
  commitQueue: new CatalogCommitQueue(catalog),
});
