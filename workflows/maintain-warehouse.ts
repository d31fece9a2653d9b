import { maintain } from './steps.ts';

/** Drops superseded and orphaned loads and compacts the warehouse; runs nightly (design §3). */
export async function maintainWarehouse(): Promise<number> {
  return maintain();
}
