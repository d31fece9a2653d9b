import { monthOf, type Day, type Month } from '../../domain/shared/calendar.ts';
import type { DecimalText } from '../../domain/shared/decimals.ts';
import type { LabelSum } from '../../domain/teams/shared-cost.ts';
import type { Queries } from '../engine/session.ts';

/** Today's values of a month that shared costs are split by. */
export interface SplitValues {
  /** The sums by label for each metric that has values in the month. */
  sums: Map<string, LabelSum[]>;
  /** For each metric that ever had a value in the month, how often its values were added, replaced or removed. */
  changes: Map<string, number>;
}

/** Returns the values of some metrics in some months (their first days), by month. Uses one statement. */
export async function splitValues(
  session: Queries,
  orgId: string,
  metricIds: readonly string[],
  months: readonly Day[],
): Promise<Map<Month, SplitValues>> {
  const byMonth = new Map<Month, SplitValues>(
    months.map((month) => [monthOf(month), { sums: new Map(), changes: new Map() }]),
  );
  if (metricIds.length === 0 || months.length === 0) return byMonth;
  const rows = await session.query<{
    metric_id: string;
    month: Day;
    changes: string;
    label: string | null;
    sum: DecimalText | null;
  }>(SPLIT_VALUES, { org: orgId, metrics: metricIds, months });
  for (const { metric_id, month, changes, label, sum } of rows) {
    const values = byMonth.get(monthOf(month));
    values?.changes.set(metric_id, Number(changes));
    if (label === null || sum === null) continue;
    values?.sums.set(metric_id, [...(values.sums.get(metric_id) ?? []), { label, sum }]);
  }
  return byMonth;
}

const SPLIT_VALUES = `
WITH changes AS (
  SELECT metric_id, CAST(date_trunc('month', period) AS DATE) AS month, period, label, value, change_id
  FROM metric_value_changes
  WHERE org_id = $org AND list_contains($metrics, metric_id)
    AND list_contains($months::DATE[], CAST(date_trunc('month', period) AS DATE))),
counts AS (SELECT metric_id, month, count(*) AS changes FROM changes GROUP BY ALL),
current_values AS (
  SELECT metric_id, month, period, label, arg_max_null(value, change_id) AS value FROM changes GROUP BY ALL),
sums AS (
  SELECT metric_id, month, label, sum(value) AS sum FROM current_values WHERE value IS NOT NULL GROUP BY ALL)
SELECT metric_id, month, counts.changes, label, sum
FROM counts LEFT JOIN sums USING (metric_id, month) ORDER BY metric_id, month, label`;

/** Returns the names of some metrics by id. */
export async function metricNames(
  session: Queries,
  orgId: string,
  metricIds: readonly string[],
): Promise<Map<string, string>> {
  if (metricIds.length === 0) return new Map();
  const rows = await session.query<{ metric_id: string; name: string }>(
    'SELECT metric_id, name FROM metrics WHERE org_id = $org AND list_contains($metrics, metric_id)',
    { org: orgId, metrics: metricIds },
  );
  return new Map(rows.map(({ metric_id, name }) => [metric_id, name]));
}
