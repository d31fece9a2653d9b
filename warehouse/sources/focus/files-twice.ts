import { STORED } from '../feeds/read-feed.ts';
import { areMostlySame, isSameAmount, resourceKey, unitsTwice } from '../publishing/charged-twice.ts';

/** How many numbers files can have. Two files with the same number are not compared, which is rare. */
const FILE_NUMBERS = 65_536;

const FILE_NUMBER = `CAST(hash(file) % ${FILE_NUMBERS} AS INTEGER)`;

/** The pass over Parquet reads no services. Their categories still tell most of them apart. */
const SERVICE_NUMBER = `(1 + CAST(hash(concat_ws('/', service, category)) % ${FILE_NUMBERS} AS INTEGER))`;

/**
 * What each group of a bill keeps to find out whether two files have the same amounts: the lowest and the highest number of its
 * files, a bit for each file, and the sum of its costs, each times the number of its file. Files as a group key would multiply the
 * groups. The same sums, each cost times the number of its service, tell equal prices of two services from equal charges.
 */
export const FILE_WEIGHTS = `sum(CAST(cost AS DOUBLE) * ${FILE_NUMBER}) AS file_weight, min(${FILE_NUMBER}) AS lowest_file,
  max(${FILE_NUMBER}) AS highest_file, bit_or(CAST(1 AS BIGINT) << (${FILE_NUMBER} % 62)) AS file_bits, sum(CAST(cost AS DOUBLE) * ${SERVICE_NUMBER}) AS service_cost,
  sum(CAST(cost AS DOUBLE) * ${SERVICE_NUMBER} * ${FILE_NUMBER}) AS service_weight`;

/** Returns the SQL of the part of a sum that the file `low` has, if only two files have it. */
const partOfLow = (sum: string, weight: string): string => `(${sum} * high - ${weight}) / (high - low)`;

/** The largest part of a cost that two files have by rounding of doubles only. */
const ROUNDING = 1e-6;

/** Each day on which two files have charges of an account, with what each of them has. */
const DAYS_OF_TWO = `
SELECT *, CAST(cost AS DOUBLE) - low_cost AS high_cost, service_cost - low_service AS high_service FROM (
  SELECT *, ${partOfLow('CAST(cost AS DOUBLE)', 'weight')} AS low_cost, ${partOfLow('service_cost', 'service_weight')} AS low_service
  FROM (
    SELECT billing_period, cloud || '/' || account AS unit, day, sum(cost) AS cost, sum(file_weight) AS weight,
      sum(service_weight) AS service_weight, sum(service_cost) AS service_cost, min(lowest_file) AS low, max(highest_file) AS high,
      bit_count(bit_or(file_bits)) AS file_count
    FROM checked_groups WHERE ${STORED} AND span_start IS NULL GROUP BY ALL)
  WHERE low < high)
WHERE least(abs(low_cost), abs(high_cost)) > ${ROUNDING} * abs(cost)`;

/** Whether both files have the same services: the mean of their numbers is the same to a hundredth of all numbers. */
const HAVE_SAME_SERVICES = `abs(low_service / low_cost - high_service / high_cost) * 100 <= ${FILE_NUMBERS}`;

/**
 * Selects the accounts of which two files of a bill have the same amount on enough days that both have. The exports of a payer and
 * of a member do. If both files name resources, and none is in both, then their prices are equal, and not their charges.
 */
export const ACCOUNTS_TWICE = `
WITH of_two AS (${DAYS_OF_TWO}),
found AS (${unitsTwice(
  `(SELECT *, file_count <= 2 AND ${isSameAmount('low_cost', 'high_cost')} AND ${HAVE_SAME_SERVICES} AS is_twice FROM of_two)`,
  areMostlySame,
)}),
resources AS (
  SELECT billing_period, month, unit, ${resourceKey('resource_id')} AS resource, min(lowest_file) AS low, max(highest_file) AS high
  FROM (
    SELECT *, cloud || '/' || account AS unit, CAST(date_trunc('month', day) AS DATE) AS month
    FROM checked_groups WHERE ${STORED} AND span_start IS NULL AND resource_id IS NOT NULL)
  SEMI JOIN found USING (billing_period, month, unit) GROUP BY ALL),
apart AS (
  SELECT billing_period, month, unit FROM resources GROUP BY ALL HAVING bool_and(low = high) AND count(DISTINCT low) > 1)
FROM found ANTI JOIN apart USING (billing_period, month, unit)`;
