import type { BillSample } from '../../../domain/sources/checks/bill-findings.ts';
import type { Statements } from '../../engine/session.ts';
import { nullable, quoted } from '../feeds/cells.ts';
import { billRelations, type BillFile } from '../bills/bill-relations.ts';
import { present, timeOf } from './focus-columns.ts';

/** Enough to see how an export writes its rows. */
const MOST_ROWS = 200_000;

const MOST_ACCOUNTS = 10;

/** Looks at the first rows of a bill's file. */
export async function sampleBill(reader: Statements, file: BillFile): Promise<BillSample | null> {
  const [relation] = billRelations([file], 'skipped');
  if (relation === undefined) return null;
  const [billing] = relation.columns.filter(({ name }) => name.trim().toLowerCase() === 'billingaccountid');
  const [sample] = await reader.query<{
    row_count: string;
    hourly: string;
    hours: number | null;
    long: string;
    accounts: (string | null)[] | null;
  }>(
    `WITH some_rows AS (
       SELECT ${timeOf(relation, 'period_start')} AS period_start, ${timeOf(relation, 'period_end')} AS period_end,
         ${billing === undefined ? 'CAST(NULL AS VARCHAR)' : nullable(`CAST(${quoted(billing.name)} AS VARCHAR)`)} AS billing_account
       FROM (FROM ${relation.from} LIMIT ${MOST_ROWS}))
     SELECT count(*) AS row_count, count_if(period_end - period_start <= INTERVAL 1 HOUR) AS hourly,
       count(DISTINCT period_start) FILTER (period_end - period_start <= INTERVAL 1 HOUR)
         / count(DISTINCT CAST(period_start AS DATE)) FILTER (period_end - period_start <= INTERVAL 1 HOUR) AS hours,
       count_if(period_end - period_start > INTERVAL 2 DAY) AS long,
       list(DISTINCT billing_account)[1:${MOST_ACCOUNTS}] AS accounts
     FROM some_rows`,
  );
  if (sample === undefined) return null;
  return {
    rows: Number(sample.row_count),
    hourlyRows: Number(sample.hourly),
    hoursOfDay: sample.hours ?? 0,
    longRows: Number(sample.long),
    billingAccounts: (sample.accounts ?? []).filter((account) => account !== null),
    hasTags: present(relation, 'tags').length > 0,
  };
}
