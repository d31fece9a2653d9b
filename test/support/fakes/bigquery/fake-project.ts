import type { Day } from '../../../../domain/shared/calendar.ts';

/** A column of a result, with the type as the API names it. */
export interface FakeColumn {
  name: string;
  type: string;
  mode?: string;
}

/** A query text that the project knows. */
export interface FakeQuery {
  columns: FakeColumn[];
  /** The rows of the days from `start` to `end`, both inclusive. A cell is a text or null. */
  rows: (start: Day, end: Day) => (string | null)[][];
  /** Default: 1,000,000. */
  bytes?: number;
  /** Default: SELECT. */
  statementType?: string;
  /** The parameters in the text. Default: start and end. */
  parameters?: string[];
  /** What BigQuery says about the query instead. */
  error?: FakeError;
}

export interface FakeError {
  status: number;
  reason: string;
  message: string;
}

export interface FakeJob {
  id: string;
  location: string;
  query: string;
  configuration: JobConfiguration;
  /** Questions about the job after which it ends. Infinity: it runs until {@link FakeProject.release}. */
  pollsLeft: number;
  error: FakeError | null;
  rows: (string | null)[][];
  columns: FakeColumn[];
}

export interface JobConfiguration {
  dryRun?: boolean;
  jobTimeoutMs?: string;
  query: {
    query: string;
    useLegacySql?: boolean;
    useQueryCache?: boolean;
    maximumBytesBilled?: string;
    parameterMode?: string;
    queryParameters?: {
      name: string;
      parameterType: { type: string };
      parameterValue: { value?: unknown };
    }[];
  };
}

/** Runs queries that the project does not know (fake-tables.ts). */
interface QueryRunner {
  plan: (
    query: string,
    parameters: NonNullable<JobConfiguration['query']['queryParameters']>,
    rules: { isDryRun: boolean },
  ) => Promise<FakeQuery>;
}

/** What the API answers: a resource, or an error. */
export type Answer = { resource: Record<string, unknown> } | { error: FakeError };

const refusal = (status: number, reason: string, message: string): Answer => ({
  error: { status, reason, message },
});

/** A project of BigQuery with its queries and jobs. Its state is that of one location. */
export class FakeProject {
  readonly id: string;
  location = 'EU';
  readonly queries = new Map<string, FakeQuery>();
  /** Run all other queries. */
  tables: QueryRunner | null = null;
  readonly permissions = new Set(['bigquery.jobs.create', 'bigquery.tables.getData']);
  readonly jobs = new Map<string, FakeJob>();
  /** Jobs that were started, in order, without dry runs. An id occurs twice only if the fake is wrong. */
  readonly started: string[] = [];
  dryRuns = 0;
  /** For new jobs: the questions after which they end. */
  polls = 0;
  /** For new jobs: how they fail. Each new job takes the first. */
  readonly failures: FakeError[] = [];
  mostRowsPerPage = 100_000;

  constructor(id: string) {
    this.id = id;
  }

  /** Lets all jobs end. */
  release(): void {
    this.polls = 0;
    for (const job of this.jobs.values()) job.pollsLeft = 0;
  }

