import type { Day } from '../../../domain/shared/calendar.ts';
import { toWire, type DecimalText } from '../../../domain/shared/decimals.ts';
import type { Statements } from '../../engine/session.ts';
import { decimalCell } from '../feeds/cells.ts';
import { STORED } from '../feeds/read-feed.ts';
import { IS_SAME_COMMITMENT } from '../publishing/same-commitment.ts';
import type { Relation } from '../feeds/scan-files.ts';
import { cloudOf, present, textOf } from './focus-columns.ts';
import { monthParts } from './month-parts.ts';

// FOCUS spreads a commitment over the usage that it covers, in EffectiveCost. The EffectiveCost of its purchase is 0. Some exports
// repeat the purchase there, so that each of its dollars would count twice.

/** The key by which commitments are compared. Azure writes ids in any case. */
const commitmentKey = (commitment: string): string => `lower(trim(${commitment}))`;

/**
 * Creates the temporary table `amortised_commitments`: the commitments in `focus_roll_up` whose purchase has an EffectiveCost, and
 * whose usage has one, too. Only exports with such purchases are scanned again. All billing periods of the files count, so that a
 * run of some months decides like a run of all.
 */
export async function findAmortisedCommitments(
  reader: Statements,
  relations: readonly Relation[],
): Promise<void> {
  const purchased = `SELECT DISTINCT ${cloudOf('provider')} AS cloud, ${commitmentKey('purchased_commitment')} AS commitment
    FROM focus_roll_up WHERE purchased_commitment IS NOT NULL`;
  const [some] = await reader.query(`${purchased} LIMIT 1`);
  const scans = some === undefined ? [] : relations.flatMap(amortisedIn);
  await reader.run(
    `CREATE TEMP TABLE amortised_commitments AS ${
      scans.length === 0
        ? `${purchased} LIMIT 0`
        : `WITH purchased AS (${purchased})
           SELECT cloud, commitment FROM purchased SEMI JOIN (SELECT DISTINCT cloud, commitment FROM (${scans.join('\nUNION ALL\n')})) AS covering
           ON purchased.cloud = covering.cloud AND ${IS_SAME_COMMITMENT}`
    }`,
  );
}

/** Returns the scan of a relation's usage with a commitment and an EffectiveCost above 0; none if it lacks the columns. */
function amortisedIn(file: Relation): string[] {
  const [cost] = present(file, 'EffectiveCost');
  if (cost === undefined || present(file, 'commitment').length === 0) return [];
  return [
    `SELECT ${cloudOf(textOf(file, 'provider'))} AS cloud, ${commitmentKey(textOf(file, 'commitment'))} AS commitment
     FROM ${file.from}
     WHERE lower(${textOf(file, 'charge_category')}) = 'usage' AND ${decimalCell(cost)} > 0`,
  ];
}

/** Whether a group is a purchase whose commitment is amortised. The group must have its cloud. */
export const IS_AMORTISED_PURCHASE = `COALESCE(
  (cloud, ${commitmentKey('purchased_commitment')}) IN (SELECT cloud, commitment FROM temp.main.amortised_commitments), false)`;

/**
 * Selects what counted purchases cost in each month, and the commitments of usage. Doubts compare a purchase in one source with the
 * usage in another (doubts.ts). A group names the first and the last of its commitments: nearly always, it has
 * one.
 */
export const LOAD_COMMITMENTS = `
SELECT billing_period, month, cloud, account, ${commitmentKey('purchased_commitment')} AS commitment, sum(part) AS purchased
FROM ${monthParts(`(FROM checked_groups WHERE ${STORED} AND purchased_commitment IS NOT NULL AND purchase_cost IS NULL)`)} GROUP BY ALL
UNION ALL BY NAME
SELECT DISTINCT billing_period, cloud, ${commitmentKey('unnest([first_covering, last_covering])')} AS commitment
FROM (
  SELECT DISTINCT billing_period, cloud, first_covering, last_covering
  FROM checked_groups WHERE ${STORED} AND first_covering IS NOT NULL)`;

const MOST_NOTES = 20;

/** Returns a note for each bill with purchases that count 0, with their EffectiveCost. */
export async function purchaseNotes(reader: Statements): Promise<string[]> {
  const bills = await reader.query<{
    billing_period: Day;
    cloud: string;
    currency: string;
    cost: DecimalText;
    purchases: string;
    commitment: string;
  }>(
    `SELECT billing_period, left(cloud, 80) AS cloud, left(currency, 80) AS currency, sum(purchase_cost) AS cost,
       CAST(sum(row_count) AS BIGINT) AS purchases, left(min(purchased_commitment), 200) AS commitment
     FROM checked_groups WHERE ${STORED} AND purchase_cost IS NOT NULL
     GROUP BY ALL ORDER BY ALL LIMIT ${MOST_NOTES}`,
  );
  return bills.map(
    ({ billing_period, cloud, currency, cost, purchases, commitment }) =>
      `billing period ${billing_period}: purchases of commitments by ${cloud}, such as ${JSON.stringify(commitment)}, have an EffectiveCost ` +
      `of ${toWire(cost)} ${currency} (${purchases} rows), and so has usage of the same commitments: these purchases count 0`,
  );
}
