import type { ValueDays } from '../../domain/metrics/value-gap.ts';
import { monthOf, type Day, type Month } from '../../domain/shared/calendar.ts';
import { cte, ctes } from '../engine/sql/cte.ts';
import type { Queries } from '../engine/session.ts';

/** When the values of a metric lie in a month, and which an import has recorded. */
export interface ValuePeriods extends ValueDays {
  /** The last day whose value an import has recorded, and nobody since; null without one. */
  lastImported: Day | null;
}

/** The columns of {@link LAST_PERIODS}. */
export interface LastPeriods {
  value_periods: string;
  newest_period: Day | null;
  newest_imported: Day | null;
  longest_gap: string | null;
}

/**
 * The current values of `$metrics` by period, labels added up. One pass over the log finds the newest change of each period and
 * label. The view would sort all changes.
 */
export const SPACED_PERIODS = cte({
  name: 'spaced_periods',
  sql: `WITH log AS (
  SELECT metric_id, period, label, arg_max_null(value, change_id) AS value,
    arg_max(value IS NOT NULL OR sealed_value IS NOT NULL, change_id) AS is_set,
    arg_max(changed_by_type = 'import', change_id) AS is_imported, count(*) AS changes
  FROM metric_value_changes WHERE org_id = $org AND list_contains($metrics, metric_id) GROUP BY ALL),
periods AS (
  SELECT metric_id, period, sum(value) FILTER (is_set) AS value_sum, bool_or(is_set) AS is_set,
    bool_or(is_set AND is_imported) AS is_imported, sum(changes) AS changes, bool_or(label <> '') AS has_labels
  FROM log GROUP BY metric_id, period)
SELECT *, CASE WHEN is_set THEN period - max(period) FILTER (is_set) OVER (
  PARTITION BY metric_id ORDER BY period ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) - 1 END AS gap
FROM periods`,
});

/** Aggregates of `spaced_periods` by metric and month. */
export const LAST_PERIODS = `count(*) FILTER (is_set) AS value_periods, max(period) FILTER (is_set) AS newest_period,
  max(period) FILTER (is_imported) AS newest_imported, max(gap) AS longest_gap`;

/** Returns what a row of {@link LAST_PERIODS} says. */
export const valuePeriodsOf = (row: LastPeriods): ValuePeriods => ({
  count: Number(row.value_periods),
  last: row.newest_period,
  lastImported: row.newest_imported,
  longestGap: row.longest_gap === null ? null : Number(row.longest_gap),
});

/** Returns when the values of some metrics lie in each month, by metric id. */
export async function valuePeriods(
  session: Queries,
  orgId: string,
  metricIds: readonly string[],
): Promise<Map<string, Map<Month, ValuePeriods>>> {
  const byMetric = new Map<string, Map<Month, ValuePeriods>>(metricIds.map((id) => [id, new Map()]));
  if (metricIds.length === 0) return byMetric;
  const rows = await session.query<LastPeriods & { metric_id: string; month: Day }>(VALUE_PERIODS, {
    org: orgId,
    metrics: metricIds,
  });
  for (const row of rows) byMetric.get(row.metric_id)?.set(monthOf(row.month), valuePeriodsOf(row));
  return byMetric;
}

const VALUE_PERIODS = `WITH ${ctes(SPACED_PERIODS)}
SELECT metric_id, CAST(date_trunc('month', period) AS DATE) AS month, ${LAST_PERIODS} FROM spaced_periods GROUP BY ALL`;
