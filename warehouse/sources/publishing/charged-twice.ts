import type { Session } from '../../engine/session.ts';
import { storeRows, type Load } from './load.ts';

/**
 * From how many equal days on, and from which part of all days that could be equal, the charges of a unit stand twice. A few days
 * can be the same by chance.
 */
export const FEWEST_SAME_DAYS = 3;
export const SAME_PART_OF_DAYS = 0.8;

/** Returns the SQL of an amount in a sentence, without empty decimals: 310, or 26.5. */
export const amountInWords = (amount: string): string =>
  `regexp_replace(CAST(CAST(${amount} AS DECIMAL(38,15)) AS VARCHAR), '\\.?0+$', '')`;

/** Returns the SQL of `on 31 days from 2026-01-01 to 2026-01-31`, from the columns days, first_day and last_day. */
const DAYS_IN_WORDS = `CASE WHEN days = 1 THEN 'on 1 day, ' || first_day
    ELSE 'on ' || days || ' days from ' || first_day || ' to ' || last_day END`;

/**
 * Returns the statement that selects the units of one source whose charges stand twice in what it reads, by billing period and
 * month. Half of their amount counts twice.
 *
 * @param unitDays a relation with billing_period, unit, day and cost of the days that could stand twice, and `is_twice`.
 */
export const unitsTwice = (unitDays: string): string => `
SELECT * FROM (
  SELECT billing_period, CAST(date_trunc('month', day) AS DATE) AS month, unit, CAST(sum(cost) FILTER (is_twice) / 2 AS DECIMAL(38,15)) AS amount,
    count(*) FILTER (is_twice) AS days, min(day) FILTER (is_twice) AS first_day, max(day) FILTER (is_twice) AS last_day
  FROM ${unitDays} WHERE cost <> 0 GROUP BY ALL
  HAVING count(*) FILTER (is_twice) >= ${FEWEST_SAME_DAYS} AND count(*) FILTER (is_twice) >= ${SAME_PART_OF_DAYS} * count(*))
WHERE amount <> 0`;

/**
 * Stores a doubt for each unit of the temporary table `units_twice` ({@link unitsTwice}).
 *
 * @param how what the source does, before the days: `has each line of host "web" twice`.
 */
export const storeUnitsTwice = async (session: Session, load: Load, how: string): Promise<void> => {
  await storeRows(
    session,
    load,
    'load_doubts',
    `SELECT billing_period, month, 'charges_twice' AS code, unit, amount,
       ${how} || ' ' || ${DAYS_IN_WORDS} || ': ' || ${amountInWords('amount')} || ' counts twice' AS phrase
     FROM units_twice`,
  );
};

/**
 * Selects the doubts of the current load about units of which days are kept (carry-over.ts). So a file with new days only does
 * not end them.
 *
 * @param unit the column of `load_days` with the unit.
 */
export const doubtsOfKeptDays = (unit: string): string => `
SELECT billing_period, month, code, unit, amount, phrase FROM load_doubts
SEMI JOIN current_loads USING (org_id, source_id, load_id, billing_period)
WHERE org_id = $org AND source_id = $source AND code = 'charges_twice'
  AND (unit, month) IN (SELECT ${unit}, CAST(date_trunc('month', day) AS DATE) FROM load_days WHERE row_count = 0)
  AND (unit, month) NOT IN (SELECT unit, month FROM units_twice)`;
