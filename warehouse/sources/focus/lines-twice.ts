import type { Statements } from '../../engine/session.ts';
import { STORED } from '../feeds/read-feed.ts';
import { lineOf, type Relation } from '../feeds/scan-files.ts';
import { areNearlyAllTwiceAndDiffer, unitsTwice } from '../publishing/charged-twice.ts';
import { accountOf, cloudOf, idOf, textOf, timeOf } from './focus-columns.ts';

/** What each group of a bill keeps to find lines that stand twice. Equal hashes cancel out, so that no line needs a group. */
export const LINE_BITS = 'bit_xor(hash(cost, service, category)) AS line_bits';

/** Selects accounts of which nearly each line of a file comes an even number of times. */
const repeatedAccounts = (also = 'true'): string =>
  unitsTwice(
    `(SELECT *, is_repeated AND ${also} AS is_twice FROM (
      SELECT billing_period, cloud || '/' || account AS unit, day, sum(cost) AS cost,
        bool_and(line_bits = 0) FILTER (cost <> 0) AND min(lowest_file) = max(highest_file) AS is_repeated
      FROM checked_groups WHERE ${STORED} AND span_start IS NULL GROUP BY ALL))`,
    areNearlyAllTwiceAndDiffer,
  );

/**
 * Creates `lines_twice`, the accounts that have each line twice in one file. Lines of equal costs and services can differ in other
 * columns. So the files are read again if an account seems to have them, and whole lines are compared: hashes of equal lines cancel out.
 */
export const findLinesTwice = async (reader: Statements, relations: readonly Relation[]): Promise<void> => {
  await reader.run(`CREATE TEMP TABLE lines_twice AS ${repeatedAccounts()}`);
  const [some] = await reader.query('FROM lines_twice LIMIT 1');
  if (some === undefined) return;
  const scans = relations.map(
    (file) => `SELECT ${cloudOf(textOf(file, 'provider'))} AS cloud, ${accountOf(file)} AS account,
      CAST(${timeOf(file, 'period_start')} AS DATE) AS day, ${lineOf(file)} AS line FROM ${file.from}`,
  );
  await reader.run(`CREATE TEMP TABLE whole_lines AS
    SELECT unit, day FROM (SELECT cloud || '/' || ${idOf('account')} AS unit, day, line FROM (${scans.join(' UNION ALL ')}))
    GROUP BY ALL HAVING bit_xor(line) = 0`);
  await reader.run(
    `CREATE OR REPLACE TEMP TABLE lines_twice AS ${repeatedAccounts('(unit, day) IN (FROM whole_lines)')}`,
  );
};
