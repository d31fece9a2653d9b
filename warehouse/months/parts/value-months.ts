import { lastDay, monthOf, type Day, type Month } from '../../../domain/shared/calendar.ts';
import { unitsOfFixed, type DecimalText } from '../../../domain/shared/decimals.ts';
import { ctes } from '../../engine/sql/cte.ts';
import type { Queries } from '../../engine/session.ts';
import type { Derived, OrganisationCache } from '../../engine/cache/derived-cache.ts';
import { ofMetric } from '../../engine/cache/revisions.ts';
import { valuesThrough } from '../../metrics/values-through.ts';
import {
  LAST_PERIODS,
  SPACED_PERIODS,
  valuePeriodsOf,
  type LastPeriods,
  type ValuePeriods,
} from '../../sources/value-periods.ts';
import type { MetricScope } from './metric-scopes.ts';

/** The values of a metric, labels added up (docs/http.md#send-values). Revenue has sums of 0: it is sealed. */
export interface ValueMonths {
  months: Map<Month, ValueMonth>;
  /** The sums of days with a value, in units of 10⁻¹⁰. */
  days: Map<Day, bigint>;
  /** The day through which the values are complete (values-through.ts), and the first day with a value; null without values. */
  through: Day | null;
  from: Day | null;
}

/** The values of a month. The sum is null without values. */
interface ValueMonth extends ValuePeriods {
  sum: DecimalText | null;
  changes: number;
}

const VALUES: Derived<ValueMonths> = {
  name: 'values of a metric',
  from: [],
  bytesOf: ({ months, days }) => months.size * 200 + days.size * 100,
};

/** Returns the values of months since `first`, and of days since `firstDay`, by metric id. */
export async function valueMonths(
  session: Queries,
  cache: OrganisationCache,
  orgId: string,
  scopes: readonly MetricScope[],
  { first, firstDay }: { first: Day; firstDay: Day },
): Promise<ReadonlyMap<string, ValueMonths>> {
  const byKey = new Map(scopes.map((scope) => [`${scope.metric_id} ${first} ${firstDay}`, scope]));
  const parts = new Map(
    [...byKey].map(([key, { metric_id }]) => [
      key,
      ofMetric(metric_id, ['metric_versions', 'metric_value_changes']),
    ]),
  );
  const values = await cache.each(VALUES, parts, async (missing) => {
    const wanted = missing.flatMap((key) => byKey.get(key) ?? []);
    const read = await readValues(session, orgId, wanted, { first, firstDay });
    return new Map(missing.map((key) => [key, read.get(byKey.get(key)?.metric_id ?? '') ?? NO_VALUES]));
  });
  return new Map([...byKey].map(([key, { metric_id }]) => [metric_id, values.get(key) ?? NO_VALUES]));
}

export const NO_VALUES: ValueMonths = { months: new Map(), days: new Map(), through: null, from: null };

interface Row extends LastPeriods {
  metric_id: string;
  month: Day;
  value_sum: DecimalText | null;
  value_changes: string;
  /** JSON of the days and their sums. */
  days: string | null;
  first_period: Day | null;
  has_labels: boolean;
}

async function readValues(
  session: Queries,
  orgId: string,
  scopes: readonly MetricScope[],
  range: { first: Day; firstDay: Day },
): Promise<Map<string, ValueMonths>> {
  const rows = await session.query<Row>(VALUE_MONTHS, {
    org: orgId,
    metrics: scopes.map(({ metric_id }) => metric_id),
    first_day: range.firstDay,
  });
  const frequencies = new Map(scopes.map(({ metric_id, frequency }) => [metric_id, frequency]));
  const labelled = new Set(rows.filter((row) => row.has_labels).map(({ metric_id }) => metric_id));
  const labelledThrough =
    labelled.size === 0 ? new Map<string, Day>() : await valuesThrough(session, orgId, [...labelled]);
  const byMetric = new Map<string, ValueMonths>();
  for (const row of rows) {
    const isDaily = frequencies.get(row.metric_id) === 'daily';
    const known = byMetric.get(row.metric_id) ?? {
      months: new Map(),
      days: new Map(),
      from: null,
      through: null,
    };
    const newest = row.newest_period;
    const newestDay = newest === null || isDaily ? newest : lastDay(monthOf(newest));
    byMetric.set(row.metric_id, {
      ...known,
      from: earlier(known.from, row.first_period),
      through: labelled.has(row.metric_id)
        ? (labelledThrough.get(row.metric_id) ?? null)
        : later(known.through, newestDay),
    });
    if (row.month < range.first) continue;
    known.months.set(monthOf(row.month), {
      sum: row.value_sum,
      changes: Number(row.value_changes),
      ...valuePeriodsOf(row),
    });
    if (!isDaily || row.days === null) continue;
    for (const { day, sum } of JSON.parse(row.days) as { day: Day; sum: DecimalText }[])
      known.days.set(day, unitsOfFixed(sum));
  }
  return byMetric;
}

const earlier = (one: Day | null, other: Day | null): Day | null =>
  one === null || (other !== null && other < one) ? other : one;

const later = (one: Day | null, other: Day | null): Day | null =>
  one === null || (other !== null && other > one) ? other : one;

const VALUE_MONTHS = `WITH ${ctes(SPACED_PERIODS)}
SELECT metric_id, CAST(date_trunc('month', period) AS DATE) AS month, sum(value_sum) AS value_sum,
  CAST(sum(changes) AS BIGINT) AS value_changes,
  CAST(to_json(list({'day': period, 'sum': CAST(COALESCE(value_sum, 0::DECIMAL(38,10)) AS VARCHAR)})
    FILTER (is_set AND period >= $first_day::DATE)) AS VARCHAR) AS days,
  min(period) FILTER (is_set) AS first_period, ${LAST_PERIODS}, bool_or(has_labels) AS has_labels
FROM spaced_periods GROUP BY metric_id, month`;
