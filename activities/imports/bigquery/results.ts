import type { ImportedValue } from '../../../domain/imports/imported-value.ts';
import { importedValueOf, type RunDays } from '../../../domain/imports/bigquery/query-rows.ts';
import {
  columnProblems,
  MOST_ROWS,
  tooManyRows,
  type QueryColumn,
} from '../../../domain/imports/bigquery/query-rules.ts';
import { invalid, Outage } from '../../../domain/shared/errors.ts';
import { columnsOf, resultsAnswer, type ResultRow } from './answers.ts';
import type { BigQueryAccess, BigQueryClient } from './client.ts';
import type { JobReference } from './job.ts';
import { answerTo } from './request.ts';

/** How to read a query's result. */
export interface ResultRules extends RunDays {
  labelled: boolean;
}

/** An answer is parsed and copied in one go. With this many rows, others in the process wait about 50 ms. */
const ROWS_PER_PAGE = 10_000;

/**
 * Returns the values of a finished job's result in pages, never all at once.
 *
 * @throws `invalid` for too many rows, before the first page, and for rows that are no values; Outage if the result ends early.
 */
export async function* resultOf(
  client: BigQueryClient,
  job: JobReference,
  rules: ResultRules,
  access: BigQueryAccess,
): AsyncGenerator<ImportedValue[], void, undefined> {
  let page = await pageAt(client, job, undefined, access);
  const { totalRows } = page;
  if (totalRows > MOST_ROWS) throw invalid(tooManyRows(totalRows));
  const valueOf = readerOf(columnsOf(page.schema), rules);
  for (let rowsRead = 0; ;) {
    const values = page.rows.map((row, index) => valueOf(row, rowsRead + index + 1));
    rowsRead += values.length;
    access.onProgress?.(rowsRead);
    const isBroken = rowsRead > totalRows || values.length === 0 || page.pageToken === undefined;
    const isLast = rowsRead === totalRows || isBroken;
    // BigQuery prepares the next page while the caller stores this one.
    const next = isLast ? null : pageAt(client, job, page.pageToken, access);
    // If the caller stops, nobody waits for it.
    next?.catch(() => undefined);
    if (values.length > 0) yield values;
    if (rowsRead === totalRows) return;
    if (next === null)
      throw new Outage(`BigQuery's result broke off: expected ${totalRows} rows, got ${rowsRead}`);
    page = await next;
  }
}

async function pageAt(
  client: BigQueryClient,
  { jobId, location }: JobReference,
  pageToken: string | undefined,
  access: BigQueryAccess,
) {
  const qs = {
    maxResults: ROWS_PER_PAGE,
    ...(location === undefined ? {} : { location }),
    ...(pageToken === undefined ? {} : { pageToken }),
  };
  const page = await answerTo(client, { uri: `/queries/${jobId}`, qs }, resultsAnswer, access);
  // An unfinished query would look like an empty result.
  if (!page.jobComplete) throw new Outage('BigQuery: the query is running again');
  return page;
}

function readerOf(
  columns: readonly QueryColumn[],
  rules: ResultRules,
): (row: ResultRow, number: number) => ImportedValue {
  const { labelled } = rules;
  // The tables may have changed since the dry run.
  const problems = columnProblems(columns, labelled);
  if (problems.length > 0) throw invalid(problems.join('; '));
  const names = columns.map(({ name }) => name.toLowerCase());
  const [day = -1, value = -1, label = -1] = ['day', 'value', 'label'].map((name) => names.indexOf(name));
  return ({ f }, number) => {
    const cells = { day: f[day]?.v, value: f[value]?.v };
    return importedValueOf(labelled ? { ...cells, label: f[label]?.v ?? null } : cells, number, rules);
  };
}
