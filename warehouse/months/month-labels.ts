import { firstDay, type Month } from '../../domain/shared/calendar.ts';
import type { LabelSum } from '../../domain/months/month-labels.ts';
import type { Metric } from '../metrics/metrics.ts';
import { cte, ctes, type Cte } from '../engine/sql/cte.ts';
import type { Session } from '../engine/session.ts';

/** A month whose value is split by label: today's value, or the one that the newest lock froze. */
export interface MonthToPart {
  month: Month;
  isLocked: boolean;
  /** Whether it is today's value beside the locked one, which does not count for what labels are the largest. */
  isBesideLock: boolean;
}

/** The part of one label. `place` is the month's position in the list of months. */
export type PlacedLabelSum = LabelSum & { place: number };

/** Returns the sum of each label's values in `months` (place, month), and its divisor. */
const sumsOfToday = (months: Cte): Cte =>
  cte({
    name: 'sums_of_today',
    needs: [months],
    sql: `WITH values_of_months AS (
  SELECT place, period, label, value
  FROM metric_values JOIN ${months.name} ON month = CAST(date_trunc('month', period) AS DATE)
  WHERE org_id = $org AND metric_id = $metric AND period BETWEEN $first::DATE AND last_day($last::DATE)),
divisors AS (
  SELECT place, CASE WHEN $aggregation = 'average' THEN count(DISTINCT period) ELSE 1 END AS divisor
  FROM values_of_months GROUP BY place)
SELECT place, label, sum(value) AS sum, any_value(divisor) AS divisor
FROM values_of_months JOIN divisors USING (place) GROUP BY place, label`,
  });

const ONE_MONTH = cte({ name: 'months', sql: 'SELECT 0 AS place, $first::DATE AS month' });

const MONTHS = cte({
  name: 'months',
  sql: `SELECT unnest(from_json($months, '[{"place": "INTEGER", "month": "DATE", "is_locked": "BOOLEAN", "is_beside_lock": "BOOLEAN"}]'), recursive := true)`,
});

const MONTHS_OF_TODAY = cte({
  name: 'months_of_today',
  needs: [MONTHS],
  sql: 'FROM months WHERE NOT is_locked',
});

function ofMetric(orgId: string, metric: Metric, months: readonly Month[]) {
  const days = months.map(firstDay).toSorted();
  return {
    org: orgId,
    metric: metric.id,
    aggregation: metric.aggregation,
    first: days.at(0) ?? null,
    last: days.at(-1) ?? null,
  };
}

/** Returns today's sums of a month by label, as JSON, for a lock to freeze. */
export async function frozenLabels(
  session: Session,
  orgId: string,
  metric: Metric,
  month: Month,
): Promise<string> {
  const [frozen] = await session.query<{ labels: string }>(
    `WITH ${ctes(sumsOfToday(ONE_MONTH))}
     SELECT to_json({
       divisor: COALESCE(any_value(divisor), 1),
       sums: COALESCE(list({label: label, sum: CAST(sum AS VARCHAR)} ORDER BY label), [])})::VARCHAR AS labels
     FROM sums_of_today`,
    ofMetric(orgId, metric, [month]),
  );
  if (frozen === undefined) throw new Error(`no labels of ${metric.id} for ${month}`);
  return frozen.labels;
}

/** The columns of the JSON that {@link frozenLabels} returns. */
const FROZEN = `'{"divisor": "BIGINT", "sums": [{"label": "VARCHAR", "sum": "DECIMAL(38,10)"}]}'`;

/** Stores the parts of some months in a temporary table, which {@link READ_LABEL_SUMS} reads on the same session. */
export async function layLabelSums(
  session: Session,
  orgId: string,
  metric: Metric,
  months: readonly MonthToPart[],
): Promise<void> {
  await session.run(
    `CREATE OR REPLACE TEMP TABLE label_sums AS
     WITH ${ctes(MONTHS, sumsOfToday(MONTHS_OF_TODAY))},
     frozen AS (
       SELECT place, from_json(arg_max(label_values, version), ${FROZEN}) AS labels
       FROM month_versions JOIN months USING (month)
       WHERE org_id = $org AND metric_id = $metric AND is_locked AND label_values IS NOT NULL
       GROUP BY place),
     frozen_sums AS (SELECT place, labels.divisor AS divisor, unnest(labels.sums) AS part FROM frozen),
     all_sums AS (
       SELECT place, label, sum, divisor FROM sums_of_today
       UNION ALL SELECT place, part.label, part.sum, divisor FROM frozen_sums)
     SELECT all_sums.*, is_beside_lock, sum(sum) OVER (PARTITION BY place) AS total FROM all_sums JOIN months USING (place)`,
    {
      ...ofMetric(
        orgId,
        metric,
        months.map(({ month }) => month),
      ),
      months: JSON.stringify(
        months.map(({ month, isLocked, isBesideLock }, place) => ({
          place,
          month: firstDay(month),
          is_locked: isLocked,
          is_beside_lock: isBesideLock,
        })),
      ),
    },
  );
}

/** Selects the parts by month, the largest first, then by name (docs/http.md#send-values). */
export const READ_LABEL_SUMS =
  'SELECT place, label, sum, divisor, total FROM temp.main.label_sums ORDER BY place, sum DESC, label';

/**
 * Selects the parts of the `$top` labels with the largest sums over all months, and of all other labels as one part without a
 * label. The labels have the same order in each month.
 */
export const READ_TOP_LABEL_SUMS = `
WITH largest AS (
  SELECT label, sum(sum) FILTER (NOT is_beside_lock) AS shown FROM temp.main.label_sums
  GROUP BY label ORDER BY shown DESC NULLS LAST, label LIMIT $top::INTEGER),
ranked AS (SELECT label, row_number() OVER (ORDER BY shown DESC NULLS LAST, label) AS rank FROM largest)
SELECT place, ranked.label, sum(sum) AS sum, any_value(divisor) AS divisor, any_value(total) AS total
FROM temp.main.label_sums LEFT JOIN ranked USING (label)
GROUP BY place, ranked.label, rank ORDER BY place, rank NULLS LAST`;
