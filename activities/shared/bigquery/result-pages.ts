import { Outage } from '../../../domain/shared/errors.ts';
import type { BigQueryColumn } from '../../../domain/shared/bigquery-query.ts';
import { resultsAnswer, type ResultRow } from './answers.ts';
import type { BigQueryAccess, BigQueryClient } from './client.ts';
import type { JobReference } from './job.ts';
import { answerTo } from './request.ts';

/** A page of a result. */
export interface ResultPage {
  rows: ResultRow[];
  columns: BigQueryColumn[];
  /** How many rows the whole result has. */
  totalRows: number;
  /** How many rows the pages before this one had. */
  rowsBefore: number;
}

/** An answer is parsed and copied in one go. With this many rows, others in the process wait about 50 ms. */
const ROWS_PER_PAGE = 10_000;

/**
 * Returns the pages of a finished job's result, one after the other. The first one may be empty.
 *
 * @throws Outage if the result ends early.
 */
export async function* resultPages(
  client: BigQueryClient,
  job: JobReference,
  access: BigQueryAccess,
): AsyncGenerator<ResultPage, void, undefined> {
  let page = await pageAt(client, job, undefined, access);
  const { totalRows, schema: columns = [] } = page;
  for (let rowsRead = 0; ;) {
    const rowsBefore = rowsRead;
    const { rows } = page;
    rowsRead += rows.length;
    access.onProgress?.(rowsRead);
    const isBroken = rowsRead > totalRows || rows.length === 0 || page.pageToken === undefined;
    const isLast = rowsRead === totalRows || isBroken;
    // BigQuery prepares the next page while the caller stores this one.
    const next = isLast ? null : pageAt(client, job, page.pageToken, access);
    // If the caller stops, nobody waits for it.
    next?.catch(() => undefined);
    yield { rows, columns, totalRows, rowsBefore };
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
