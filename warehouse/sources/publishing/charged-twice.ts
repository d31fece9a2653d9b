import { copyToWarehouse, type LoadSessions } from '../../engine/readers/load-sessions.ts';
import type { Session, Statements } from '../../engine/session.ts';
import type { Parameters } from '../../engine/sql/parameters.ts';
import { sqlTexts } from '../../engine/sql/sql-text.ts';
import type { Relation } from '../feeds/scan-files.ts';
import { storeRows, type Load } from './load.ts';

/**
 * Returns the SQL aggregate of whether two sources or files have the same amounts on enough of the days that both have. A third
 * is enough, because clouds restate days. Less than three days can be the same by chance, unless both have no other days, as
 * where an old export ends and a new one begins.
 */
export const areMostlySame = (isSame: string): string =>
  `(count_if(${isSame}) >= least(3, count(*)) AND count_if(${isSame}) * 3 >= count(*))`;

/**
 * Returns the SQL of whether two amounts are the same, although one export may round: to a thousandth, or to a cent. Below ten
 * cents a cent is much, so that a tenth decides.
 */
export function isSameAmount(one: string, other: string): string {
  const larger = `greatest(abs(${one}), abs(${other}))`;
  return `abs(${one} - ${other}) * 1000 <= greatest(${larger}, least(10, 100 * ${larger}))`;
}

/** Returns the SQL of what an account's id means in its cloud: exports write it in any case, with a path or with hyphens. */
const accountKey = (account: string): string =>
  `COALESCE(NULLIF(regexp_replace(regexp_extract(lower(${account}), '([^/]*)/*$', 1), '[^\\p{L}\\p{N}]', '', 'g'), ''), ${account})`;

/** Returns the SQL of the same for a unit of a bill, `aws/1111`. */
export const accountOfUnit = (unit: string): string =>
  `split_part(${unit}, '/', 1) || '/' || ${accountKey(`substr(${unit}, strpos(${unit}, '/') + 1)`)}`;

/** Returns the SQL of a resource's own name. Exports write it with or without the path or the ARN before it. */
export const resourceKey = (resource: string): string => `regexp_extract(${resource}, '([^/:]*)[/:]*$', 1)`;

/** Returns the SQL of an amount in a sentence, without empty decimals: 310, or 26.5. */
export const amountInWords = (amount: string): string =>
  `regexp_replace(CAST(CAST(${amount} AS DECIMAL(38,15)) AS VARCHAR), '\\.?0+$', '')`;

/** Returns the SQL of `on 31 days from 2026-01-01 to 2026-01-31`, from the columns days, first_day and last_day. */
const DAYS_IN_WORDS = `CASE WHEN days = 1 THEN 'on 1 day, ' || first_day
    ELSE 'on ' || days || ' days from ' || first_day || ' to ' || last_day END`;

/**
 * Returns the statement that selects the units of one source whose charges stand twice in what it reads, by billing period and
 * month.
 *
 * @param unitDays a relation with billing_period, unit and day of charges, whether each `is_twice`, and the part of it that `counts_twice`.
 * @param how the SQL of what the source does, before the days: `has each line of host "web" twice`.
 * @param areEnough the aggregate that tells whether enough days stand twice.
 */
export const unitsTwice = (unitDays: string, how: string, areEnough = 'bool_or(is_twice)'): string => `
SELECT * FROM (
  SELECT billing_period, CAST(date_trunc('month', day) AS DATE) AS month, unit, ${how} AS how,
    CAST(sum(counts_twice) FILTER (is_twice) AS DECIMAL(38,15)) AS amount,
    count(DISTINCT day) FILTER (is_twice) AS days, min(day) FILTER (is_twice) AS first_day, max(day) FILTER (is_twice) AS last_day
  FROM ${unitDays} GROUP BY ALL HAVING ${areEnough})
WHERE amount <> 0`;

/** Creates `units_twice` of a reader, for what {@link addUnitsTwice} finds. */
export const createUnitsTwice = (reader: Statements): Promise<number> =>
  reader.run(`CREATE OR REPLACE TEMP TABLE units_twice (billing_period DATE, month DATE, unit VARCHAR, how VARCHAR,
    amount DECIMAL(38,15), days BIGINT, first_day DATE, last_day DATE)`);

/** Adds units of {@link unitsTwice}. A charge is in one doubt only, so that units stay as they were found first. */
export const addUnitsTwice = (
  reader: Statements,
  units: string,
  parameters: Parameters = {},
): Promise<number> =>
  reader.run(
    `INSERT INTO units_twice BY NAME
     SELECT * FROM (${units}) ANTI JOIN units_twice AS known USING (billing_period, month, unit)`,
    parameters,
  );

/**
 * Adds the units of files whose rows another delivery has, too, perhaps by chance, to `units_twice`.
 *
 * @param rows selects the rows of these files: file, billing_period, unit, day, cost.
 * @param line the words for a line: `line of host`.
 */
export async function addAlsoIn(
  reader: Statements,
  relations: readonly Relation[],
  {
    rows,
    line,
    parameters,
  }: { rows: (some: readonly Relation[]) => string; line: string; parameters?: Parameters },
): Promise<void> {
  const some = relations.filter(({ alsoIn = [] }) => alsoIn.length > 0);
  const names = some.flatMap(({ alsoIn = [] }) =>
    alsoIn.map(({ file, name, other }) => sqlTexts([file, name, other])),
  );
  if (names.length === 0) return;
  const charges = `(
    SELECT *, cost <> 0 AS is_twice, cost AS counts_twice
    FROM (${rows(some)}) JOIN (VALUES ${names.join(', ')}) AS also_in(file, name, other) USING (file))`;
  const how = `'has each ${line} ' || to_json(unit) || ' in ' || to_json(name) || ' and in ' || to_json(other)`;
  await addUnitsTwice(reader, unitsTwice(charges, how), parameters);
}

/** Copies `units_twice` to the warehouse. */
export const copyUnitsTwice = (sessions: LoadSessions): Promise<void> =>
  copyToWarehouse(sessions, 'units_twice', 'FROM units_twice');

/** The units of a feed: the SQL of a row's unit, and the words for a line (`line of host`). */
interface UnitLines {
  unit: string;
  line: string;
}

/**
 * Stores a doubt for each unit of the temporary table `units_twice`. Also keeps the doubts of the current load about units of which
 * a feed keeps days (carry-over.ts). So a file with new days only does not end them.
 *
 * @param kept the feeds that keep days, by the table of their days.
 */
export async function storeUnitsTwice(
  session: Session,
  load: Load,
  kept: { load_days?: UnitLines; asset_days?: UnitLines } = {},
): Promise<void> {
  await storeRows(
    session,
    load,
    'load_doubts',
    `SELECT billing_period, month, 'charges_twice' AS code, unit, amount,
       how || ' ' || ${DAYS_IN_WORDS} || ': ' || ${amountInWords('amount')} || ' counts twice' AS phrase
     FROM units_twice`,
  );
  for (const [table, { unit, line }] of Object.entries(kept))
    await storeRows(
      session,
      load,
      'load_doubts',
      `SELECT billing_period, month, code, unit, amount, phrase FROM load_doubts
       SEMI JOIN current_loads USING (org_id, source_id, load_id, billing_period)
       WHERE org_id = $org AND source_id = $source AND code = 'charges_twice' AND starts_with(phrase, 'has each ${line} ')
         AND (unit, month) IN (SELECT ${unit}, CAST(date_trunc('month', day) AS DATE) FROM ${table} WHERE row_count = 0)
         AND (unit, month) NOT IN (SELECT unit, month FROM units_twice)`,
    );
}
