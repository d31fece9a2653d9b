import type { Workflows } from './contract.ts';
import { flush, maintain } from './steps.ts';

/** Drops superseded and orphaned loads, and compacts the warehouse. Runs nightly (docs/workflows.md#all-workflows). */
export const maintainWarehouse: Workflows['maintainWarehouse'] = () => maintain();

/** Writes the rows of small writes from the catalog of a DuckLake to files. Runs every ten minutes. */
export const flushWarehouse: Workflows['flushWarehouse'] = () => flush();
