import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { BigQueryColumn, BigQueryQuery, QueryParameter } from '../../../domain/shared/bigquery-query.ts';
import { invalid } from '../../../domain/shared/errors.ts';
import { jobAnswer, type JobError } from './answers.ts';
import type { BigQueryAccess, BigQueryClient } from './client.ts';
import { isPassing, refused } from './failures.ts';
import { answerTo, isDuplicate } from './request.ts';

/** What a dry run reports, and where BigQuery would run the query. */
export interface DryRun {
  /** Null if BigQuery names none. */
  statementType: string | null;
  /** Null if BigQuery gives no estimate. */
  bytesProcessed: number | null;
  columns: BigQueryColumn[];
  /** Parameters that the query uses and that were not given. */
  undeclared: string[];
  location: string | undefined;
}

/** A job of BigQuery. Without its location, BigQuery finds only jobs in `US` and `EU`. */
export interface JobReference {
  jobId: string;
  location: string | undefined;
}

/** A query that a run starts as a job. */
export interface QueryRun extends BigQueryQuery {
  /** Names the run: letters, digits, dashes and underscores. */
  runId: string;
  location: string | undefined;
  /** BigQuery refuses a query that would bill more. */
  mostBytes: number;
}

/** Stops a query that never ends, in ms from its creation. Reading 10 GB takes minutes at most. */
const JOB_TIMEOUT_MS = 30 * 60_000;

/** Jobs that one run may start for a query, if BigQuery fails all of them. */
const MOST_JOBS = 5;

/** Asks BigQuery about a query, free of charge (docs/concepts.md#daily-imports). */
export async function dryRun(
  client: BigQueryClient,
  of: BigQueryQuery,
  access: BigQueryAccess,
): Promise<DryRun> {
  const { location } = client;
  // With the cache, a dry run would report 0 bytes for a query that someone ran before.
  const configuration = { dryRun: true, query: { ...queryOf(of), useQueryCache: false } };
  const job = await inserted(client, { location }, configuration, access);
  if (job.status.errorResult !== undefined) throw refused(job.status.errorResult, access.advice);
  const { totalBytesProcessed, query: facts } = job.statistics ?? {};
  return {
    statementType: facts?.statementType ?? null,
    bytesProcessed: totalBytesProcessed ?? null,
    columns: facts?.schema ?? [],
    undeclared: (facts?.undeclaredQueryParameters ?? []).map(({ name }) => name),
    location: job.jobReference?.location ?? location,
  };
}

/**
 * Runs the query as a job, and waits for its end. If an earlier attempt of the run started the job, it waits for that one, so
 * that a run is billed once (docs/design.md#platforms). Only a job that failed by no fault of the query is replaced by another.
 *
 * @throws `invalid` or Outage if the job failed; a new attempt after an Outage starts the next job.
 */
export async function finishedJob(
  client: BigQueryClient,
  run: QueryRun,
  access: BigQueryAccess,
): Promise<JobReference> {
  const configuration = {
    jobTimeoutMs: JOB_TIMEOUT_MS.toString(),
    query: { ...queryOf(run), maximumBytesBilled: run.mostBytes.toString() },
  };
  for (let number = 1; number <= MOST_JOBS; number += 1) {
    const job = { jobId: jobIdOf(run, number), location: run.location };
    const isNew = await inserted(client, job, configuration, access).then(
      () => true,
      (error: unknown) => {
        if (isDuplicate(error)) return false;
        throw error;
      },
    );
    const failure = await failureAtEnd(client, job, access);
    if (failure === undefined) return job;
    if (isNew || !isPassing(failure.reason)) throw refused(failure, access.advice);
  }
  throw invalid(
    `BigQuery failed the query ${MOST_JOBS} times by no fault of the query: start another run later`,
  );
}

function inserted(
  client: BigQueryClient,
  job: Partial<JobReference>,
  configuration: object,
  access: BigQueryAccess,
) {
  const json = { jobReference: { projectId: client.projectId, ...job }, configuration };
  return answerTo(client, { method: 'POST', uri: '/jobs', json }, jobAnswer, access);
}

const queryOf = ({ query, parameters }: BigQueryQuery) => ({
  query,
  useLegacySql: false,
  parameterMode: 'NAMED',
  queryParameters: parameters.map(written),
});

const written = ({ name, type, value }: QueryParameter) => ({
  name,
  parameterType: { type },
  parameterValue: { value },
});

const FIRST_POLL_MS = 200;
const LONGEST_POLL_MS = 5_000;

/** Waits for the end of a job. Returns why it failed, or undefined. */
async function failureAtEnd(
  client: BigQueryClient,
  { jobId, location }: JobReference,
  access: BigQueryAccess,
): Promise<JobError | undefined> {
  const request = { uri: `/jobs/${jobId}`, qs: location === undefined ? {} : { location } };
  for (let wait = access.pollMs ?? FIRST_POLL_MS; ; wait = Math.min(wait * 2, LONGEST_POLL_MS)) {
    const { status } = await answerTo(client, request, jobAnswer, access);
    access.onProgress?.(0);
    if (status.state === 'DONE') return status.errorResult;
    // The next request notices an abort.
    await pause(wait, undefined, { signal: access.signal }).catch(() => undefined);
  }
}

/** BigQuery allows 1024 characters. */
const RUN_ID = /^[\w-]{1,900}$/;

/**
 * Returns the id of a run's job. It has a hash of the query and its parameters, because the job of another query must never pass
 * for this one.
 */
function jobIdOf({ runId, query, parameters }: QueryRun, number: number): string {
  if (!RUN_ID.test(runId)) throw new TypeError('jobId: expected letters, digits, dashes and underscores');
  const values = parameters.map(({ value }) => value);
  const hash = createHash('sha256')
    .update(JSON.stringify([query, ...values]))
    .digest('hex')
    .slice(0, 16);
  return `${runId}-${hash}${number === 1 ? '' : `-${number}`}`;
}
