import type { Day } from '../../domain/shared/calendar.ts';
import { ALLOCATION_UNITS, allocated, idle, podsOf, type Allocation } from './allocation-row.ts';

const CONTAINERS = [
  ...podsOf('kiosk', 'Deployment/screen', 0.34),
  ...podsOf('kiosk', 'Deployment/till-sync', 0.17),
  ...podsOf('stockroom', 'DaemonSet/scanner', 0.2),
];

const DOLLARS_PER_DAY = 21;

/** The containers of cluster `edge` on a day; its machines stand in shops, at a fixed price, and on no bill. */
export const edgeAllocations = (day: Day): Allocation[] => {
  const machines = DOLLARS_PER_DAY * ALLOCATION_UNITS;
  const used = allocated('edge', CONTAINERS, machines, day);
  return [...used, idle(used, { machines, volumes: 0 })];
};
