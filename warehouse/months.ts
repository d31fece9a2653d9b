import { dayOf, firstDay, monthOf, type Day, type Month } from '../domain/calendar.ts';
import type { DecimalText } from '../domain/decimals.ts';
import { factsFrom, type MonthFacts, type SettlementFacts } from '../domain/month-record.ts';
import { instant } from './instant.ts';
import type { Session } from './session.ts';

/** A month of a metric's row, as {@link MONTH_FACTS} selects it. */
interface Row {
  metric_id: string;
  month: Day;
  cost: DecimalText | null;
  value_sum: DecimalText | null;
  value_periods: string | null;
  value_changes: string | null;
  settled: boolean;
  version: string | null;
  locked_cost: DecimalText | null;
  locked_value: DecimalText | null;
  locked_unit_cost: DecimalText | null;
  locked_value_changes: string | null;
  locked_at: string | null;
  locked_by_id: string | null;
  locked_by_name: string | null;
}

/**
 * The facts of each metric's months up to the running one, oldest first: `count` months and the one before
 * them, for its change. Derived at each read by one statement from published loads, the log of values and the
 * lock versions, so that no stored copy can be stale.
 */
export const monthFacts = async (
  session: Session,
  orgId: string,
  metricIds: readonly string[],
  months: { newest: Month; count: number; now: Date },
): Promise<Map<string, MonthFacts[]>> => {
  const rows = await session.query<Row>(MONTH_FACTS, {
    org: orgId,
    metrics: metricIds,
    first: factsFrom(months.newest, months.count),
    last: firstDay(months.newest),
    today: dayOf(months.now),
  });
  const byMetric = new Map<string, MonthFacts[]>(metricIds.map((id) => [id, []]));
  for (const row of rows) byMetric.get(row.metric_id)?.push(toFacts(row));
  return byMetric;
};

const toFacts = (row: Row): MonthFacts => ({
  month: monthOf(row.month),
  cost: row.cost,
  valueSum: row.value_sum,
  valuePeriods: Number(row.value_periods ?? 0),
  valueChanges: Number(row.value_changes ?? 0),
  settled: row.settled,
  lock:
    row.version === null || row.locked_cost === null || row.locked_value === null || row.locked_at === null
      ? null
      : {
          version: Number(row.version),
          cost: row.locked_cost,
          value: row.locked_value,
          unitCost: row.locked_unit_cost,
          lockedAt: instant(row.locked_at),
          lockedBy: { type: 'key', id: row.locked_by_id ?? '', name: row.locked_by_name ?? '' },
          valueChanges: Number(row.locked_value_changes ?? 0),
        },
});

/**
 * The organisation's cost is summed once per month and shared by its metrics. A month without spend rows costs
 * 0 only if it lies within what the sources have delivered; otherwise its cost is not known (null).
 */
export const MONTH_FACTS = `
WITH months AS (
  SELECT CAST(unnest(generate_series($first::DATE, $last::DATE, INTERVAL 1 MONTH)) AS DATE) AS month),
spend AS (
  SELECT CAST(date_trunc('month', day) AS DATE) AS month, sum(cost) AS cost
  FROM account_spend JOIN current_loads USING (org_id, source_id, load_id, billing_period)
  WHERE org_id = $org AND day BETWEEN $first::DATE AND $today::DATE
  GROUP BY ALL),
delivered AS (
  SELECT min(first_day) AS first_day, max(delivered_through) AS delivered_through
  FROM current_loads WHERE org_id = $org),
value_months AS (
  SELECT metric_id, CAST(date_trunc('month', period) AS DATE) AS month, sum(value) AS value_sum,
    count(DISTINCT period) AS value_periods
  FROM metric_values WHERE org_id = $org AND list_contains($metrics, metric_id) AND period >= $first::DATE
  GROUP BY ALL),
changed_months AS (
  SELECT metric_id, CAST(date_trunc('month', period) AS DATE) AS month, count(*) AS value_changes
  FROM metric_value_changes WHERE org_id = $org AND list_contains($metrics, metric_id) AND period >= $first::DATE
  GROUP BY ALL),
locked AS (
  SELECT * FROM month_versions WHERE org_id = $org AND list_contains($metrics, metric_id)
  QUALIFY row_number() OVER (PARTITION BY org_id, metric_id, month ORDER BY version DESC) = 1)
SELECT metric_id, month,
  COALESCE(spend.cost, CASE WHEN month >= delivered.first_day AND month <= delivered.delivered_through
    THEN CAST(0 AS DECIMAL(38,15)) END) AS cost,
  value_sum, value_periods, changed_months.value_changes,
  EXISTS (FROM settled_months WHERE settled_months.org_id = $org AND settled_months.month = months.month) AS settled,
  locked.version, locked.cost AS locked_cost, locked.value AS locked_value, locked.unit_cost AS locked_unit_cost,
  locked.value_changes AS locked_value_changes, locked.locked_at, locked.locked_by_id, locked.locked_by_name
FROM (SELECT unnest($metrics) AS metric_id) AS wanted
CROSS JOIN months
CROSS JOIN delivered
LEFT JOIN spend USING (month)
LEFT JOIN value_months USING (metric_id, month)
LEFT JOIN changed_months USING (metric_id, month)
LEFT JOIN locked USING (metric_id, month)
ORDER BY metric_id, month`;

/** What months wait for: the organisation's active sources, and how far each has delivered. */
export const settlementFacts = async (
  session: Session,
  orgId: string,
  settleDays: number,
): Promise<SettlementFacts> => {
  const sources = await session.query<{ name: string; delivered_through: Day | null }>(
    `SELECT name, max(delivered_through) AS delivered_through
     FROM cost_sources LEFT JOIN current_loads USING (org_id, source_id)
     WHERE org_id = $org AND NOT schedule_paused
     GROUP BY source_id, name ORDER BY source_id`,
    { org: orgId },
  );
  return {
    settleDays,
    sources: sources.map(({ name, delivered_through }) => ({ name, deliveredThrough: delivered_through })),
  };
};
