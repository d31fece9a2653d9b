/** Every workflow that a worker runs. The bundle is built from this file. */
export { deliverWebhook } from './deliver-webhook.ts';
export { importMetricValues } from './import-values.ts';
export { importMetricValuesOnSchedule } from './import-values-on-schedule.ts';
export { ingestCosts } from './ingest-costs.ts';
export { ingestCostsOnSchedule } from './ingest-costs-on-schedule.ts';
export { maintainWarehouse } from './maintain-warehouse.ts';
export { raiseEvents } from './raise-events.ts';
export { settleMonths } from './settle-months.ts';
