import { STORED } from '../feeds/read-feed.ts';
import { lineOf, type Relation } from '../feeds/scan-files.ts';
import { CAN_REPEAT, lineSums, type RepeatedFeed } from '../publishing/lines-twice.ts';
import { accountOf, cloudOf, idOf, textOf, timeOf } from './focus-columns.ts';

/** What each group of a bill keeps to find repeated lines. Lines of equal costs and services can still differ. */
export const LINE_SUMS = lineSums('hash(cost, service, category)');

/** The same columns of groups whose lines are not known. */
export const NO_LINES = 'CAST(NULL AS UBIGINT) AS line_bits, CAST(NULL AS BIGINT) AS line_thirds';

/** The accounts of a bill. Lines of two files are compared apart (files-twice.ts). */
const ACCOUNT_DAYS = `
SELECT billing_period, cloud || '/' || account AS unit, day, sum(cost) AS cost,
  ${CAN_REPEAT} AND min(lowest_file) = max(highest_file) AS can_repeat
FROM checked_groups WHERE ${STORED} AND span_start IS NULL GROUP BY ALL`;

/** Returns how to find repeated lines of a bill. A resource can have two equal lines, and hardly three pairs of them. */
export const repeatedLines = (relations: readonly Relation[]): RepeatedFeed => ({
  days: ACCOUNT_DAYS,
  lines: `SELECT cloud || '/' || ${idOf('account')} AS unit, day, line, is_named FROM (${relations
    .map(
      (file) => `SELECT ${cloudOf(textOf(file, 'provider'))} AS cloud, ${accountOf(file)} AS account,
        CAST(${timeOf(file, 'period_start')} AS DATE) AS day, ${lineOf(file)} AS line, ${textOf(file, 'resource')} IS NOT NULL AS is_named
      FROM ${file.from}`,
    )
    .join(' UNION ALL ')})`,
  line: 'line of account',
  fewestNamed: 3,
  tellsWholeDays: true,
});
