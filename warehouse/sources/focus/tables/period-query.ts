import type { BigQueryQuery } from '../../../../domain/shared/bigquery-query.ts';
import { addDays, addMonths, firstDay, type Day, type Month } from '../../../../domain/shared/calendar.ts';
import type { BillTable } from './bill-table.ts';
import { micros, named } from './google-sql.ts';

/** A billing period of a table, as it was when the table was asked. */
export interface TablePeriod {
  /** Null for lines without a billing period. */
  month: Month | null;
  /** Changes if lines are added, removed or restated. */
  version: string;
  /** When its newest line was exported, in milliseconds since 1970; null if the table does not say. */
  exported: number | null;
  /** The first day of its lines; null if nobody asked for it. */
  firstDay: Day | null;
  /** The days of the partitions that hold its lines; null if the table is not partitioned by the time of arrival. */
  partitions: { from: Day; through: Day } | null;
}

/** The pseudo column of tables that are partitioned by the time of arrival. New lines may have none yet. */
const PARTITION = '_PARTITIONTIME';

/** Returns a query that only a table with such partitions allows. A dry run of it is free. */
export const partitionProbe = ({ name }: BillTable): BigQueryQuery => ({
  query: `SELECT ${PARTITION} AS partition_time FROM ${named(name)} LIMIT 1`,
  parameters: [],
});

const midnight = (day: Day): string => `TIMESTAMP '${day} 00:00:00+00'`;

/** No invoice has a line that was exported more than a month before it began. */
const MONTHS_BEFORE = 1;

/**
 * Returns the query that says what a table has of each billing period: rows, their costs, and when the newest was exported. It reads
 * four columns at most, and of a partitioned table only what can be of the wanted months.
 *
 * @param startMonth the first wanted month; null for all.
 * @param hasDays whether it also reads the first day of each period, which is one more column.
 */
export function periodsQuery(
  table: BillTable,
  {
    isPartitioned,
    startMonth,
    hasDays,
  }: { isPartitioned: boolean; startMonth: Month | null; hasDays: boolean },
): BigQueryQuery {
  const { effectiveCost, billedCost, exportTime, month, chargeStart } = table;
  const costs = [effectiveCost, billedCost].map((cost) => cost?.amount ?? 'CAST(NULL AS BIGNUMERIC)');
  const day = (aggregate: string): string =>
    isPartitioned ? `CAST(DATE(${aggregate}(arrived)) AS STRING)` : 'CAST(NULL AS STRING)';
  const since =
    isPartitioned && startMonth !== null
      ? `\nWHERE ${PARTITION} >= ${midnight(firstDay(addMonths(startMonth, -MONTHS_BEFORE)))} OR ${PARTITION} IS NULL`
      : '';
  return {
    query: `SELECT month, COUNT(*) AS line_count, CAST(SUM(effective) AS STRING) AS effective, CAST(SUM(billed) AS STRING) AS billed,
  ${exportTime === null ? 'CAST(NULL AS INT64)' : 'MAX(exported)'} AS exported, ${day('MIN')} AS first_partition, ${day('MAX')} AS last_partition,
  ${hasDays ? 'CAST(DATE(MIN(charge_start)) AS STRING)' : 'CAST(NULL AS STRING)'} AS first_day
FROM (
  SELECT ${month} AS month, ${costs[0]} AS effective, ${costs[1]} AS billed${exportTime === null ? '' : `, ${micros(exportTime)} AS exported`}${isPartitioned ? `, ${PARTITION} AS arrived` : ''}${hasDays ? `, ${chargeStart} AS charge_start` : ''}
  FROM ${named(table.name)} AS bill${since})
GROUP BY month ORDER BY month`,
    parameters: [],
  };
}

/** Returns a row of {@link periodsQuery}. */
export function periodOf(cells: readonly (string | null)[]): TablePeriod {
  const [month = null, rows, effective, billed, exported, from = null, through = null, firstDay = null] =
    cells;
  return {
    month,
    version: [rows, effective, billed, exported].map((part) => part ?? '').join('|'),
    exported: exported == null ? null : Number(BigInt(exported) / 1000n),
    firstDay,
    partitions: from === null || through === null ? null : { from, through },
  };
}

/** Returns the condition that a line is of a period. A later partition has lines that came after the table was asked. */
export function isOfPeriod(table: BillTable, { month, partitions }: TablePeriod): string {
  const near = month === null ? null : table.nearMonth(month);
  return [
    month === null ? `${table.month} IS NULL` : `${table.month} = @month`,
    ...(near === null ? [] : [near]),
    ...(partitions === null
      ? []
      : [
          `(${PARTITION} >= ${midnight(partitions.from)} AND ${PARTITION} < ${midnight(addDays(partitions.through, 1))} OR ${PARTITION} IS NULL)`,
        ]),
  ].join(' AND ');
}
