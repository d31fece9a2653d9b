import type { Logger } from 'pino';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import type { Closer } from './temporal/workers.ts';

const EVERY_MS = 30_000;

/** Returns freed memory of the warehouse to the system twice a minute, while it is used. Returns how this ends. */
export function returnMemoryOften(warehouse: Warehouse, log: Logger): Closer {
  let running: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    running = warehouse.returnMemory().catch((error: unknown) => {
      // A large statement may hold more than the limit for a moment, or the warehouse is being opened again.
      log.debug({ err: error }, 'freed memory could not be returned');
    });
  }, EVERY_MS);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
