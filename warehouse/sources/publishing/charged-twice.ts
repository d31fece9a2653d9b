import type { Session } from '../../engine/session.ts';
import { storeRows, type Load } from './load.ts';

/**
 * Returns the SQL aggregate of whether two sources or files have the same amounts on enough of the days that both have. A third
 * is enough, because clouds restate days. Less than three days can be the same by chance, unless both have no other days, as
 * where an old export ends and a new one begins.
 */
export const areMostlySame = (isSame: string): string =>
  `(count_if(${isSame}) >= least(3, count(*)) AND count_if(${isSame}) * 3 >= count(*))`;

/** Returns the same for lines of one file that stand twice. Few equal lines are normal, and a file has all lines twice or none. */
const areNearlyAllTwice = (isTwice: string): string =>
  `(count_if(${isTwice}) >= 3 AND count_if(${isTwice}) * 5 >= count(*) * 4)`;

/** Returns the same for lines without names, such as those of two seats. They are equal each day, unless the amounts of days differ. */
export const areNearlyAllTwiceAndDiffer = (isTwice: string): string =>
  `(${areNearlyAllTwice(isTwice)} AND count(DISTINCT cost) FILTER (${isTwice}) >= 3)`;

/**
 * Returns the SQL of whether two amounts are the same, although one export may round: to a thousandth, or to a cent. Below ten
 * cents a cent is much, so that a tenth decides.
 */
export const isSameAmount = (one: string, other: string): string => {
  const larger = `greatest(abs(${one}), abs(${other}))`;
  return `abs(${one} - ${other}) * 1000 <= greatest(${larger}, least(10, 100 * ${larger}))`;
};

/** Returns the SQL of what an account's id means in its cloud: exports write it in any case, with a path or with hyphens. */
export const accountKey = (account: string): string =>
  `COALESCE(NULLIF(regexp_replace(regexp_extract(lower(${account}), '([^/]*)/*$', 1), '[^\\p{L}\\p{N}]', '', 'g'), ''), ${account})`;

/** Returns the SQL of a resource's own name. Exports write it with or without the path or the ARN before it. */
export const resourceKey = (resource: string): string => `regexp_extract(${resource}, '([^/:]*)[/:]*$', 1)`;

/** Returns the SQL of an amount in a sentence, without empty decimals: 310, or 26.5. */
export const amountInWords = (amount: string): string =>
  `regexp_replace(CAST(CAST(${amount} AS DECIMAL(38,15)) AS VARCHAR), '\\.?0+$', '')`;

/** Returns the SQL of `on 31 days from 2026-01-01 to 2026-01-31`, from the columns days, first_day and last_day. */
const DAYS_IN_WORDS = `CASE WHEN days = 1 THEN 'on 1 day, ' || first_day
    ELSE 'on ' || days || ' days from ' || first_day || ' to ' || last_day END`;

/**
 * Returns the SQL aggregate of whether each line comes exactly twice; null without lines. More equal lines are normal: a feed may
 * have one for each hour of a day.
 */
export const isRepeated = (line = 'line'): string =>
  `NULLIF(count(${line}), 0) = 2 * count(DISTINCT ${line})`;

/**
 * Returns a relation for {@link unitsTwice}: the days of a table's units. A day stands twice if all of its lines with an amount do.
 */
const repeatedDays = (unit: string, table: string): string => `(
  SELECT CAST(date_trunc('month', day) AS DATE) AS billing_period, ${unit} AS unit, day, sum(cost) AS cost,
    bool_and(is_repeated) FILTER (cost <> 0) AS is_twice
  FROM ${table} GROUP BY ALL)`;

/**
 * Returns the statement that selects the units of one source whose charges stand twice in what it reads, by billing period and
 * month. Half of their amount counts twice.
 *
 * @param unitDays a relation with billing_period, unit, day and cost of the days that could stand twice, and `is_twice`.
 * @param areEnough the aggregate that tells whether enough days stand twice.
 */
export const unitsTwice = (unitDays: string, areEnough: (isTwice: string) => string): string => `
SELECT * FROM (
  SELECT billing_period, CAST(date_trunc('month', day) AS DATE) AS month, unit, CAST(sum(cost) FILTER (is_twice) / 2 AS DECIMAL(38,15)) AS amount,
    count(*) FILTER (is_twice) AS days, min(day) FILTER (is_twice) AS first_day, max(day) FILTER (is_twice) AS last_day
  FROM ${unitDays} WHERE cost <> 0 GROUP BY ALL
  HAVING ${areEnough('is_twice')})
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
 * @param unit the column of `table` with the unit.
 */
const doubtsOfKeptDays = (unit: string, table: string): string => `
SELECT billing_period, month, code, unit, amount, phrase FROM load_doubts
SEMI JOIN current_loads USING (org_id, source_id, load_id, billing_period)
WHERE org_id = $org AND source_id = $source AND code = 'charges_twice'
  AND (unit, month) IN (SELECT ${unit}, CAST(date_trunc('month', day) AS DATE) FROM ${table} WHERE row_count = 0)
  AND (unit, month) NOT IN (SELECT unit, month FROM units_twice)`;

/** A feed whose lines may stand twice in one file: the table of its days, their unit, and its words for a line (`line of host`). */
export interface RepeatedFeed {
  table: 'load_days' | 'asset_days';
  unit: string;
  line: string;
  /** The aggregate that tells whether enough days stand twice. */
  areEnough?: (isTwice: string) => string;
}

/** Creates the temporary table `units_twice` ({@link unitsTwice}) of a feed, before days of earlier loads join its table. */
export const findRepeated = async (
  session: Session,
  { table, unit, areEnough = areNearlyAllTwice }: RepeatedFeed,
): Promise<void> => {
  await session.run(`CREATE TEMP TABLE units_twice AS ${unitsTwice(repeatedDays(unit, table), areEnough)}`);
};

/** Stores the doubts of a feed whose lines stand twice, and those of days that it keeps. */
export const storeRepeated = async (
  session: Session,
  load: Load,
  { table, unit, line }: RepeatedFeed,
): Promise<void> => {
  await storeUnitsTwice(session, load, `'has each ${line} ' || to_json(unit) || ' twice'`);
  await storeRows(session, load, 'load_doubts', doubtsOfKeptDays(unit, table));
};
