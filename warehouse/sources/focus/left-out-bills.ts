import type { Day } from '../../../domain/shared/calendar.ts';
import { toWire, type DecimalText } from '../../../domain/shared/decimals.ts';
import type { Queries, Session, Statements } from '../../engine/session.ts';
import { copyToWarehouse, type LoadSessions } from '../../engine/readers/load-sessions.ts';
import { FIRST_DAY, LAST_DAY, monthParts } from './month-parts.ts';
import { hasWantedDays, isWanted, readingBounds } from '../feeds/wanted-months.ts';
import { storeRows, type Load, type LoadScope } from '../publishing/load.ts';

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
export async function leftOutNotes(
  reader: Statements,
  session: Queries,
  scope: LoadScope,
): Promise<string[]> {
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
}

const MOST_NOTES = 20;

/** Selects the rows of these bills, with their days. */
const LEFT_OUT_ROWS = `
SELECT billing_period, currency, row_count, cost, day, span_start, span_end FROM checked_groups
WHERE NOT counts AND cost IS NOT NULL AND currency IS NOT NULL AND ${hasWantedDays(FIRST_DAY, LAST_DAY)}
  AND ${FIRST_DAY} IS NOT NULL AND billing_period <= $last_day::DATE`;

const LEFT_OUT = `
SELECT billing_period, left(currency, 80) AS currency, CAST(sum(row_count) AS BIGINT) AS row_count, sum(cost) AS cost
FROM (${LEFT_OUT_ROWS}) GROUP BY ALL ORDER BY billing_period, currency LIMIT ${MOST_NOTES}`;

/**
 * Stages what the bills outside the months of a run cost in these months, in the temporary table `left_out_months`.
 */
export async function stageLeftOut(
  sessions: LoadSessions,
  scope: LoadScope,
  currency: string,
): Promise<void> {
  await sessions.reader.run(`CREATE TEMP TABLE left_out_months AS ${LEFT_OUT_MONTHS}`, {
    ...readingBounds(scope),
    currency,
  });
  await copyToWarehouse(sessions, 'left_out_months', 'FROM left_out_months');
}

/** Stores what {@link stageLeftOut} found, with the month's own bill, or the first one of the load. */
export async function storeLeftOut(session: Session, load: Load): Promise<void> {
  await storeRows(
    session,
    load,
    'left_out_bills',
    `SELECT COALESCE(own.billing_period, (SELECT min(billing_period) FROM load_days)) AS billing_period, left_out_months.*
     FROM left_out_months LEFT JOIN (SELECT DISTINCT billing_period FROM load_days) AS own ON own.billing_period = month`,
  );
}

// The amount of another currency is not known in the organisation's.
const LEFT_OUT_MONTHS = `
SELECT billing_period AS left_out_period, month, CAST(sum(row_count) AS BIGINT) AS row_count,
  CASE WHEN bool_and(upper(currency) = $currency) THEN sum(part) END AS amount
FROM ${monthParts(`(${LEFT_OUT_ROWS})`)} WHERE ${isWanted('month')} GROUP BY ALL HAVING amount IS DISTINCT FROM 0`;
