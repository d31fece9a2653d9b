import type { Day } from '../../../domain/shared/calendar.ts';
import { toWire, type DecimalText } from '../../../domain/shared/decimals.ts';
import type { Session, Statements } from '../../engine/session.ts';
import type { LoadScope } from '../publishing/load.ts';
import { hasWantedDays, readingBounds } from '../feeds/wanted-months.ts';

/** A bill outside the months of a run, with rows that have days in them. */
interface LeftOutBill {
  billing_period: Day;
  currency: string;
  row_count: string;
  cost: DecimalText;
}

/**
 * Returns notes on bills outside the months of a run whose rows have days in them. The months would lack these rows. A bill that
 * an earlier run has loaded stays as it is, so that nothing is missing.
 */
export const leftOutNotes = async (
  reader: Statements,
  session: Pick<Session, 'query'>,
  scope: LoadScope,
): Promise<string[]> => {
  if (scope.startMonth === null && scope.endMonth === null) return [];
  const bills = await reader.query<LeftOutBill>(LEFT_OUT, readingBounds(scope));
  if (bills.length === 0) return [];
  const loaded = await session.query<{ billing_period: Day }>(
    'SELECT billing_period FROM current_loads WHERE org_id = $org AND source_id = $source',
    { org: scope.orgId, source: scope.sourceId },
  );
  const known = new Set(loaded.map(({ billing_period }) => billing_period));
  return bills
    .filter(({ billing_period }) => !known.has(billing_period))
    .map(
      ({ billing_period, row_count, cost, currency }) =>
        `billing period ${billing_period} is outside the months of this run and was never loaded, but ${row_count} of its rows, ` +
        `${toWire(cost)} ${currency} in all, have days in these months: load ${billing_period.slice(0, 7)}, too`,
    );
};

const MOST_NOTES = 20;

const LEFT_OUT = `
SELECT billing_period, left(currency, 80) AS currency, CAST(sum(row_count) AS BIGINT) AS row_count, sum(cost) AS cost
FROM (
  SELECT billing_period, currency, row_count, cost, COALESCE(CAST(span_start AS DATE), day) AS first_day,
    COALESCE(CAST(span_end - INTERVAL 1 MICROSECOND AS DATE), day) AS last_day
  FROM checked_groups WHERE NOT counts AND cost IS NOT NULL AND currency IS NOT NULL)
WHERE ${hasWantedDays('first_day', 'last_day')} AND first_day IS NOT NULL AND billing_period <= $last_day::DATE
GROUP BY ALL ORDER BY billing_period, currency LIMIT ${MOST_NOTES}`;
