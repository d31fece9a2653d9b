import { monthOf, type Day, type Month } from '../../../domain/shared/calendar.ts';
import { unitsOfFixed, type DecimalText } from '../../../domain/shared/decimals.ts';
import type { Session } from '../../engine/session.ts';
import type { Derived, Recall } from '../../engine/states/memory.ts';
import { COMPLETE_VALUES } from '../../metrics/values-through.ts';
import type { MetricScope } from './metric-scopes.ts';

/** The values of a metric, labels added up (spec §2, Metric value rule 3). Revenue has sums of 0: it is sealed. */
export interface ValueMonths {
  months: Map<Month, ValueMonth>;
  /** The sums of days with a value, in units of 10⁻¹⁰. */
  days: Map<Day, bigint>;
  /** The day through which the values are complete (values-through.ts), and the first day with a value; null without values. */
  through: Day | null;
  from: Day | null;
}

/** The values of a month. The sum is null without values. */
interface ValueMonth {
  sum: DecimalText | null;
  periods: number;
  changes: number;
}

const VALUES: Derived<ValueMonths> = {
  name: 'values of a metric',
  from: [],
  bytesOf: ({ months, days }) => months.size * 200 + days.size * 100,
};

/** Returns the values of months since `first`, and of days since `firstDay`, by metric id. */
export const valueMonths = async (
  session: Pick<Session, 'query'>,
  recall: Recall,
  orgId: string,
  scopes: readonly MetricScope[],
  { first, firstDay }: { first: Day; firstDay: Day },
): Promise<ReadonlyMap<string, ValueMonths>> => {
  const byKey = new Map(scopes.map((scope) => [`${scope.metric_id} ${first} ${firstDay}`, scope]));
  const parts = [...byKey].map(([key, { metric_id: metric }]) => {
    const own = ['metric_versions', 'metric_value_changes'].map((table) => ({ table, metric }));
    return [key, own] as const;
  });
  const values = await recall.each(VALUES, new Map(parts), async (missing) => {
    const wanted = missing.flatMap((key) => byKey.get(key) ?? []);
    const read = await readValues(session, orgId, wanted, { first, firstDay });
    return new Map(missing.map((key) => [key, read.get(byKey.get(key)?.metric_id ?? '') ?? NO_VALUES]));
  });
  return new Map([...byKey].map(([key, { metric_id }]) => [metric_id, values.get(key) ?? NO_VALUES]));
};

export const NO_VALUES: ValueMonths = { months: new Map(), days: new Map(), through: null, from: null };

interface Row {
  metric_id: string;
  month: Day;
  value_sum: DecimalText | null;
  value_periods: string;
  value_changes: string;
  /** JSON of the days and their sums. */
  days: string | null;
  values_through: Day | null;
  values_from: Day | null;
}

const readValues = async (
  session: Pick<Session, 'query'>,
  orgId: string,
  scopes: readonly MetricScope[],
  range: { first: Day; firstDay: Day },
): Promise<Map<string, ValueMonths>> => {
  const rows = await session.query<Row>(VALUE_MONTHS, {
    org: orgId,
    metrics: scopes.map(({ metric_id }) => metric_id),
    frequencies: scopes.map(({ frequency }) => frequency),
    first: range.first,
    first_day: range.firstDay,
  });
  const byMetric = new Map<string, ValueMonths>();
  for (const row of rows) {
    const known = byMetric.get(row.metric_id);
    const values = known ?? {
      ...{ months: new Map<Month, ValueMonth>(), days: new Map<Day, bigint>() },
      ...{ through: row.values_through, from: row.values_from },
    };
    byMetric.set(row.metric_id, values);
    values.months.set(monthOf(row.month), {
      sum: row.value_sum,
      periods: Number(row.value_periods),
      changes: Number(row.value_changes),
    });
    const days = row.days === null ? [] : (JSON.parse(row.days) as { day: Day; sum: DecimalText }[]);
    for (const { day, sum } of days) values.days.set(day, unitsOfFixed(sum));
  }
  return byMetric;
};

// One pass over the log finds the newest change of each period and label. The view would sort all changes.
const VALUE_MONTHS = `
WITH wanted AS (SELECT unnest($metrics) AS metric_id, unnest($frequencies) AS frequency),
log AS (
  SELECT org_id, metric_id, period, label, arg_max_null(value, change_id) AS value,
    arg_max(value IS NOT NULL OR sealed_value IS NOT NULL, change_id) AS is_set, count(*) AS changes
  FROM metric_value_changes WHERE org_id = $org AND list_contains($metrics, metric_id) GROUP BY ALL),
metric_values AS MATERIALIZED (FROM log WHERE is_set),
${COMPLETE_VALUES},
periods AS (
  SELECT metric_id, period, sum(value) FILTER (is_set) AS value_sum, bool_or(is_set) AS is_set, sum(changes) AS changes
  FROM log WHERE period >= $first::DATE GROUP BY metric_id, period)
SELECT metric_id, CAST(date_trunc('month', period) AS DATE) AS month, sum(value_sum) AS value_sum,
  count(*) FILTER (is_set) AS value_periods, CAST(sum(changes) AS BIGINT) AS value_changes,
  CAST(to_json(list({'day': period, 'sum': CAST(COALESCE(value_sum, 0::DECIMAL(38,10)) AS VARCHAR)})
    FILTER (is_set AND period >= $first_day::DATE AND frequency = 'daily')) AS VARCHAR) AS days,
  any_value(values_through) AS values_through, any_value(values_from) AS values_from
FROM periods JOIN wanted USING (metric_id) LEFT JOIN complete_values USING (metric_id)
GROUP BY metric_id, month`;
