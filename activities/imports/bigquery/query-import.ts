import type { ImportedValue } from '../../../domain/imports/imported-value.ts';
import type { RunDays } from '../../../domain/imports/bigquery/query-rows.ts';
import {
  queryProblems,
  queryTextProblems,
  type DryRunFacts,
  type QueryColumn,
} from '../../../domain/imports/bigquery/query-rules.ts';
import { invalid, ServiceError } from '../../../domain/shared/errors.ts';
import { MOST_BYTES, type QueryParameter } from '../../../domain/shared/bigquery-query.ts';
import {
  bigQueryClient,
  type BigQueryAccess,
  type BigQueryClient,
  type BigQueryConnection,
} from '../../shared/bigquery/client.ts';
import { dryRun, finishedJob } from '../../shared/bigquery/job.ts';
import { IMPORT_ADVICE } from './import-advice.ts';
import { importColumns, resultOf } from './results.ts';

/** A query import of a metric: the connection, the query and how to reach BigQuery. */
export interface QueryImport extends BigQueryConnection, BigQueryAccess {
  query: string;
  /** Whether the metric has a label key. */
  labelled: boolean;
}

/** A run of a query import. */
export interface QueryRun extends QueryImport, RunDays {
  /** Names the run, so that its next attempt finds the job of this one: letters, digits, dashes and underscores. */
  jobId: string;
}

/** What a check of a query import found. The query can run if there are no problems. */
export interface QueryCheck {
  /** Null if BigQuery could not estimate them. */
  bytesProcessed: number | null;
  columns: QueryColumn[];
  /** What to change, in sentences. They hold no credential. */
  problems: string[];
}

/**
 * Checks a query import by a free dry run (docs/concepts.md#daily-imports). BigQuery estimates the bytes for the days that are
 * given, so give those of the first run, which reads the most.
 *
 * @throws Outage if BigQuery is not available.
 */
export async function checkQuery(check: QueryImport & RunDays): Promise<QueryCheck> {
  const { query, labelled } = check;
  try {
    const { facts } = await tried(check);
    const { bytesProcessed, columns } = facts;
    return { bytesProcessed, columns, problems: queryProblems(query, facts, labelled) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // BigQuery names only the first problem that it finds.
    const problems = new Set([error.message, ...queryTextProblems(query)]);
    return { bytesProcessed: null, columns: [], problems: [...problems] };
  }
}

/**
 * Runs a query import, and returns its values in pages, in the order of the query (docs/concepts.md#daily-imports). A dry run
 * comes first, because it is free, and permissions or tables may have changed. An attempt with the same `jobId`, query and days
 * reads the result of the first, so that a run is billed once.
 *
 * @throws `invalid` if a person must act: the query, the key or a permission is wrong, or the result is no list of values; Outage if
 *   BigQuery is not available, or failed the job by no fault of the query; the signal's reason once it aborts.
 */
export async function* runQuery(run: QueryRun): AsyncGenerator<ImportedValue[], void, undefined> {
  const { client, facts, location, parameters } = await tried(run);
  const problems = queryProblems(run.query, facts, run.labelled);
  if (problems.length > 0) throw invalid(problems.join('; '));
  // One location for all attempts, because BigQuery knows a job's id only in its location.
  const { query, jobId: runId } = run;
  const access = { ...run, advice: IMPORT_ADVICE };
  const job = await finishedJob(
    client,
    { query, parameters, runId, location, mostBytes: MOST_BYTES },
    access,
  );
  yield* resultOf(client, job, run, access);
}

interface Tried {
  client: BigQueryClient;
  parameters: QueryParameter[];
  facts: DryRunFacts;
  /** Where BigQuery would run the query. */
  location: string | undefined;
}

async function tried(of: QueryImport & RunDays): Promise<Tried> {
  const client = bigQueryClient(of, of);
  const { query, start, end } = of;
  if (!/\S/.test(query)) throw invalid(queryTextProblems(query).join());
  const parameters: QueryParameter[] = [
    { name: 'start', type: 'DATE', value: start },
    { name: 'end', type: 'DATE', value: end },
  ];
  const found = await dryRun(client, { query, parameters }, { ...of, advice: IMPORT_ADVICE });
  const { columns, location } = found;
  return { client, parameters, facts: { ...found, columns: importColumns(columns) }, location };
}
