import type { Day } from '../../../domain/shared/calendar.ts';
import type { Found } from '../../../domain/sources/readings/reading-plan.ts';
import type { EdgePurchase, FoundPeriod } from '../../../domain/sources/readings/reading-record.ts';
import { pushTo } from '../../../domain/shared/push-to.ts';
import type { Statements } from '../../engine/session.ts';
import type { ExportFile } from '../feeds/export-files.ts';
import { STORED } from '../feeds/read-feed.ts';
import { IS_WHOLE } from '../feeds/written-files.ts';
import { fileSetsTogether, filesIn } from './file-sets.ts';
import { LONGEST_DAY_HOURS } from './focus-daily-money.ts';
import { LAST_DAY } from './month-parts.ts';

/**
 * Returns the billing periods that are in `checked_groups`, and which files have rows of them. Some rows say nothing by themselves
 * of the periods that they change: rows without a period, and purchases that count by usage in any period. Then the reading is
 * whole.
 */
export async function foundPeriods(reader: Statements, files: readonly ExportFile[]): Promise<Found> {
  const rows = await reader.query<PeriodRow>(
    `SELECT billing_period, CAST(billing_period + INTERVAL 1 MONTH AS DATE) - 1 AS ends,
       COALESCE(max(${LAST_DAY}), billing_period) AS last_day,
       COALESCE(sum(row_count) FILTER (${STORED}), 0)::BIGINT AS stored,
       COALESCE(sum(row_count) FILTER (problem IS NOT NULL), 0)::BIGINT AS rejected, ${fileSetsTogether(files.length)} AS file_sets
     FROM checked_groups GROUP BY billing_period ORDER BY billing_period`,
  );
  const [purchase] = await reader.query(
    'FROM temp.main.focus_roll_up WHERE purchased_commitment IS NOT NULL LIMIT 1',
  );
  const edges = new Map<Day, EdgePurchase[]>();
  for (const { billing_period, account, day, is_alone: isAlone } of await reader.query<EdgeRow>(EDGES))
    pushTo(edges, billing_period, { account, day, isAlone });
  const periodsOf = new Map<string, Day[]>();
  const periods: FoundPeriod[] = [];
  for (const { billing_period: period, ends, last_day: lastDay, stored, rejected, file_sets } of rows) {
    if (period === null || ends === null) continue;
    for (const path of filesIn(file_sets, files)) pushTo(periodsOf, path, period);
    const counts = { stored: Number(stored), rejected: Number(rejected) };
    periods.push({ period, ends, lastDay, ...counts, edges: edges.get(period) ?? [] });
  }
  const isWhole = purchase !== undefined || rows.some(({ billing_period }) => billing_period === null);
  return { periodsOf, periods, isWhole };
}

interface PeriodRow {
  billing_period: Day | null;
  ends: Day | null;
  last_day: Day;
  stored: string;
  rejected: string;
  file_sets: string[];
}

interface EdgeRow {
  billing_period: Day;
  account: string;
  day: Day;
  is_alone: boolean;
}

/** Selects what {@link ACCOUNT_DAYS} of one bill may need of another: its purchases on the first and the last day, or outside of it. */
const EDGES = `
WITH charges AS (
  SELECT *, COALESCE(span_start IS NULL OR span_end - span_start <= INTERVAL ${LONGEST_DAY_HOURS} HOUR, false) AS is_of_day
  FROM checked_groups WHERE ${STORED}),
account_days AS (
  SELECT billing_period, md5(concat_ws('/', cloud, account)) AS account, is_usage, is_purchase, last_file,
    unnest(CASE WHEN span_start IS NULL THEN [day] ELSE [day, day + 1] END) AS day
  FROM charges WHERE is_of_day AND (is_purchase OR is_usage)),
whole_days AS (
  SELECT billing_period, account, day, bool_or(is_purchase) AS has_purchase, bool_or(is_usage) AS has_usage
  FROM account_days LEFT JOIN temp.main.written_files USING (last_file)
  WHERE ${IS_WHOLE} AND account IN (SELECT account FROM account_days WHERE is_purchase) GROUP BY ALL),
purchases AS (
  SELECT *, NOT has_usage AND (lead(day) OVER days = day + 1 OR lag(day) OVER days = day - 1) IS NOT TRUE AS is_alone
  FROM whole_days WHERE has_purchase
  WINDOW days AS (PARTITION BY billing_period, account ORDER BY day))
SELECT billing_period, account, day, is_alone FROM purchases
WHERE day <= billing_period OR day >= CAST(billing_period + INTERVAL 1 MONTH AS DATE) - 1 OR day = last_day(billing_period)
ORDER BY ALL`;
