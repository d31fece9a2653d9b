import type { Statements } from '../../engine/session.ts';
import { sqlTexts } from '../../engine/sql/sql-text.ts';
import { dropTemporaryTables } from '../../engine/sql/temporary-tables.ts';
import { billRelations, type BillFile } from '../bills/bill-relations.ts';
import { STORED } from '../feeds/read-feed.ts';
import type { Relation } from '../feeds/scan-files.ts';
import {
  accountOfUnit,
  addUnitsTwice,
  areMostlySame,
  isSameAmount,
  resourceKey,
  unitsTwice,
} from '../publishing/charged-twice.ts';
import { fileDays, type ReadBill } from './file-days.ts';
import { textOf } from './focus-columns.ts';

/** How many numbers files can have. Two files with the same number are not compared, which is rare. */
const FILE_NUMBERS = 65_536;

const FILE_NUMBER = `CAST(hash(file) % ${FILE_NUMBERS} AS INTEGER)`;

/** The pass over Parquet reads no services. Their categories still tell most of them apart. */
const serviceNumber = (service: string, category: string): string =>
  `(1 + CAST(hash(concat_ws('/', ${service}, ${category})) % ${FILE_NUMBERS} AS INTEGER))`;

const SERVICE_NUMBER = serviceNumber('service', 'category');

/** A sum of bits counts two files as one in 5 % of three. All of these sums do so in one of 150,000. */
const FILE_BITS = [57, 59, 61, 62];

/** Returns the SQL of the count of files by their bits. */
const fileCount = (bits: (of: number) => string): string =>
  `greatest(${FILE_BITS.map((of) => `bit_count(${bits(of)})`).join(', ')})`;

/**
 * What each group of a bill keeps beside the lowest and the highest number of its files. It tells whether two deliveries have the
 * same amounts. It has bits of each file, and the sum of its costs, each times the number of its file. Files as a group key would
 * multiply the groups. The same sums, each cost times the number of its service, tell equal prices of two services from equal charges.
 */
const FILE_WEIGHTS = `sum(CAST(cost AS DOUBLE) * ${FILE_NUMBER}) AS file_weight, ${FILE_BITS.map((of) => `bit_or(CAST(1 AS BIGINT) << (${FILE_NUMBER} % ${of})) AS file_bits_${of}`).join(', ')}, sum(CAST(cost AS DOUBLE) * ${SERVICE_NUMBER}) AS service_cost,
  sum(CAST(cost AS DOUBLE) * ${SERVICE_NUMBER} * ${FILE_NUMBER}) AS service_weight`;

/** Whether files are of several deliveries. Only these are compared. */
const haveDeliveries = (files: readonly BillFile[]): boolean =>
  new Set(files.map(({ path, delivery = path }) => delivery)).size > 1;

/** Returns what each group keeps of its files, a comma after each. Each aggregate takes time in every row, so that one file has none. */
export const fileAggregates = (files: readonly BillFile[]): string =>
  (files.length === 1
    ? '0 AS lowest_file, 0 AS highest_file, '
    : `min(${FILE_NUMBER}) AS lowest_file, max(${FILE_NUMBER}) AS highest_file, `) +
  (haveDeliveries(files) ? `${FILE_WEIGHTS}, ` : '');

/** Returns the SQL of the part of a sum that the file `low` has, if only two files have it. */
const partOfLow = (sum: string, weight: string): string => `(${sum} * high - ${weight}) / (high - low)`;

/** The largest part of a cost that two files have by rounding of doubles only. */
const ROUNDING = 1e-6;

