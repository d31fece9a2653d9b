import { MOST_BYTES } from '../../../domain/shared/bigquery-query.ts';
import type { Month } from '../../../domain/shared/calendar.ts';
import { invalid } from '../../../domain/shared/errors.ts';
import { tableOfLocation } from '../../../domain/sources/table-location.ts';
import type { CostSourceOf } from '../../../warehouse/sources/cost-sources.ts';
import type { BillTable } from '../../../warehouse/sources/focus/tables/bill-table.ts';
import { billTableOf, collectedOf } from '../../../warehouse/sources/focus/tables/bill-tables.ts';
import {
  partitionProbe,
  periodOf,
  periodsQuery,
  type TablePeriod,
} from '../../../warehouse/sources/focus/tables/period-query.ts';
import type { CollectedKeys } from '../../../warehouse/sources/focus/tables/roll-up-query.ts';
import {
  candidatesToCollect,
  CLUSTER_CANDIDATES,
  type Candidate,
} from '../../../warehouse/sources/focus/values/collected-values.ts';
import type { Reading } from '../reading.ts';
import {
  columnsOfQuery,
  everything,
  resultOfQuery,
  tableAccess,
  wouldRun,
  type TableQueries,
} from './table-queries.ts';

export type TableSource = CostSourceOf<'focus' | 'gcp_billing'>;

/** A table of BigQuery, and what a run reads of it. */
export interface OpenedTable {
  queries: TableQueries;
  table: BillTable;
  candidates: readonly Candidate[];
  collected: CollectedKeys;
  /** Its billing periods in the months of the run, oldest first. */
  periods: TablePeriod[];
  /** When the newest line of the table was exported, in milliseconds since 1970; null if the table does not say. */
  exported: number | null;
}

/**
 * Finds out what a source's table has, by free dry runs and one query of a few columns.
 *
 * @throws ServiceError `invalid` without credentials, and for a table that is no bill of the source's kind.
 */
export async function openedTable(source: TableSource, reading: Reading): Promise<OpenedTable> {
  const { kind, location, options } = source;
  const { sessions, load, newestPeriods } = reading;
  const id = tableOfLocation(location);
  const queries = queriesOf(reading, options.max_bytes);
  const columns = await columnsOfQuery(everything(id), queries);
  const name = `${id.project}.${id.dataset}.${id.table}`;
  const table = billTableOf(kind, name, columns, options.cost_column);
  const hasClusters = options.kubernetes === 'labels';
  if (hasClusters) refuseOtherLabels(table);
  const candidates = [
    ...(await candidatesToCollect(sessions, load.orgId, load.now)),
    ...(hasClusters ? CLUSTER_CANDIDATES : []),
  ];
  const isPartitioned = await wouldRun(partitionProbe(table), queries);
  const found: TablePeriod[] = [];
  const query = periodsQuery(table, {
    isPartitioned,
    startMonth: load.startMonth,
    hasDays: newestPeriods !== undefined,
  });
  const { pages } = await resultOfQuery(query, 'the list of billing periods', queries);
  for await (const rows of pages) found.push(...rows.map(periodOf));
  const periods = found.filter(({ month }) => isWanted(month, load));
  if (periods.length === 0)
    throw invalid('location: the table has no lines of these months; nothing was loaded');
  const exported = found.reduce<number | null>(
    (newest, { exported: one }) => Math.max(newest ?? 0, one ?? 0) || null,
    null,
  );
  return { queries, table, candidates, collected: collectedOf(candidates), periods, exported };
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
  const asked = tableAccess(credentials, { bigQueryEndpoint, signal: attempt.signal });
  return { ...asked, runId: `cost-analytics-${load.runId}`, mostBytes };
}

/** Throws `invalid` if the labels of the table's lines are not a list, as Google writes it. */
function refuseOtherLabels({ tags }: BillTable): void {
  if (tags === null || !('entries' in tags))
    throw invalid(
      'options.kubernetes: expected a table whose labels or Tags are a repeated column of keys and values, as Google writes it; ' +
        'remove the option, or read that table',
    );
}

/** Lines without a billing period are of all months, because they must be reported. */
const isWanted = (
  month: Month | null,
  { startMonth, endMonth }: { startMonth: Month | null; endMonth: Month | null },
): boolean =>
  month === null ||
  ((startMonth === null || month >= startMonth) && (endMonth === null || month <= endMonth));