  /** jobs.insert */
  async insert(body: {
    jobReference?: { jobId?: string; location?: string };
    configuration: JobConfiguration;
  }): Promise<Answer> {
    const { jobReference, configuration } = body;
    const { query, useLegacySql, queryParameters = [] } = configuration.query;
    if (!this.permissions.has('bigquery.jobs.create')) {
      return refusal(
        403,
        'accessDenied',
        `Access Denied: Project ${this.id}: User does not have bigquery.jobs.create permission in project ${this.id}.`,
      );
    }
    const isDryRun = configuration.dryRun === true;
    const known = this.queries.get(query) ?? (await this.tables?.plan(query, queryParameters, { isDryRun }));
    if (known === undefined || useLegacySql !== false)
      return refusal(400, 'invalidQuery', 'Syntax error: Unexpected identifier "SELEC" at [1:1]');
    if (known.error !== undefined) return { error: known.error };
    if (!this.permissions.has('bigquery.tables.getData')) {
      return refusal(
        403,
        'accessDenied',
        `Access Denied: Table ${this.id}:shop.orders: User does not have permission to query table ${this.id}:shop.orders, or perhaps it does not exist.`,
      );
    }
    const values = new Map(queryParameters.map((given) => [given.name.toLowerCase(), given]));
    for (const { name, parameterType, parameterValue } of values.values()) {
      if (parameterType.type === 'DATE' && !/^\d{4}-\d\d-\d\d$/.test(String(parameterValue.value)))
        return refusal(400, 'invalid', `Invalid value for DATE parameter ${name}`);
    }
    const undeclared = (known.parameters ?? ['start', 'end']).filter(
      (name) => !values.has(name.toLowerCase()),
    );
    if (isDryRun) {
      this.dryRuns += 1;
      return { resource: this.#dryRun(known, configuration, undeclared) };
    }
    if (undeclared.length > 0)
      return refusal(400, 'invalidQuery', `Query parameter '${undeclared.join()}' not found at [1:20]`);
    const id = jobReference?.jobId ?? `generated-${this.started.length}`;
    if (this.jobs.has(id))
      return refusal(409, 'duplicate', `Already Exists: Job ${this.id}:${this.location}.${id}`);
    const day = (name: string): Day => String(values.get(name)?.parameterValue.value);
    const job: FakeJob = {
      id,
      location: this.location,
      query,
      configuration,
      pollsLeft: this.polls,
      error: this.failures.shift() ?? this.#overLimit(known, configuration),
      rows: known.rows(day('start'), day('end')),
      columns: known.columns,
    };
    this.jobs.set(id, job);
    this.started.push(id);
    return { resource: this.#resource(job) };
  }

  /** jobs.get */
  job(id: string, location: string | null): Answer {
    const job = this.#found(id, location);
    if (job === undefined) return this.#missing(id, location);
    job.pollsLeft -= 1;
    return { resource: this.#resource(job) };
  }

  /** jobs.cancel */
  cancel(id: string, location: string | null): Answer {
    const job = this.#found(id, location);
    if (job === undefined) return this.#missing(id, location);
    job.pollsLeft = 0;
    job.error = {
      status: 400,
      reason: 'stopped',
      message: 'Job execution was cancelled: User requested cancellation',
    };
    return { resource: { kind: 'bigquery#jobCancelResponse', job: this.#resource(job) } };
  }

  /** jobs.getQueryResults */
  results(id: string, query: URLSearchParams): Answer {
    const job = this.#found(id, query.get('location'));
    if (job === undefined) return this.#missing(id, query.get('location'));
    const jobReference = { projectId: this.id, jobId: id, location: job.location };
    const kind = 'bigquery#getQueryResultsResponse';
    if (job.pollsLeft > 0) {
      job.pollsLeft -= 1;
      return { resource: { kind, jobReference, jobComplete: false } };
    }
    if (job.error !== null) return { error: job.error };
    const first = Number((query.get('pageToken') ?? 'row-0').slice('row-'.length));
    const most = Math.min(Number(query.get('maxResults') ?? this.mostRowsPerPage), this.mostRowsPerPage);
    const rows = job.rows.slice(first, first + most);
    const next = first + rows.length;
    return {
      resource: {
        kind,
        jobReference,
        jobComplete: true,
        totalRows: job.rows.length.toString(),
        totalBytesProcessed: '0',
        cacheHit: false,
        schema: { fields: job.columns },
        ...(rows.length > 0 ? { rows: rows.map((cells) => ({ f: cells.map((v) => ({ v })) })) } : {}),
        ...(next < job.rows.length ? { pageToken: `row-${next}` } : {}),
      },
    };
  }

  #found(id: string, location: string | null): FakeJob | undefined {
    const job = this.jobs.get(id);
    const isAnywhere = location === null && ['US', 'EU'].includes(this.location);
    return isAnywhere || location === job?.location ? job : undefined;
  }

  #missing(id: string, location: string | null): Answer {
    return refusal(404, 'notFound', `Not found: Job ${this.id}:${location ?? 'US'}.${id}`);
  }

  #overLimit(known: FakeQuery, { query }: JobConfiguration): FakeError | null {
    const limit = Number(query.maximumBytesBilled ?? Infinity);
    // BigQuery bills whole MiB, and at least ten.
    const billed = Math.max(10, Math.ceil((known.bytes ?? 1_000_000) / 2 ** 20)) * 2 ** 20;
    if (billed <= limit) return null;
    const message = `Query exceeded limit for bytes billed: ${limit}. ${billed} or higher required.`;
    return { status: 400, reason: 'bytesBilledLimitExceeded', message };
  }

  #dryRun(known: FakeQuery, configuration: JobConfiguration, undeclared: string[]): Record<string, unknown> {
    const totalBytesProcessed = (known.bytes ?? 1_000_000).toString();
    const statementType = known.statementType ?? 'SELECT';
    return {
      kind: 'bigquery#job',
      jobReference: { projectId: this.id, location: this.location },
      configuration: { jobType: 'QUERY', ...configuration },
      status: { state: 'DONE' },
      statistics: {
        creationTime: '1767225600000',
        totalBytesProcessed,
        query: {
          totalBytesProcessed,
          totalBytesBilled: '0',
          cacheHit: false,
          statementType,
          ...(statementType === 'SELECT' ? { schema: { fields: known.columns } } : {}),
          ...(undeclared.length > 0
            ? {
                undeclaredQueryParameters: undeclared.map((name) => ({
                  name,
                  parameterType: { type: 'INT64' },
                })),
              }
            : {}),
        },
      },
    };
  }

  #resource({ id, location, configuration, pollsLeft, error }: FakeJob): Record<string, unknown> {
    const errorResult = error === null ? undefined : { reason: error.reason, message: error.message };
    return {
      kind: 'bigquery#job',
      id: `${this.id}:${location}.${id}`,
      jobReference: { projectId: this.id, jobId: id, location },
      configuration: { jobType: 'QUERY', ...configuration },
      status:
        pollsLeft > 0
          ? { state: 'RUNNING' }
          : { state: 'DONE', ...(errorResult === undefined ? {} : { errorResult, errors: [errorResult] }) },
      statistics: { creationTime: '1767225600000' },
    };
  }
}
