/**
 * Every workflow that a worker runs. The bundle is built from this file. The default stands for every other type, so that
 * check-start.ts refuses it at once. Without it, Temporal would retry the start for ever.
 */
export { backUpWarehouse } from './back-up-warehouse.ts';
export { deliverWebhook } from './deliver-webhook.ts';
export { exportData } from './export-data.ts';
export { importMetricValues } from './import-values.ts';
export { ingestCosts } from './ingest-costs.ts';
export { flushWarehouse, maintainWarehouse } from './maintain-warehouse.ts';
export { raiseEvents } from './raise-events.ts';
export { importMetricValuesOnSchedule, ingestCostsOnSchedule } from './run-on-schedule.ts';
export { settleMonths } from './settle-months.ts';

export default (): Promise<void> => Promise.resolve();
