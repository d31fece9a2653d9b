import type { Workflows } from './contract.ts';
import { maintain } from './steps.ts';

/** Drops superseded and orphaned loads, and compacts the warehouse. Runs nightly (design §3). */
export const maintainWarehouse: Workflows['maintainWarehouse'] = () => maintain();