/** Each day on which two or more files have charges of an account. If two have, also what each of them has. */
const DAYS_OF_SEVERAL = `
SELECT *, CAST(cost AS DOUBLE) - low_cost AS high_cost, service_cost - low_service AS high_service FROM (
  SELECT *, ${partOfLow('CAST(cost AS DOUBLE)', 'weight')} AS low_cost, ${partOfLow('service_cost', 'service_weight')} AS low_service
  FROM (
    SELECT billing_period, account_key, day, sum(cost) AS cost, sum(file_weight) AS weight,
      sum(service_weight) AS service_weight, sum(service_cost) AS service_cost, min(lowest_file) AS low, max(highest_file) AS high,
      ${fileCount((of) => `bit_or(file_bits_${of})`)} AS file_count
    FROM (SELECT *, ${accountOfUnit("(cloud || '/' || account)")} AS account_key FROM checked_groups WHERE ${STORED} AND span_start IS NULL)
    GROUP BY ALL)
  WHERE low < high)
WHERE file_count > 2 OR least(abs(low_cost), abs(high_cost)) > ${ROUNDING} * abs(cost)`;

/** Whether two files have the same services: the mean of their numbers is the same to a hundredth of all numbers. */
const haveSameServices = (one: string, other: string): string =>
  `abs(${one} - ${other}) * 100 <= ${FILE_NUMBERS}`;

/** A second reading of more rows takes long. */
const MOST_ROWS = 1_000_000;

/** Files with equal amounts have the same mean number on each of these days. That of other files differs by more than this. */
const SAME_MEAN = FILE_NUMBERS / 2000;

const MAY_ALL_BE_EQUAL = `count(*) OVER (PARTITION BY billing_period, date_trunc('month', day), account_key, file_count > 2, round(weight / cost / ${SAME_MEAN})) * 3
  >= count(*) OVER (PARTITION BY billing_period, date_trunc('month', day), account_key)`;

/**
 * Selects the accounts of which files may have the same amounts. The groups tell what each of two files has. Of more files they tell
 * only whether all can be equal. Parts of a large export without a manifest are not, so that it is not read again.
 */
const perhapsTwice = (rowsElsewhere: number): string => `
SELECT account_key FROM (
  SELECT *, CASE WHEN file_count > 2 THEN ${MAY_ALL_BE_EQUAL} OR (SELECT sum(row_count) FROM checked_groups) + ${rowsElsewhere} <= ${MOST_ROWS}
    ELSE ${isSameAmount('low_cost', 'high_cost')} AND ${haveSameServices('low_service / low_cost', 'high_service / high_cost')} END AS is_equal
  FROM (${DAYS_OF_SEVERAL}))
GROUP BY billing_period, date_trunc('month', day), account_key HAVING ${areMostlySame('is_equal')}`;

const SMALLER =
  'CASE WHEN older.cost < 0 THEN greatest(older.cost, newer.cost) ELSE least(older.cost, newer.cost) END';

/** Selects the days on which two deliveries have charges of one account, and whether these are equal. */
const COMMON_DAYS = `
WITH days AS (
  SELECT billing_period, account_key, unit, delivery, day, sum(cost) AS cost, sum(CAST(cost AS DOUBLE) * service) / CAST(sum(cost) AS DOUBLE) AS service,
    CAST(sum(cost) AS DOUBLE) AS amount
  FROM file_days WHERE NOT spans_days GROUP BY ALL HAVING sum(cost) <> 0)
SELECT billing_period, account_key, CAST(date_trunc('month', day) AS DATE) AS month, day, newer.unit, older.unit AS other_unit,
  newer.delivery, older.delivery AS other, ${SMALLER} AS smaller,
  ${isSameAmount('older.amount', 'newer.amount')} AND ${haveSameServices('older.service', 'newer.service')} AS is_equal
FROM days AS older JOIN days AS newer USING (billing_period, account_key, day) WHERE older.delivery < newer.delivery
-- An account of another name is meant only if none has the same name.
QUALIFY older.unit = newer.unit
  OR NOT bool_or(older.unit = newer.unit) OVER (PARTITION BY older.delivery, newer.delivery, billing_period, account_key, day)`;

/** Selects charges that an earlier delivery has, too, each once. */
const CHARGES_TWICE = `
SELECT *, true AS is_twice, smaller AS counts_twice FROM common_days SEMI JOIN pairs USING (billing_period, month, unit, other_unit, delivery, other)
WHERE is_equal QUALIFY row_number() OVER (PARTITION BY billing_period, unit, delivery, day ORDER BY other, other_unit) = 1`;

