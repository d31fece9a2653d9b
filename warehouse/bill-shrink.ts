import type { Day } from '../domain/calendar.ts';
import { dayRanges } from '../domain/day-ranges.ts';
import { toWire, type DecimalText } from '../domain/decimals.ts';
import { invalid } from '../domain/errors.ts';
import type { LoadScope } from './publish-load.ts';
import type { Session } from './session.ts';

/**
 * Looks for days that the load before had and the export no longer has: its daily money is in `daily_money`. Returns
 * a note on them. Throws `invalid` if they are of a settled month, unless the ingest accepts that.
 */
export const checkShrink = async (
  session: Session,
  { orgId, sourceId, runId, acceptShrink, currency }: LoadScope & { currency: string },
): Promise<string[]> => {
  const lost = await session.query<{ settled: boolean; days: Day[]; cost: DecimalText }>(LOST_DAYS, {
    org: orgId,
    source: sourceId,
    run: runId,
  });
  const notes = lost.map(({ settled, days, cost }) => ({
    settled,
    note: `the export no longer has ${dayRanges(days)}, ${toWire(cost)} ${currency} less than the load before`,
  }));
  const refused = notes.find(({ settled }) => settled);
  if (refused !== undefined && !acceptShrink) {
    throw invalid(
      `${refused.note}, in settled months; nothing was loaded. ` +
        'Mend the export, or start the ingest with accept_shrink to let them go',
    );
  }
  return notes.map(({ note }) => note);
};

/**
 * The load before is the newest of another run, so that a run tried again says the same. A day is lost if the export
 * has nothing of it, or only what is spread over it from a longer period. Which rows of a load of an earlier version
 * lie inside their day is not known.
 */
const LOST_DAYS = `
WITH replaced AS (
  SELECT org_id, source_id, billing_period, load_id FROM loads
  WHERE org_id = $org AND source_id = $source AND run_id <> $run
    AND billing_period IN (SELECT billing_period FROM judged_groups WHERE problem IS NULL)
  QUALIFY row_number() OVER (PARTITION BY billing_period ORDER BY load_id DESC) = 1),
known_days AS (
  SELECT billing_period, day, inside_day, cost
  FROM bill_days SEMI JOIN replaced USING (org_id, source_id, billing_period, load_id)),
unknown_days AS (
  SELECT billing_period, day, CAST(NULL AS BOOLEAN) AS inside_day, sum(cost) AS cost
  FROM cloud_spend SEMI JOIN (SELECT * FROM replaced ANTI JOIN bill_days USING (org_id, source_id, billing_period, load_id))
    USING (org_id, source_id, billing_period, load_id)
  GROUP BY ALL),
read_days AS (
  SELECT billing_period, day, bool_or(inside_day) AS inside_day, sum(cost) AS cost FROM daily_money GROUP BY ALL),
lost_days AS (
  SELECT day, earlier.cost - COALESCE(read_days.cost, 0) AS cost,
    date_trunc('month', day) IN (SELECT month FROM settled_months WHERE org_id = $org) AS settled
  FROM (FROM known_days UNION ALL FROM unknown_days) AS earlier LEFT JOIN read_days USING (billing_period, day)
  WHERE read_days.day IS NULL OR (earlier.inside_day AND NOT read_days.inside_day))
SELECT settled, list(CAST(day AS VARCHAR)) AS days, sum(cost) AS cost FROM lost_days GROUP BY settled ORDER BY settled DESC`;
