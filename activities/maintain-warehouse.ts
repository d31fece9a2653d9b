import type { Logger } from 'pino';
import type { Clock } from '../domain/shared/clock.ts';
import {
  compact,
  removeDeadSpend,
  removeOldDeliveries,
  removeOldSignOuts,
} from '../warehouse/engine/maintenance/maintenance.ts';
import { eraseDeletedCredentials } from '../warehouse/engine/maintenance/erasure.ts';
import type { Warehouse } from '../warehouse/engine/warehouse.ts';

/** The nightly maintenance. Each step is idempotent, even if an earlier run stopped halfway. */
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
   * Removes spend rows, deliveries and sign-outs that nobody needs, frees their space, and erases deleted credentials. Returns
   * the number of removed rows.
   */
  async maintain(): Promise<number> {
    const now = clock.now();
    const removed =
      (await removeDeadSpend(warehouse, now)) +
      (await removeOldDeliveries(warehouse, now)) +
      (await removeOldSignOuts(warehouse, now));
    await compact(warehouse);
    await eraseDeletedCredentials(warehouse);
    log.info({ removed }, 'the maintenance of the warehouse is complete');
    return removed;
  },
});

/** The names and shapes of the maintenance activities, for workflows. */
export type MaintenanceActivities = ReturnType<typeof createMaintenanceActivities>;
