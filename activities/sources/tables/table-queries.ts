import { gigabytes, type BigQueryColumn, type BigQueryQuery } from '../../../domain/shared/bigquery-query.ts';
import type { Credentials } from '../../../domain/sources/credentials.ts';
import type { BillTableName } from '../../../domain/sources/table-location.ts';
import { invalid, ServiceError } from '../../../domain/shared/errors.ts';
import { bigQueryClient, type BigQueryAccess, type BigQueryClient } from '../../shared/bigquery/client.ts';
import { dryRun, finishedJob } from '../../shared/bigquery/job.ts';
import { SOURCE_ADVICE } from './source-advice.ts';
import { resultPages, type ResultPage } from '../../shared/bigquery/result-pages.ts';

/** How the queries of a run are sent. */
export interface TableQueries {
  client: BigQueryClient;
  access: BigQueryAccess;
  /** Names the run, so that its next attempt finds the jobs of this one. */
  runId: string;
  /** The most bytes that each query may bill. */
  mostBytes: number;
}

/** Returns how a service account asks about the tables of a source. Each query runs in the account's own project. */
export function tableAccess(
  { service_account: key }: Extract<Credentials, { type: 'google' }>,
  { bigQueryEndpoint, signal }: { bigQueryEndpoint: string | undefined; signal: AbortSignal },
): Pick<TableQueries, 'client' | 'access'> {
  const access = { apiEndpoint: bigQueryEndpoint, signal, advice: SOURCE_ADVICE };
  return { client: bigQueryClient({ projectId: key.project_id, credentials: key }, access), access };
}

/** Returns the query of a whole table, of which only the columns are asked. */
export const everything = ({ project, dataset, table }: BillTableName): BigQueryQuery => ({
  query: `SELECT * FROM \`${project}.${dataset}.${table}\` LIMIT 1`,
  parameters: [],
});

/** Returns the columns of a query's result, by a free dry run. */
export const columnsOfQuery = async (
  query: BigQueryQuery,
  { client, access }: Pick<TableQueries, 'client' | 'access'>,
): Promise<BigQueryColumn[]> => (await dryRun(client, query, access)).columns;

const NOT_VALID = SOURCE_ADVICE.invalidQuery;

/** Returns whether BigQuery finds a query valid, by a free dry run. */
export const wouldRun = (query: BigQueryQuery, queries: TableQueries): Promise<boolean> =>
  columnsOfQuery(query, queries).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ServiceError && error.message.startsWith(NOT_VALID)) return false;
      throw error;
    },
  );

/** The rows of a page: a text or null for each column. */
type PageRows = (string | null)[][];

/** The result of a query, and the bytes that the query has processed by BigQuery's estimate. */
interface QueryResult {
  bytes: number;
  pages: AsyncGenerator<PageRows, void, undefined>;
}

/**
 * Runs a query, and returns its result in pages. A dry run comes first, so that nothing is billed above the cap. If an
 * earlier attempt of the run started the query, its result is read.
 *
 * @param what what the query reads, for messages.
 * @throws `invalid` for a query above the cap, and if a person must act; Outage if BigQuery is not available.
 */
export async function resultOfQuery(
  query: BigQueryQuery,
  what: string,
  { client, access, runId, mostBytes }: TableQueries,
): Promise<QueryResult> {
  const { bytesProcessed, location } = await dryRun(client, query, access);
  if (bytesProcessed !== null && bytesProcessed > mostBytes)
    throw invalid(
      `options.max_bytes: expected ${what} to process at most ${gigabytes(mostBytes)} (${mostBytes} bytes) in BigQuery, got ` +
        `${gigabytes(bytesProcessed)} (${bytesProcessed} bytes): raise options.max_bytes, or read a table that is partitioned by day; ` +
        'nothing was loaded and nothing was billed for it',
    );
  const job = await finishedJob(client, { ...query, runId, location, mostBytes }, access);
  return { bytes: bytesProcessed ?? 0, pages: textsOf(resultPages(client, job, access)) };
}

async function* textsOf(pages: AsyncIterable<ResultPage>): AsyncGenerator<PageRows, void, undefined> {
  for await (const { rows } of pages)
    yield rows.map(({ f }) => f.map(({ v }) => (typeof v === 'string' ? v : null)));
}
