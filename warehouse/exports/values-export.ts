import { firstDay, lastDay, type Day } from '../../domain/shared/calendar.ts';
import { toWireText } from '../../domain/shared/decimals.ts';
import { listValues, type StoredValue } from '../metrics/value-history.ts';
import type { Metric } from '../metrics/metrics.ts';
import type { Warehouse } from '../engine/warehouse.ts';
import type { Columns, TextRow } from '../engine/sql/columns.ts';
import type { ExportedRevenue, ExportRequest } from './export-request.ts';
import type { ExportRows } from './export-rows.ts';

/** `period` is the day, or the first day of the month, as `frequency` says. */
const COLUMNS = {
  metric_id: 'VARCHAR',
  metric_name: 'VARCHAR',
  frequency: 'VARCHAR',
  period: 'DATE',
  label: 'VARCHAR',
  value: 'DECIMAL(38,10)',
  source: 'VARCHAR',
  changed_at: 'TIMESTAMPTZ',
} as const satisfies Columns;

/** Values that are read and opened at once. */
const PAGE = 1_000;

/** Returns the current values of some months. Revenue comes last, opened in memory, because no statement may hold it. */
export function valuesExport({ warehouse, organisation, start, end, revenue }: ExportRequest): ExportRows {
  const range = { start: firstDay(start), end: lastDay(end) };
  const parameters = { org: organisation.id, ...range };
  if (revenue === undefined) return { columns: COLUMNS, select: VALUES, runs: [parameters] };
  return {
    columns: COLUMNS,
    readRows: async function* (_, signal) {
      yield* warehouse.stream<Record<string, string | null>>(VALUES, [parameters], signal);
      for (const metric of revenue.metrics)
        yield* revenueRows(warehouse, organisation.id, metric, range, revenue.vault);
    },
  };
}

const VALUES = `
SELECT metric_values.metric_id, metrics.name AS metric_name, metrics.frequency, period, NULLIF(label, '') AS label, value,
  source, metric_values.changed_at
FROM metric_values JOIN metrics USING (org_id, metric_id)
WHERE org_id = $org AND metrics.kind = 'count' AND period BETWEEN $start::DATE AND $end::DATE
ORDER BY metric_id, period, label`;

const revenueRows = async function* (
  warehouse: Warehouse,
  orgId: string,
  { id, name, frequency }: Metric,
  range: { start: Day; end: Day },
  vault: ExportedRevenue['vault'],
): AsyncGenerator<TextRow[]> {
  let cursor: { period: Day; label: string } | null = null;
  do {
    const page: StoredValue[] = await listValues(
      warehouse,
      orgId,
      id,
      { ...range, limit: PAGE, cursor },
      vault,
    );
    yield page.map(({ period, value, source, changed_at }) => ({
      metric_id: id,
      metric_name: name,
      frequency,
      period,
      label: null,
      value: value === null ? null : toWireText(value),
      source,
      changed_at,
    }));
    cursor = page.length < PAGE ? null : (page.at(-1) ?? null);
  } while (cursor !== null);
};
