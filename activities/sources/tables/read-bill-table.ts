import { MOST_BYTES, type BigQueryQuery } from '../../../domain/shared/bigquery-query.ts';
import { dayOf, monthOf, type Month } from '../../../domain/shared/calendar.ts';
import { systemClock } from '../../../domain/shared/clock.ts';
import { invalid } from '../../../domain/shared/errors.ts';
import { dayWritten } from '../../../domain/sources/exports/day-written.ts';
import { tableOfLocation } from '../../../domain/sources/table-location.ts';
import type { CostSourceOf } from '../../../warehouse/sources/cost-sources.ts';
import { stageFocus } from '../../../warehouse/sources/focus/focus-load.ts';
import type { BillTable } from '../../../warehouse/sources/focus/tables/bill-table.ts';
import { billTableOf, collectedOf } from '../../../warehouse/sources/focus/tables/bill-tables.ts';
import { gkeNotes } from '../../../warehouse/sources/focus/tables/gke-labels.ts';
import {
  partitionProbe,
  periodOf,
  periodsQuery,
  type TablePeriod,
} from '../../../warehouse/sources/focus/tables/period-query.ts';
import { rollUpQuery, valuesQuery } from '../../../warehouse/sources/focus/tables/roll-up-query.ts';
import {
  appendGroups,
  openTableRows,
  tableFile,
} from '../../../warehouse/sources/focus/tables/table-rows.ts';
import {
  CLUSTER_CANDIDATES,
  candidatesToCollect,
} from '../../../warehouse/sources/focus/values/collected-values.ts';
import type { StagedLoad } from '../../../warehouse/sources/publishing/load.ts';
import { bigQueryClient } from '../../shared/bigquery/client.ts';
import type { Reading } from '../reading.ts';
import { SOURCE_ADVICE } from './source-advice.ts';
import { columnsOfQuery, everything, pagesOf, wouldRun, type TableQueries } from './table-queries.ts';

type TableSource = CostSourceOf<'focus' | 'gcp_billing'>;

/**
 * Reads a bill in a table of BigQuery, and stages it like a file (docs/data-formats.md#tables-of-bigquery). BigQuery groups the lines
 * of each billing period, so that only groups travel. Each query is a job of the run, so that another attempt reads its result.
 */
export async function readBillTable(source: TableSource, reading: Reading): Promise<StagedLoad> {
  const { location, options } = source;
  const { sessions, load, currency, attempt } = reading;
  const named = tableOfLocation(location);
  const queries = queriesOf(reading, options.max_bytes);
  const name = `${named.project}.${named.dataset}.${named.table}`;
  const columns = await columnsOfQuery(everything(named), queries);
  const table = billTableOf(source.kind, name, columns, options.cost_column);
  const isPartitioned = await wouldRun(partitionProbe(table), queries);
  const hasClusters = options.kubernetes === 'labels';
  if (hasClusters) refuseOtherLabels(table);
  const candidates = [
    ...(await candidatesToCollect(sessions, load.orgId, load.now)),
    ...(hasClusters ? CLUSTER_CANDIDATES : []),
  ];
  const collected = collectedOf(candidates);
  const found = await periodsOf(periodsQuery(table, { isPartitioned, startMonth: load.startMonth }), queries);
  const periods = found.filter(({ month }) => isWanted(month, load));
  const listedFrom = newestCompleteMonth(periods, monthOf(dayOf(load.now)));
  const [first] = periods;
  if (first === undefined)
    throw invalid(`location: the table has no lines of these months; nothing was loaded`);
  await openTableRows(sessions.reader, {
    table_groups: rollUpQuery(table, first, collected),
    table_values: valuesQuery(table, first),
  });
  let rowsRead = 0;
  const append = async (
    into: 'table_groups' | 'table_values',
    file: string,
    query: BigQueryQuery,
    what: string,
  ) => {
    for await (const rows of pagesOf(query, what, queries)) {
      await appendGroups(sessions.reader, into, file, rows);
      rowsRead += rows.length;
      attempt.report(rowsRead);
    }
  };
  const files = [];
  for (const period of periods) {
    attempt.signal.throwIfAborted();
    const path = `${location}#${period.month ?? 'no month'}`;
    const what =
      period.month === null ? 'the lines without a billing period' : `billing period ${period.month}`;
    await append('table_groups', path, rollUpQuery(table, period, collected), what);
    if (period.month !== null && period.month >= listedFrom)
      await append(
        'table_values',
        path,
        valuesQuery(table, period),
        `the tags and services of ${period.month}`,
      );
    files.push(
      tableFile(table, period, collected, {
        path,
        delivery: location,
        writtenOn: writtenOn(period, load.now),
      }),
    );
  }
  const notes = await gkeNotes(sessions.reader, hasClusters);
  const staged = await stageFocus(sessions, load, {
    files,
    costColumn: options.cost_column,
    currency,
    candidates,
  });
  return { ...staged, notes: [...notes, ...staged.notes] };
}

/** Throws `invalid` if the labels of the table's lines are not a list, as Google writes it. */
function refuseOtherLabels({ tags }: BillTable): void {
  if (tags === null || !('entries' in tags))
    throw invalid(
      'options.kubernetes: expected a table whose labels or Tags are a repeated column of keys and values, as Google writes it; ' +
        'remove the option, or read that table',
    );
}

function queriesOf(
  { load, attempt, credentials, bigQueryEndpoint }: Reading,
  mostBytes: number = MOST_BYTES,
): TableQueries {
  if (credentials?.type !== 'google')
    throw invalid(
      'credentials: expected a service account of Google Cloud, because a table of BigQuery is read with the credentials of its source: ' +
        'store {"type": "google", "service_account": …}',
    );
  const { service_account: key } = credentials;
  const access = { apiEndpoint: bigQueryEndpoint, signal: attempt.signal, advice: SOURCE_ADVICE };
  const client = bigQueryClient({ projectId: key.project_id, credentials: key }, access);
  return { client, access, runId: `cost-analytics-${load.runId}`, mostBytes };
}

async function periodsOf(query: BigQueryQuery, queries: TableQueries): Promise<TablePeriod[]> {
  const periods: TablePeriod[] = [];
  for await (const rows of pagesOf(query, 'the list of billing periods', queries))
    periods.push(...rows.map(periodOf));
  return periods;
}

/** Lines without a billing period are of all months, because they must be reported. */
const isWanted = (
  month: Month | null,
  { startMonth, endMonth }: { startMonth: Month | null; endMonth: Month | null },
): boolean =>
  month === null ||
  ((startMonth === null || month >= startMonth) && (endMonth === null || month <= endMonth));

/** Lists of what bills can be divided by are never read of earlier months (spend-options.ts). */
const newestCompleteMonth = (periods: readonly TablePeriod[], running: Month): Month =>
  periods
    .flatMap(({ month }) => month ?? [])
    .filter((month) => month < running)
    .reduce((newest, month) => (month > newest ? month : newest), '');

const writtenOn = ({ exported }: TablePeriod, now: Date) => dayWritten([exported], now, systemClock.now());
