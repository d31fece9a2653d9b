import type { Logger } from 'pino';
import type { Clock } from '../domain/shared/clock.ts';
import {
  compact,
  flushInlinedRows,
  removeDeadSpend,
  removeOldDeliveries,
  removeOldSignOuts,
} from '../warehouse/engine/maintenance/maintenance.ts';
import { eraseDeleted } from '../warehouse/engine/maintenance/erasure.ts';
import { removeDeadUploads } from '../warehouse/sources/uploads/dead-uploads.ts';
import { removeLateRows } from '../warehouse/organisations/deleted-organisations.ts';
import { foldPoints } from '../warehouse/sources/usage/fold-points.ts';
import type { Warehouse } from '../warehouse/engine/warehouse.ts';

/** The nightly maintenance, and what a DuckLake needs more often. Each step is idempotent, even if an earlier run stopped halfway. */
export const createMaintenanceActivities = ({
  warehouse,
  clock,
  log,
}: {
  warehouse: Warehouse;
  clock: Clock;
  log: Logger;
}) => ({
  /**
   * Removes spend rows, uploads, points of usage, deliveries and sign-outs that nobody needs, and what steps have written for an
   * organisation after its
   * deletion. Then frees their space, and erases deleted credentials and organisations. Returns the number of removed rows.
   */
  async maintain(): Promise<number> {
    const now = clock.now();
    const removed =
      (await removeLateRows(warehouse, now)) +
      (await removeDeadSpend(warehouse, now)) +
      (await removeDeadUploads(warehouse, now)) +
      (await foldPoints(warehouse, now)) +
      (await removeOldDeliveries(warehouse, now)) +
      (await removeOldSignOuts(warehouse, now));
    await compact(warehouse);
    await eraseDeleted(warehouse);
    log.info({ removed }, 'the maintenance of the warehouse is complete');
    return removed;
  },

  /** Writes the rows of many small writes to files, if a DuckLake's catalog holds them. Returns the number of such tables. */
  async flush(): Promise<number> {
    const flushed = await flushInlinedRows(warehouse);
    if (flushed > 0) log.info({ tables: flushed }, 'the rows of small writes were written to files');
    return flushed;
  },
});

/** The names and shapes of the maintenance activities, for workflows. */
export type MaintenanceActivities = ReturnType<typeof createMaintenanceActivities>;
