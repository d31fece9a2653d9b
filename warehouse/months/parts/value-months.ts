import type { ValueMonth, ValueMonths } from '../../../domain/metrics/value-months.ts';
import { lastDay, monthOf, type Day, type Month } from '../../../domain/shared/calendar.ts';
import { unitsOfFixed, type DecimalText } from '../../../domain/shared/decimals.ts';
import { pushTo } from '../../../domain/shared/push-to.ts';
import { ctes } from '../../engine/sql/cte.ts';
import type { Queries } from '../../engine/session.ts';
import type { OrganisationCache } from '../../engine/cache/derived-cache.ts';
import { keyOfValues, partsOfValues, VALUES, type ValueRange } from '../../metrics/cached-values.ts';
import { valuesThrough } from '../../metrics/values-through.ts';
import {
  LAST_PERIODS,
  SPACED_PERIODS,
  valuePeriodsOf,
  type LastPeriods,
} from '../../sources/value-periods.ts';
import type { MetricScope } from './metric-scopes.ts';

/**
 * Returns the values of months since `first`, and of days since `firstDay`, by metric id. Labels are added up
 * (docs/http.md#send-values). Revenue has sums of 0: it is sealed.
 */
export async function valueMonths(
  session: Queries,
  cache: OrganisationCache,
  orgId: string,
  scopes: readonly MetricScope[],
  range: ValueRange,
): Promise<ReadonlyMap<string, ValueMonths>> {
  const byKey = new Map(scopes.map((scope) => [keyOfValues(scope.metric_id, range), scope]));
  const parts = new Map([...byKey].map(([key, { metric_id }]) => [key, partsOfValues(metric_id)]));
  const values = await cache.each(VALUES, parts, async (missing) => {
    const wanted = missing.flatMap((key) => byKey.get(key) ?? []);
    const read = await readValues(session, orgId, wanted, range);
    return new Map(
      wanted.map((scope) => [
        keyOfValues(scope.metric_id, range),
        read.get(scope.metric_id) ?? noValues(scope, range),
      ]),
    );
  });
  return new Map(
    [...byKey].map(([key, scope]) => [scope.metric_id, values.get(key) ?? noValues(scope, range)]),
  );
}

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
  range: ValueRange,
): Promise<Map<string, ValueMonths>> {
  const rows = await session.query<Row>(VALUE_MONTHS, {
    org: orgId,
    metrics: scopes.map(({ metric_id }) => metric_id),
    first_day: range.firstDay,
  });
  const labelled = new Set(rows.filter((row) => row.has_labels).map(({ metric_id }) => metric_id));
  const labelledThrough =
    labelled.size === 0 ? new Map<string, Day>() : await valuesThrough(session, orgId, [...labelled]);
  const rowsOf = new Map<string, Row[]>();
  for (const row of rows) pushTo(rowsOf, row.metric_id, row);
  return new Map(
    scopes.map((scope) => {
      const { metric_id: id } = scope;
      const values = valuesIn(rowsOf.get(id) ?? [], scope, range);
      return [id, labelled.has(id) ? { ...values, through: labelledThrough.get(id) ?? null } : values];
    }),
  );
}

function valuesIn(rows: readonly Row[], scope: MetricScope, range: ValueRange): ValueMonths {
  const isDaily = scope.frequency === 'daily';
  const months = new Map<Month, ValueMonth>();
  const days = new Map<Day, bigint>();
  let { from, through, hasLabels } = noValues(scope, range);
  for (const row of rows) {
    const newest = row.newest_period;
    from = earlier(from, row.first_period);
    through = later(through, newest === null || isDaily ? newest : lastDay(monthOf(newest)));
    hasLabels ||= row.has_labels;
    if (row.month < range.first) continue;
    months.set(monthOf(row.month), {
      sum: row.value_sum,
      changes: Number(row.value_changes),
      ...valuePeriodsOf(row),
    });
    if (!isDaily || row.days === null) continue;
    for (const { day, sum } of JSON.parse(row.days) as { day: Day; sum: DecimalText }[])
      days.set(day, unitsOfFixed(sum));
  }
  return { ...noValues(scope, range), months, days, from, through, hasLabels };
}

/** Returns the values of a metric that has none. */
export const noValues = ({ frequency }: Pick<MetricScope, 'frequency'>, range: ValueRange): ValueMonths => ({
  frequency,
  ...range,
  months: new Map(),
  days: new Map(),
  from: null,
  through: null,
  hasLabels: false,
});

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
