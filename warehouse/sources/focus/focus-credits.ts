import type { Day } from '../../../domain/shared/calendar.ts';
import { toWire, type DecimalText } from '../../../domain/shared/decimals.ts';
import type { Statements } from '../../engine/session.ts';
import { asWritten, nullable, quoted, writtenOut } from '../feeds/cells.ts';
import { STORED } from '../feeds/read-feed.ts';
import type { Shape } from '../feeds/scan-files.ts';
import { present } from './focus-columns.ts';

// Google lists the credits of a charge in x_Credits: a list of {name, amount, …}, in CSV as JSON.

const NO_CREDITS = 'CAST(NULL AS DECIMAL(38,15))';

/** Amounts that a sum of credits can hold. Others are no amounts of a bill. */
const LARGEST_CREDIT = 1e15;

/** Returns the SQL of the sum of a row's credits; null without credits, and for a text that is no list. */
export function creditsOf(file: Shape): string {
  const [column] = present(file, 'credits');
  if (column === undefined) return NO_CREDITS;
  const text = nullable(
    column.type === 'VARCHAR' ? asWritten(column) : writtenOut(`to_json(${quoted(column.name)})`),
  );
  // The test for an amount is quick, and most rows have none.
  return `CASE WHEN contains(${text}, '"amount"') AND json_valid(${text}) THEN TRY(list_sum(list_filter(
    list_transform(json_extract_string(${text}, '$[*].amount'), lambda cost_analytics_credit: TRY_CAST(cost_analytics_credit AS DECIMAL(38,15))),
    lambda cost_analytics_credit: abs(cost_analytics_credit) <= ${LARGEST_CREDIT}))) END`;
}

/**
 * Returns the aggregates of a group's credits.
 *
 * @param areGrouped whether the rows stand for several lines each.
 */
export function creditAggregates(files: readonly Shape[], areGrouped: boolean): string {
  if (!areGrouped && !files.some((file) => present(file, 'credits').length > 0))
    return `${NO_CREDITS} AS credits, 0 AS credit_rows`;
  return `sum(credits) AS credits, ${areGrouped ? 'CAST(sum(group_credit_rows) AS BIGINT)' : 'count_if(credits <> 0)'} AS credit_rows`;
}

const MOST_NOTES = 20;

/** Returns a note for each bill whose rows have credits. Only the cost columns count, whatever the credits are. */
export async function creditNotes(reader: Statements): Promise<string[]> {
  const bills = await reader.query<{
    billing_period: Day;
    cloud: string;
    currency: string;
    credits: DecimalText;
    credit_rows: string;
  }>(
    `SELECT billing_period, left(cloud, 80) AS cloud, left(currency, 80) AS currency, sum(credits) AS credits,
       CAST(sum(credit_rows) AS BIGINT) AS credit_rows
     FROM checked_groups WHERE ${STORED} AND credit_rows > 0 GROUP BY ALL ORDER BY ALL LIMIT ${MOST_NOTES}`,
  );
  return bills.map(
    ({ billing_period, cloud, currency, credits, credit_rows }) =>
      `billing period ${billing_period}: x_Credits has ${toWire(credits)} ${currency} of credits in ${credit_rows} rows of ${cloud}; ` +
      'only the cost column counts, so check that it has these credits',
  );
}
