import type { Logger } from 'pino';
import type { Clock } from '../domain/clock.ts';
import { compact, removeDeadSpend } from '../warehouse/maintenance.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';

/** The nightly upkeep; each step can run twice, or half and again. */
export const createMaintenanceActivities = ({
  warehouse,
  clock,
  log,
}: {
  warehouse: Warehouse;
  clock: Clock;
  log: Logger;
}) => ({
  /** Removes spend rows that nothing refers to, then gives their space back; answers how many rows went. */
  async maintain(): Promise<number> {
    const removed = await removeDeadSpend(warehouse, clock.now());
    await compact(warehouse);
    log.info({ removed }, 'maintained the warehouse');
    return removed;
  },
});

/** The names and shapes of the maintenance activities, for workflows. */
export type MaintenanceActivities = ReturnType<typeof createMaintenanceActivities>;
