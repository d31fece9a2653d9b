import { firstDay, lastDay, monthOf, type Day, type Month } from '../domain/calendar.ts';
import type { DecimalText } from '../domain/decimals.ts';
import type { LabelSums } from '../domain/month-labels.ts';
import { factsFrom } from '../domain/month-record.ts';
import type { Metric } from './metrics.ts';
import type { Session } from './session.ts';

interface Months {
  newest: Month;
  count: number;
}

/** What the values of a metric's months are made of today, by month; a month without values is not there. */
export const labelSums = async (
  session: Session,
  orgId: string,
  metric: Metric,
  { newest, count }: Months,
): Promise<Map<Month, LabelSums>> => {
  const rows = await session.query<{ month: Day; label: string; sum: DecimalText; periods: string }>(
    `WITH in_months AS (
       SELECT CAST(date_trunc('month', period) AS DATE) AS month, period, label, value FROM metric_values
       WHERE org_id = $org AND metric_id = $metric AND period BETWEEN $first::DATE AND $last::DATE),
     periods AS (SELECT month, count(DISTINCT period) AS periods FROM in_months GROUP BY month)
     SELECT month, label, sum(value) AS sum, any_value(periods) AS periods
     FROM in_months JOIN periods USING (month) GROUP BY month, label ORDER BY month, label`,
    { org: orgId, metric: metric.id, first: factsFrom(newest, count), last: lastDay(newest) },
  );
  const byMonth = new Map<Month, LabelSums>();
  for (const { month, label, sum, periods } of rows) {
    const divisor = metric.aggregation === 'average' ? Number(periods) : 1;
    const sums = byMonth.get(monthOf(month)) ?? { divisor, sums: [] };
    sums.sums.push({ label, sum });
    byMonth.set(monthOf(month), sums);
  }
  return byMonth;
};

/** The same as frozen by the newest lock of each locked month. */
export const lockedLabelSums = async (
  session: Session,
  orgId: string,
  metric: Metric,
  { newest, count }: Months,
): Promise<Map<Month, LabelSums>> => {
  const rows = await session.query<{ month: Day; label_values: string }>(
    `SELECT month, arg_max(label_values, version) AS label_values FROM month_versions
     WHERE org_id = $org AND metric_id = $metric AND month BETWEEN $first::DATE AND $last::DATE
       AND label_values IS NOT NULL
     GROUP BY month`,
    { org: orgId, metric: metric.id, first: factsFrom(newest, count), last: firstDay(newest) },
  );
  return new Map(
    rows.map(({ month, label_values }) => [monthOf(month), JSON.parse(label_values) as LabelSums]),
  );
};
