import { STORED } from '../feeds/read-feed.ts';
import { unitsTwice } from '../publishing/charged-twice.ts';

/** How many numbers files can have. Two files with the same number are not compared, which is rare. */
const FILE_NUMBERS = 65_536;

const FILE_NUMBER = `CAST(hash(file) % ${FILE_NUMBERS} AS INTEGER)`;

/**
 * What each group of a bill keeps to find out whether two files have the same amounts: the lowest and the highest number of its
 * files, and the sum of its costs, each times the number of its file. Files as a group key would multiply the groups.
 */
export const FILE_WEIGHTS = `sum(CAST(cost AS DOUBLE) * ${FILE_NUMBER}) AS file_weight, min(${FILE_NUMBER}) AS lowest_file,
  max(${FILE_NUMBER}) AS highest_file`;

/** The largest difference of doubles that are equal, as a part of them. */
const ROUNDING = 1e-10;

/**
 * Selects the accounts of which two files of a bill have the same amount on most days that both have, as a payer's and a member's
 * export do. If the files i and j have the same cost, then the weight is half of all costs, times i + j.
 */
export const ACCOUNTS_TWICE = unitsTwice(`(
  SELECT billing_period, unit, day, cost,
    abs(2 * weight - CAST(cost AS DOUBLE) * (low + high)) <= ${ROUNDING} * abs(CAST(cost AS DOUBLE)) * (low + high) AS is_twice
  FROM (
    SELECT billing_period, cloud || '/' || account AS unit, day, sum(cost) AS cost, sum(file_weight) AS weight,
      min(lowest_file) AS low, max(highest_file) AS high
    FROM checked_groups WHERE ${STORED} AND span_start IS NULL GROUP BY ALL)
  WHERE low < high)`);