const HOW = `'has account ' || to_json(min(unit)) || ' with the same amounts in '
  || CASE count(DISTINCT delivery) + 1 WHEN 2 THEN 'two' WHEN 3 THEN 'three' ELSE 'several' END || ' files'
  || CASE WHEN bool_and(unit = other_unit) THEN '' ELSE ', and one calls it ' || to_json(min(other_unit)) || ',' END`;

/**
 * Adds the accounts of which deliveries of a bill have the same amount on enough days that both have, to `units_twice`. The exports
 * of a payer and of a member do. If both name resources, and none is in both, then their prices are equal, and not their charges.
 *
 * @param rowsElsewhere the rows of the source that this reading leaves out.
 */
export async function findFilesTwice(
  reader: Statements,
  files: readonly BillFile[],
  bill: ReadBill,
  rowsElsewhere: number,
): Promise<void> {
  if (!haveDeliveries(files)) return;
  const accounts = await reader.query<{ account_key: string }>(
    `SELECT DISTINCT account_key FROM (${perhapsTwice(rowsElsewhere)})`,
  );
  if (accounts.length === 0) return;
  await dropTemporaryTables(reader, TABLES);
  const relations = billRelations(files, 'skipped');
  const names = files.map(({ opened, path, delivery = path }) => sqlTexts([opened, delivery])).join(', ');
  const delivered = (days: string): string => `
    SELECT * FROM (SELECT *, ${accountOfUnit('unit')} AS account_key FROM (${days}))
    JOIN (VALUES ${names}) AS delivered(file, delivery) USING (file) WHERE account_key IN ${sqlTexts(accounts.map(({ account_key }) => account_key))}`;
  await reader.run(
    `CREATE TEMP TABLE file_days AS ${delivered(fileDays(relations, bill, { service: (file) => serviceNumber(textOf(file, 'service'), textOf(file, 'category')) }))}`,
  );
  await reader.run(`CREATE TEMP TABLE common_days AS ${COMMON_DAYS}`);
  await reader.run(`CREATE TEMP TABLE pairs AS
    SELECT billing_period, month, account_key, unit, other_unit, delivery, other FROM common_days
    GROUP BY ALL HAVING ${areMostlySame('is_equal')}`);
  const [some] = await reader.query('FROM temp.main.pairs LIMIT 1');
  if (some !== undefined) {
    const resource = (file: Relation): string => `lower(${resourceKey(textOf(file, 'resource'))})`;
    await reader.run(`CREATE TEMP TABLE file_resources AS
      SELECT DISTINCT billing_period, CAST(date_trunc('month', day) AS DATE) AS month, unit, delivery, resource
      FROM (${delivered(fileDays(relations, bill, { resource }))}) WHERE resource IS NOT NULL`);
    await reader.run(APART);
    await addUnitsTwice(reader, unitsTwice(`(${CHARGES_TWICE})`, HOW));
  }
  await dropTemporaryTables(reader, TABLES);
}

const TABLES = ['file_days', 'common_days', 'pairs', 'file_resources'];

const isOf = (resources: string, unit: string, delivery: string): string =>
  ['billing_period', 'month'].map((key) => `${resources}.${key} = pairs.${key} AND `).join('') +
  `${resources}.unit = pairs.${unit} AND ${resources}.delivery = pairs.${delivery}`;

/** Deletes pairs of which both deliveries name resources, and none is in both. */
const APART = `
DELETE FROM pairs WHERE EXISTS (FROM file_resources AS own WHERE ${isOf('own', 'unit', 'delivery')})
  AND EXISTS (FROM file_resources AS their WHERE ${isOf('their', 'other_unit', 'other')})
  AND NOT EXISTS (
    FROM file_resources AS own JOIN file_resources AS their USING (billing_period, month, resource)
    WHERE ${isOf('own', 'unit', 'delivery')} AND ${isOf('their', 'other_unit', 'other')})`;
