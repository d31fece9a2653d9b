/** Every workflow that a worker runs. The bundle is built from this file. */
export { deliverWebhook } from './deliver-webhook.ts';
export { exportData } from './export-data.ts';
export { importMetricValues } from './import-values.ts';
export { ingestCosts } from './ingest-costs.ts';
export { flushWarehouse, maintainWarehouse } from './maintain-warehouse.ts';
export { raiseEvents } from './raise-events.ts';
export { importMetricValuesOnSchedule, ingestCostsOnSchedule } from './run-on-schedule.ts';
export { settleMonths } from './settle-months.ts';
