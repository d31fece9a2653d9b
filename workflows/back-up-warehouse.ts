import type { Workflows } from './contract.ts';
import { backUp } from './steps.ts';

/** Makes a dated copy of the warehouse in BACKUP_TO, and removes the oldest ones. Runs nightly. */
export const backUpWarehouse: Workflows['backUpWarehouse'] = () => backUp();
