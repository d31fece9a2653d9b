import { dayOf, monthOf, monthsInclusive } from '../../domain/shared/calendar.ts';
import { numbersToText, type NumberTexts } from '../../domain/months/month-numbers.ts';
import { recordsWith, type RecordWith } from '../../domain/months/month-record.ts';
import { METRICS, type Metric } from '../metrics/metrics.ts';
import { computeMetricMonths } from '../months/metric-months.ts';
import { monthFacts } from '../months/month-facts.ts';
import type { Columns, TextRow } from '../engine/sql/columns.ts';
import type { ExportRequest } from './export-request.ts';
import type { ExportRows } from './export-rows.ts';

const COLUMNS = {
  month: 'VARCHAR',
  metric_id: 'VARCHAR',
  metric_name: 'VARCHAR',
  unit: 'VARCHAR',
  currency: 'VARCHAR',
  cost: 'DECIMAL(38,6)',
  value: 'DECIMAL(38,10)',
  unit_cost: 'DECIMAL(38,6)',
  status: 'VARCHAR',
  change_percent: 'DECIMAL(38,6)',
  change_basis: 'VARCHAR',
  locked_version: 'INTEGER',
  locked_cost: 'DECIMAL(38,6)',
  locked_value: 'DECIMAL(38,10)',
  locked_unit_cost: 'DECIMAL(38,6)',
  locked_at: 'TIMESTAMPTZ',
  current_cost: 'DECIMAL(38,6)',
  current_value: 'DECIMAL(38,10)',
  current_unit_cost: 'DECIMAL(38,6)',
} as const satisfies Columns;

const REVENUE_COLUMNS = {
  ...COLUMNS,
  kind: 'VARCHAR',
  cost_share_percent: 'DECIMAL(38,6)',
  margin: 'DECIMAL(38,6)',
  margin_percent: 'DECIMAL(38,6)',
} as const satisfies Columns;

/** Metrics whose months are read and held in memory at once. */
const METRICS_AT_ONCE = 500;

/**
 * Returns a row for each metric and month, as `…/metrics/{id}/months` shows them, with exact numbers. Months after the running
 * one have no rows. Revenue has rows only if the request has its vault, and never reaches a statement.
 */
export async function monthsExport(request: ExportRequest): Promise<ExportRows> {
  const { warehouse, organisation, start, now, revenue, noteUpdates } = request;
  const end = request.end < monthOf(dayOf(now)) ? request.end : monthOf(dayOf(now));
  const counts = (await METRICS.list(warehouse, organisation.id)).filter(({ kind }) => kind === 'count');
  const metrics = [...counts, ...(revenue?.metrics ?? [])];
  const computed = await computeMetricMonths(warehouse, organisation.id, metrics, now);
  noteUpdates(computed);
  return {
    columns: revenue === undefined ? COLUMNS : REVENUE_COLUMNS,
    readRows: async function* (queries) {
      if (start > end) return;
      const read = {
        newest: end,
        count: monthsInclusive(start, end),
        today: dayOf(now),
        vault: revenue?.vault,
      };
      for (let from = 0; from < metrics.length; from += METRICS_AT_ONCE) {
        const some = metrics.slice(from, from + METRICS_AT_ONCE);
        const ids = some.map(({ id }) => id);
        const facts = await monthFacts(computed.on(queries), organisation.id, ids, read);
        const settlement = { settleDays: organisation.settle_days };
        yield some.flatMap((metric) =>
          recordsWith(numbersToText(metric.kind), facts.get(metric.id) ?? [], metric, settlement, now)
            .reverse()
            .map((record) => rowOf(metric, organisation.currency, record)),
        );
      }
    },
  };
}

const rowOf = (
  { id, name, unit, kind }: Metric,
  currency: string,
  { locked, current, ...record }: RecordWith<NumberTexts>,
): TextRow => ({
  month: record.month,
  metric_id: id,
  metric_name: name,
  unit,
  kind,
  currency,
  cost: record.cost,
  value: record.value,
  unit_cost: record.unit_cost,
  status: record.status,
  change_percent: record.change_percent?.toString() ?? null,
  change_basis: record.change_basis,
  locked_version: locked?.version.toString() ?? null,
  locked_cost: locked?.cost ?? null,
  locked_value: locked?.value ?? null,
  locked_unit_cost: locked?.unit_cost ?? null,
  locked_at: locked?.locked_at ?? null,
  current_cost: current?.cost ?? null,
  current_value: current?.value ?? null,
  current_unit_cost: current?.unit_cost ?? null,
  cost_share_percent: record.cost_share_percent,
  margin: record.margin,
  margin_percent: record.margin_percent,
});
