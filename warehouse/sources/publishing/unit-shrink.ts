import { monthOf, type Day } from '../../../domain/shared/calendar.ts';
import { toWire, type DecimalText } from '../../../domain/shared/decimals.ts';
import { invalid } from '../../../domain/shared/errors.ts';
import type { UnitKind } from '../../../domain/sources/spend-sources.ts';
import { firstAndMore, forMessage } from '../../../domain/shared/text/for-message.ts';
import type { LoadScope } from './load.ts';
import { MONTH } from './publish-load.ts';
import type { Session } from '../../engine/session.ts';

/** The units of a source, in the table that stages a reading and in the one that stores it. */
export interface SourceUnits {
  /** The unit's word in messages, and its column. */
  unit: UnitKind;
  staged: 'daily_money' | 'load_days';
  stored: 'cloud_spend' | 'kubernetes_spend' | 'host_spend' | 'ai_tool_spend';
  /** SQL of the billing period of a staged row. */
  billingPeriod: string;
}

export const ACCOUNTS: SourceUnits = {
  unit: 'account',
  staged: 'daily_money',
  stored: 'cloud_spend',
  billingPeriod: 'billing_period',
};

/** Returns the units of a source whose billing periods are months. */
export const unitsOf = (
  unit: Exclude<UnitKind, 'account'>,
  stored: 'kubernetes_spend' | 'host_spend' | 'ai_tool_spend',
): SourceUnits => ({ unit, stored, staged: 'load_days', billingPeriod: MONTH });

const MOST_NAMED = 10;

/**
 * Returns notes on units that a reading no longer has, or of which most spend is gone, while the days stay. Throws `invalid` if
 * such a month has settled, unless the ingest accepts that.
 *
 * Less than 1 in the currency is no loss. Nor is spend that other units of the same cloud gained, because an account can be
 * renamed or moved. A unit that still has rows may lose up to half of its money, or less than 1 % of the source's month. Bills
 * are corrected and credited. Rows that moved to another billing period still count in the month of their day.
 *
 * @param lostDays days that the source has lost as a whole, which are reported by themselves (bill-shrink.ts).
 */
export async function checkUnits(
  session: Session,
  { orgId, sourceId, runId, acceptShrink }: LoadScope,
  units: SourceUnits,
  lostDays: readonly Day[] = [],
): Promise<string[]> {
  const parameters = { org: orgId, source: sourceId, run: runId };
  const periods = await session.query<{ billing_period: Day }>(
    changedPeriods(units.billingPeriod),
    parameters,
  );
  if (periods.length === 0) return [];
  const lost = await session.query<LostUnit>(lostUnits(units), {
    ...parameters,
    periods: periods.map(({ billing_period }) => billing_period),
    lost_days: [...lostDays],
  });
  const refused = lost.filter(({ settled }) => settled).map((one) => sentenceOf(units, one));
  if (refused.length > 0 && !acceptShrink)
    throw invalid(
      `${firstAndMore(refused, MOST_NAMED).join('; ')}, in settled months; nothing was loaded. ` +
        `Correct what the source reads, or start the ingest with accept_shrink to take it as it is`,
    );
  return firstAndMore(
    lost.map((one) => sentenceOf(units, one)),
    MOST_NAMED,
  );
}

interface LostUnit {
  settled: boolean;
  month: Day;
  name: string;
  cloud: string | null;
  before: DecimalText;
  after: DecimalText | null;
  currency: string;
}

function sentenceOf(
  { unit }: SourceUnits,
  { name, cloud, month, before, after, currency }: LostUnit,
): string {
  const named = `${unit} ${forMessage(name)}${cloud === null ? '' : ` of ${cloud}`}`;
  const had = `${toWire(before)} ${currency} in ${monthOf(month)}`;
  return after === null
    ? `the source no longer has ${named}, which had ${had}`
    : `${named} had ${had}, and has only ${toWire(after)} ${currency} left`;
}

/**
 * Returns the billing periods whose rows or total differ from those of the load before, or that had none, because spend may have
 * moved to them. The previous load is the newest of another run, so that a retried run finds the same.
 */
const changedPeriods = (billingPeriod: string): string => `
WITH totals AS (SELECT ${billingPeriod} AS billing_period, sum(cost) AS cost, sum(row_count) AS row_count FROM load_days GROUP BY ALL),
replaced AS (${REPLACED})
SELECT billing_period FROM totals LEFT JOIN replaced USING (billing_period)
WHERE cost IS DISTINCT FROM cost_total OR row_count <> rows_read
QUALIFY count(load_id) OVER () > 0`;

const REPLACED = `
  SELECT org_id, source_id, billing_period, load_id, cost_total, rows_read FROM loads
  WHERE org_id = $org AND source_id = $source AND run_id <> $run
  QUALIFY row_number() OVER (PARTITION BY billing_period ORDER BY load_id DESC) = 1`;

// Comparisons multiply, because a division of decimals gives a double. Days that are new do not show what became of a unit.
function lostUnits({ unit, staged, stored, billingPeriod }: SourceUnits): string {
  const byDay = `SELECT day, ${stored === 'cloud_spend' ? 'cloud' : 'CAST(NULL AS VARCHAR)'} AS cloud, ${unit} AS name, sum(cost) AS cost`;
  return `
WITH replaced AS (${REPLACED}),
earlier AS (
  ${byDay} FROM ${stored} SEMI JOIN replaced USING (org_id, source_id, billing_period, load_id)
  WHERE list_contains($periods::DATE[], billing_period) AND day IN (SELECT day FROM load_days)
    AND NOT list_contains($lost_days::DATE[], day)
  GROUP BY ALL),
later AS (${byDay} FROM ${staged} WHERE list_contains($periods::DATE[], ${billingPeriod}) GROUP BY ALL),
unit_days AS (
  SELECT day, cloud, name, cost AS earlier_cost, NULL AS later_cost, NULL AS later_on_known FROM earlier
  UNION ALL
  SELECT day, cloud, name, NULL, cost, CASE WHEN day IN (SELECT day FROM earlier) THEN cost END FROM later),
units AS (
  SELECT ${MONTH} AS month, cloud, name, COALESCE(sum(earlier_cost), 0) AS before, sum(later_cost) AS after,
    before - COALESCE(after, 0) AS loss, COALESCE(sum(later_on_known), 0) - before AS gain
  FROM unit_days GROUP BY ALL),
judged AS (
  SELECT *, before > 0 AND loss >= 1 AND (
      after IS NULL OR 2 * after < before AND 100 * loss >= sum(greatest(before, 0)) OVER (PARTITION BY month)) AS is_lost
  FROM units),
missing AS (
  SELECT month, cloud, sum(loss) FILTER (is_lost) - COALESCE(sum(gain) FILTER (gain > 0), 0) AS missing
  FROM judged GROUP BY ALL)
SELECT judged.month IN (SELECT month FROM settled_months WHERE org_id = $org) AS settled, judged.month, name, judged.cloud,
  before, after, (SELECT currency FROM organisations WHERE org_id = $org) AS currency
FROM judged JOIN missing ON missing.month = judged.month AND missing.cloud IS NOT DISTINCT FROM judged.cloud
WHERE is_lost AND 2 * missing >= loss
ORDER BY month, loss DESC, cloud, name`;
}
