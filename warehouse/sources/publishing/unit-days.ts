import { dayOf } from '../../../domain/shared/calendar.ts';
import type { UnitKind } from '../../../domain/sources/spend-sources.ts';
import type { Session } from '../../engine/session.ts';
import { sqlText } from '../../engine/sql/sql-text.ts';
import { storeRows, type Load } from './load.ts';

/** The rows from which the days of units are taken. */
export interface UnitRows {
  kind: UnitKind;
  /** The SQL of a unit's name. */
  unit: string;
  billingPeriod: string;
  /** The table, with the columns day and cost. */
  from: string;
  /** Which rows show that the unit has delivered their day. */
  counts: string;
}

/**
 * Stores the days on which each account, cluster, host or tool has rows of its own billing period, in `load_units`. Bit n of
 * `days` is day n + 1 of the month. It leaves out days that have not ended. A unit without counting rows has no day, so that a load
 * always has rows of its own.
 */
export async function storeUnitDays(session: Session, load: Load, rows: UnitRows): Promise<void> {
  await storeRows(session, load, 'load_units', unitDays(rows), { today: dayOf(load.now) });
}

const unitDays = ({ kind, unit, billingPeriod, from, counts }: UnitRows): string => `
WITH unit_rows AS (
  SELECT ${billingPeriod} AS billing_period, ${unit} AS unit, cost,
    CAST(1 AS BIGINT) << CAST(date_part('day', day) - 1 AS INTEGER) AS day_bit,
    COALESCE(${counts}, true) AND day < $today::DATE AND date_trunc('month', day) = date_trunc('month', ${billingPeriod}) AS is_own
  FROM ${from})
SELECT billing_period, ${sqlText(kind)} AS kind, unit, COALESCE(bit_or(day_bit) FILTER (is_own), 0) AS days,
  COALESCE(bit_or(day_bit) FILTER (is_own AND cost <> 0), 0) AS spend_days,
  COALESCE(sum(cost) FILTER (is_own), 0) AS cost
FROM unit_rows GROUP BY billing_period, unit`;
