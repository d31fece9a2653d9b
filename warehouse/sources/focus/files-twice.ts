import { STORED } from '../feeds/read-feed.ts';
import { unitsTwice } from '../publishing/charged-twice.ts';

/** How many numbers files can have. Two files with the same number are not compared, which is rare. */
const FILE_NUMBERS = 65_536;

const FILE_NUMBER = `CAST(hash(file) % ${FILE_NUMBERS} AS INTEGER)`;

/** The pass over Parquet reads no services. Their categories still tell most of them apart. */
const SERVICE_NUMBER = `(1 + CAST(hash(concat_ws('/', service, category)) % ${FILE_NUMBERS} AS INTEGER))`;

/**
 * What each group of a bill keeps to find out whether two files have the same amounts: the lowest and the highest number of its
 * files, and the sum of its costs, each times the number of its file. Files as a group key would multiply the groups. The same
 * sums, each cost times the number of its service, tell equal prices of two services from equal charges.
 */
export const FILE_WEIGHTS = `sum(CAST(cost AS DOUBLE) * ${FILE_NUMBER}) AS file_weight, min(${FILE_NUMBER}) AS lowest_file,
  max(${FILE_NUMBER}) AS highest_file, sum(CAST(cost AS DOUBLE) * ${SERVICE_NUMBER}) AS service_cost,
  sum(CAST(cost AS DOUBLE) * ${SERVICE_NUMBER} * ${FILE_NUMBER}) AS service_weight`;

/** The largest difference of doubles that are equal, as a part of them. */
const ROUNDING = 1e-10;

/** Whether two files, low and high, have half of a cost each, by the sum of its parts times the numbers of their files. */
const isHalved = (weight: string, cost: string): string =>
  `abs(2 * ${weight} - ${cost} * (low + high)) <= ${ROUNDING} * abs(${cost}) * (low + high)`;

/**
 * Selects the accounts of which two files of a bill have the same amount on most days that both have. The exports of a payer and
 * of a member do. If the files i and j have the same cost, then the weight is half of all costs, times i + j.
 */
export const ACCOUNTS_TWICE = unitsTwice(`(
  SELECT billing_period, unit, day, cost,
    ${isHalved('weight', 'CAST(cost AS DOUBLE)')} AND ${isHalved('service_weight', 'service_cost')} AS is_twice
  FROM (
    SELECT billing_period, cloud || '/' || account AS unit, day, sum(cost) AS cost, sum(file_weight) AS weight,
      sum(service_weight) AS service_weight, sum(service_cost) AS service_cost, min(lowest_file) AS low, max(highest_file) AS high
    FROM checked_groups WHERE ${STORED} AND span_start IS NULL GROUP BY ALL)
  WHERE low < high)`);
