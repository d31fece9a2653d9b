import type { ComputedSession } from '../spend/compute-spend.ts';
import { addDays, addMonths, firstDay, monthOf, type Day } from '../../domain/shared/calendar.ts';
import type { MetricKind } from '../../domain/metrics/metric.ts';
import type { DecimalText } from '../../domain/shared/decimals.ts';
import type { DaysFacts, MonthFacts } from '../../domain/months/month-facts.ts';
import { decimalUnits, MONEY_DECIMALS, moneyText } from '../../domain/shared/decimals.ts';
import { COVERED_DAYS } from '../sources/coverage.ts';
import { dailyTeamCosts } from '../teams/bills/daily-team-costs.ts';
import { KNOWN_DAYS } from '../spend/known-days.ts';
import type { Revenue } from './month-revenue.ts';
import { COMPLETE_VALUES } from '../metrics/values-through.ts';

/** A row of {@link SAME_DAYS}: a metric's days so far, and the same days of the month before. */
interface Row {
  metric_id: string;
  metric_kind: MetricKind;
  team_id: string | null;
  through: Day;
  before_through: Day;
  is_before_known: boolean;
  has_values_before: boolean;
  cost: DecimalText;
  value_sum: DecimalText | null;
  value_periods: string;
  before_cost: DecimalText;
  before_value_sum: DecimalText | null;
  before_value_periods: string;
}

/**
 * Adds to each metric's running month the sums of its days so far, and of the same days of the month before. One statement
 * reads all metrics. The days run from the 1st to the last complete day: the scope's sources cover every day up to it
 * (known-days.ts), and the values of a daily metric are complete (values-through.ts). If the month before is shorter, its days
 * run to its end. Nothing is known of days before the metric's first value. A monthly value cannot be cut into days, so that
 * only the cost of these metrics is compared. Months without all their tag or split data are not compared.
 *
 * @param byMetric facts of months up to the running one, oldest first; with the month before it.
 */
export const putSameDays = async (
  session: ComputedSession,
  orgId: string,
  byMetric: ReadonlyMap<string, readonly MonthFacts[]>,
  today: Day,
  revenue: Revenue,
): Promise<void> => {
  const month = firstDay(monthOf(today));
  if (today === month) return;
  const range = { first: firstDay(addMonths(monthOf(today), -1)), last: addDays(today, -1) };
  const metrics = [...byMetric.keys()];
  const rows = await session.query<Row>(SAME_DAYS, { org: orgId, metrics, month, ...range });
  const team = rows.some(({ team_id }) => team_id !== null)
    ? await teamCosts(session, orgId, { start: range.first, end: range.last })
    : null;
  for (const row of rows) {
    const facts = byMetric.get(row.metric_id) ?? [];
    const running = facts.find((one) => one.month === monthOf(today));
    const before = facts.find((one) => one.month === monthOf(range.first));
    if (running === undefined || running.uncollected.length > 0) continue;
    const costOf = (start: Day, end: Day, cost: DecimalText): DecimalText | null =>
      row.team_id === null ? cost : (team?.(row.team_id, start, end) ?? null);
    const valueOf = (start: Day, end: Day, sum: DecimalText | null): DecimalText | null =>
      row.metric_kind === 'revenue' ? revenue.sum(row.metric_id, start, end) : sum;
    const valueSum = row.value_periods === '0' ? null : valueOf(month, row.through, row.value_sum);
    running.sameDays = {
      through: row.through,
      now: daysFacts(costOf(month, row.through, row.cost), valueSum, row.value_periods),
      before:
        row.is_before_known && before?.uncollected.length === 0
          ? daysFacts(
              costOf(range.first, row.before_through, row.before_cost),
              row.has_values_before ? valueOf(range.first, row.before_through, row.before_value_sum) : null,
              row.before_value_periods,
            )
          : null,
    };
  }
};

const daysFacts = (cost: DecimalText | null, valueSum: DecimalText | null, periods: string): DaysFacts => ({
  cost,
  valueSum,
  valuePeriods: Number(periods),
});

