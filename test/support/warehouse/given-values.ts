import { createReadStream } from 'node:fs';
import type { Day } from '../../../domain/shared/calendar.ts';
import type { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { csvStream, RecordValidator } from '../../../warehouse/metrics/csv/csv-values.ts';
import type { Metric } from '../../../warehouse/metrics/metrics.ts';
import type { Change, NewValue } from '../../../warehouse/metrics/value-changes.ts';
import { writeValues } from '../../../warehouse/metrics/write-values.ts';

/** Returns values of a metric without labels. */
export const revenueValues = (values: Iterable<readonly [Day, number | string]>): NewValue[] =>
  [...values].map(([period, value]) => ({ period, label: '', value }));

/** Writes a CSV file of counts, as an upload does. */
export async function uploadCsv(
  warehouse: Warehouse,
  orgId: string,
  metric: Metric,
  file: string,
  change: Change,
  signal = new AbortController().signal,
) {
  const validator = new RecordValidator(metric, change.now);
  const stream = csvStream(validator, createReadStream(file));
  const written = await writeValues(warehouse, { orgId, metricId: metric.id }, stream, change, { signal });
  return { ...written, rounded: validator.rounded };
}
