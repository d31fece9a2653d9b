import type { Day } from '../../../domain/shared/calendar.ts';
import { dayRanges } from '../../../domain/shared/day-ranges.ts';
import { toWire, type DecimalText } from '../../../domain/shared/decimals.ts';
import { invalid } from '../../../domain/shared/errors.ts';
import type { LoadScope } from './load.ts';
import { ACCOUNTS, checkUnits } from './unit-shrink.ts';
import type { Session } from '../../engine/session.ts';

/**
 * Returns notes on days and accounts that the previous load had and the export no longer has. The export's days are in
 * `load_days`, its spend in `daily_money`. Throws `invalid` if a settled month loses one, unless the ingest accepts that.
 */
export async function checkShrink(
  session: Session,
  load: LoadScope & { currency: string },
): Promise<string[]> {
  const { orgId, sourceId, runId, acceptShrink, currency } = load;
  const lost = await session.query<Lost>(LOST_DAYS, { org: orgId, source: sourceId, run: runId });
  const notes = lost.map(({ settled, days, cost, change }) => ({
    settled,
    note:
      `the export no longer has ${dayRanges(days)}, which had ${toWire(cost)} ${currency}; ` +
      `the bill as a whole is ${difference(toWire(change), currency)}`,
  }));
  const refused = notes.find(({ settled }) => settled);
  if (refused !== undefined && !acceptShrink) {
    throw invalid(
      `${refused.note}, in settled months; nothing was loaded. ` +
        'Correct the export, or start the ingest with accept_shrink to drop these days',
    );
  }
  const lostDays = lost.flatMap(({ days }) => days);
  return [...notes.map(({ note }) => note), ...(await checkUnits(session, load, ACCOUNTS, lostDays))];
}

interface Lost {
  settled: boolean;
  days: Day[];
  /** The cost of the days in the previous load. */
  cost: DecimalText;
  /** The cost of all billing periods that are loaded again, less their previous cost. */
  change: DecimalText;
}

function difference(change: number, currency: string): string {
  if (change === 0) return 'what it was';
  return change > 0 ? `${change} ${currency} more` : `${-change} ${currency} less`;
}

/**
 * The previous load is the newest of another run, so that a retried run finds the same days. A day is lost if the export has no
 * rows of it, or only parts of longer charges. A day that has moved to another billing period is not lost: there its cost differs
 * from that in the previous load.
 */
const LOST_DAYS = `
WITH replaced AS (
  SELECT org_id, source_id, billing_period, load_id FROM loads
  WHERE org_id = $org AND source_id = $source AND run_id <> $run
    AND billing_period IN (SELECT billing_period FROM load_days)
  QUALIFY row_number() OVER (PARTITION BY billing_period ORDER BY load_id DESC) = 1),
earlier_days AS (
  SELECT billing_period, day, inside_day, cost
  FROM bill_days SEMI JOIN replaced USING (org_id, source_id, billing_period, load_id)),
changed_days AS (
  SELECT billing_period, day, load_days.inside_day
  FROM load_days LEFT JOIN earlier_days USING (billing_period, day) WHERE earlier_days.cost IS DISTINCT FROM load_days.cost),
lost_days AS (
  SELECT day, earlier.cost, date_trunc('month', day) IN (SELECT month FROM settled_months WHERE org_id = $org) AS settled
  FROM earlier_days AS earlier LEFT JOIN load_days USING (billing_period, day)
  WHERE (load_days.day IS NULL OR (earlier.inside_day AND NOT load_days.inside_day))
    AND NOT EXISTS (
      FROM changed_days WHERE changed_days.day = earlier.day AND changed_days.billing_period <> earlier.billing_period
        AND (changed_days.inside_day OR NOT earlier.inside_day))),
change AS (
  SELECT COALESCE((SELECT sum(cost) FROM load_days WHERE billing_period IN (SELECT billing_period FROM replaced)), 0)
    - COALESCE((SELECT sum(cost) FROM earlier_days), 0) AS change)
SELECT settled, list(CAST(day AS VARCHAR)) AS days, sum(cost) AS cost, any_value(change) AS change
FROM lost_days CROSS JOIN change GROUP BY settled ORDER BY settled DESC`;