/** Returns what each team costs over some days, by today's definitions; null if a day is not known. */
const teamCosts = async (session: ComputedSession, orgId: string, range: { start: Day; end: Day }) => {
  const days = await dailyTeamCosts(session, orgId, range, 'stored days');
  return (teamId: string, start: Day, end: Day): DecimalText | null => {
    let sum = 0n;
    for (let day = start; day <= end; day = addDays(day, 1)) {
      const cost = days.get(day)?.get(teamId);
      if (cost === undefined) return null;
      sum += decimalUnits(cost, MONEY_DECIMALS);
    }
    return moneyText(sum);
  };
};

const SAME_DAYS = `
WITH wanted AS (
  SELECT metric_id, kind AS metric_kind, frequency, scope->>'$.team_id' AS team_id, md5(scope) AS scope_id
  FROM metrics WHERE org_id = $org AND list_contains($metrics, metric_id)),
${COVERED_DAYS}, ${KNOWN_DAYS},
complete AS (
  SELECT kinds, day >= $month::DATE AS is_running, COALESCE(min(day) FILTER (known_days.kinds IS NULL), max(day) + 1) - 1 AS complete_through
  FROM (SELECT kinds, day FROM (SELECT DISTINCT kinds FROM metric_kinds) CROSS JOIN days)
  LEFT JOIN (SELECT kinds, day FROM known_days) AS known_days USING (kinds, day) GROUP BY ALL),
day_values AS (
  SELECT metric_id, period AS day, sum(value) AS value FROM metric_values JOIN wanted USING (metric_id)
  WHERE org_id = $org AND frequency = 'daily' AND period BETWEEN $first::DATE AND $last::DATE GROUP BY ALL),
${COMPLETE_VALUES},
compared AS (
  SELECT metric_id, metric_kind, frequency, team_id, scope_id,
    least(running.complete_through, CASE frequency WHEN 'daily' THEN values_through END) AS through, values_from,
    least($first::DATE + CAST(through - $month::DATE AS INTEGER), $month::DATE - 1) AS before_through,
    before.complete_through >= before_through AS is_before_known
  FROM wanted JOIN metric_kinds USING (metric_id)
  JOIN complete AS running ON running.kinds = metric_kinds.kinds AND running.is_running
  JOIN complete AS before ON before.kinds = metric_kinds.kinds AND NOT before.is_running
  LEFT JOIN complete_values USING (metric_id)
  WHERE (frequency = 'monthly' OR values_through >= $month::DATE) AND running.complete_through >= $month::DATE),
compared_days AS (
  SELECT metric_id, scope_id, day, day >= $month::DATE AS is_running FROM compared JOIN days
    ON day BETWEEN $month::DATE AND through OR day <= before_through),
values_so_far AS (
  SELECT metric_id, sum(value) FILTER (is_running) AS value_sum, count(*) FILTER (is_running) AS value_periods,
    sum(value) FILTER (NOT is_running) AS before_value_sum, count(*) FILTER (NOT is_running) AS before_value_periods
  FROM compared_days JOIN day_values USING (metric_id, day) GROUP BY metric_id),
day_costs AS (
  SELECT scope_id, day, cost FROM scope_day_costs JOIN current_computations USING (org_id, month, computation_id)
  WHERE org_id = $org AND month >= $first::DATE AND day BETWEEN $first::DATE AND $last::DATE),
costs AS (
  SELECT metric_id, sum(cost) FILTER (is_running) AS cost, sum(cost) FILTER (NOT is_running) AS before_cost
  FROM compared_days JOIN day_costs USING (scope_id, day) GROUP BY metric_id)
SELECT metric_id, metric_kind, team_id, through, before_through, is_before_known,
  COALESCE(cost, 0::DECIMAL(38,15)) AS cost, value_sum, COALESCE(value_periods, 0) AS value_periods,
  COALESCE(before_cost, 0::DECIMAL(38,15)) AS before_cost,
  before_value_sum, COALESCE(frequency = 'daily' AND values_from <= $first::DATE, false) AS has_values_before,
  COALESCE(before_value_periods, 0) AS before_value_periods
FROM compared LEFT JOIN costs USING (metric_id) LEFT JOIN values_so_far USING (metric_id)`;
