/** Every workflow that a worker runs; what the bundle is made of. */
export { ingestCosts } from './ingest-costs.ts';
export { ingestCostsOnSchedule } from './ingest-costs-on-schedule.ts';
export { maintainWarehouse } from './maintain-warehouse.ts';
export { settleMonths } from './settle-months.ts';
