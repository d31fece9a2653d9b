import type { Logger } from 'pino';
import type { Month } from '../domain/shared/calendar.ts';
import type { Clock } from '../domain/shared/clock.ts';
import { notFound } from '../domain/shared/errors.ts';
import type { FailureReason } from '../domain/shared/failure-reason.ts';
import { ingestOf, type IngestRunInput } from '../domain/sources/ingest.ts';
import type { Buckets, OperatorBuckets } from '../domain/sources/exports/object-storage.ts';
import { openedBuckets } from '../egress/buckets/opened-buckets.ts';
import { isRemote } from '../egress/locations/remote-file.ts';
import type { SourceRulesOf } from '../egress/locations/source-rules.ts';
import { assetNotesOfRun } from '../warehouse/spend/assets/asset-notes.ts';
import {
  COST_SOURCES,
  credentialsOfSource,
  ownTypeOf,
  type CostSource,
} from '../warehouse/sources/cost-sources.ts';
import { fileLocations } from '../warehouse/sources/file-locations.ts';
import { doubledNotes } from '../warehouse/spend/assets/doubled-spend.ts';
import { ingestRuns, startedRun, type IngestRun } from '../warehouse/sources/ingest-runs.ts';
import { withLoadSessions } from '../warehouse/engine/readers/load-sessions.ts';
import type { Sealer } from '../security/sealing.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { findOrganisation, type Organisation } from '../warehouse/organisations/organisations.ts';
import { RejectedFeed, type FeedCounts } from '../warehouse/sources/feeds/read-feed.ts';
import { heldMonths } from '../warehouse/sources/publishing/last-reading.ts';
import type { Statements } from '../warehouse/engine/session.ts';
import type { Warehouse } from '../warehouse/engine/warehouse.ts';
import { ingestSource, type IngestResult } from './sources/ingest-source.ts';
import { logFailure } from './shared/log-failure.ts';
import { noteRetryOn } from './shared/note-retry.ts';
import { openReason } from './shared/seal-failures.ts';
import { withHeartbeats } from './shared/with-heartbeats.ts';

export interface IngestDependencies {
  warehouse: Warehouse;
  clock: Clock;
  sealer: Sealer;
  sourceRulesOf: SourceRulesOf;
  /** Lets a reader open remote locations, through the guarded proxy. */
  openRemoteFiles: (
    reader: Statements,
    remote: { locations: readonly string[]; buckets: Buckets },
  ) => Promise<void>;
  /** The operator's own credentials for buckets. */
  operatorBuckets: OperatorBuckets;
  /** The setting BIGQUERY_API_ENDPOINT. */
  bigQueryEndpoint?: string;
  metrics: Metrics;
  log: Logger;
}

/** The steps of an ingest. Each is idempotent, even if an earlier attempt stopped halfway. */
export function createIngestActivities({
  warehouse,
  clock,
  sealer,
  sourceRulesOf,
  openRemoteFiles,
  operatorBuckets,
  bigQueryEndpoint,
  metrics,
  log,
}: IngestDependencies) {
  const record = async (run: IngestRunInput, changes: Partial<IngestRun>): Promise<void> => {
    const before = await ingestRuns.find(warehouse, run.orgId, run.runId);
    const begun = startedRun(
      { run_id: run.runId, source_id: run.sourceId, workflow_id: run.workflowId },
      clock.now(),
    );
    await ingestRuns.record(warehouse, run.orgId, { ...begun, ...before, ...changes });
  };

  const count = async (
    { orgId, sourceId }: IngestRunInput,
    result: 'completed' | 'failed',
  ): Promise<void> => {
    const source = await COST_SOURCES.find(warehouse, orgId, sourceId);
    metrics.sourceRuns.inc({ kind: source?.kind ?? 'deleted', result });
  };

  /** What the files of a run have that were not read is noted, too. A run of some months is only about them. */
  const notedMonths = async (
    { orgId, sourceId, startMonth, endMonth }: IngestRunInput,
    loaded: readonly Month[],
  ): Promise<Month[]> => {
    const held = startMonth === null && endMonth === null ? await heldMonths(warehouse, orgId, sourceId) : [];
    return [...new Set([...loaded, ...held])].sort();
  };

  const ingest = async (run: IngestRunInput): Promise<IngestResult> => {
    const { source, organisation } = await sourceAndOrganisation(warehouse, run);
    return withLoadSessions(warehouse, (sessions) =>
      withHeartbeats([sessions.reader, sessions.session], async (attempt) => {
        const rules = { ...sourceRulesOf(run.orgId), credentials: ownTypeOf(source) };
        const credentials = await credentialsOfSource(warehouse, sealer, run.orgId, source);
        const { privateTargets } = rules;
        const buckets = await openedBuckets(operatorBuckets, credentials, run.orgId, {
          privateTargets,
          field: 'credentials',
          signal: attempt.signal,
        });
        const remote = fileLocations(source.kind, source).filter(({ location }) => isRemote(location));
        if (remote.length > 0)
          await openRemoteFiles(sessions.reader, {
            locations: remote.map(({ location }) => location),
            buckets,
          });
        return ingestSource(source, {
          warehouse,
          sessions,
          scope: { ...run, acceptShrink: run.acceptShrink === true, now: clock.now() },
          currency: organisation.currency,
          rules,
          credentials,
          buckets,
          readAll: run.readAll === true,
          attempt,
          bigQueryEndpoint,
        });
      }),
    );
  };

  return {
    /** Records that the run is under way. */
    async openRun(run: IngestRunInput): Promise<void> {
      await record(run, {});
    },

    /** Ingests the source (see `ingestSource`), and records what it has read. Returns counts of rows only. */
    async loadExport(run: IngestRunInput): Promise<LoadedRows> {
      try {
        const load = await ingest(run);
        const { filesRead: files, filesUnchanged: unchanged, bytesRead: bytes, rowsRead: rows } = load;
        log.info({ run: run.runId, organisation: run.orgId, rows, files, unchanged, bytes }, 'loaded');
        await record(run, {
          ...runCounts(load),
          cost_total: load.costTotal,
          files_read: files,
          files_unchanged: unchanged,
          bytes_read: bytes,
          notes: load.notes,
        });
        const { months, rowsRead, rowsRejected, rowsLeftOut } = load;
        return { months, rowsRead, rowsRejected, rowsLeftOut };
      } catch (error) {
        if (error instanceof RejectedFeed) await record(run, runCounts(error.counts));
        throw error;
      }
    },

    /** Records that the run has completed. The workflow settles months and seals bills before this step. */
    async completeRun(run: IngestRunInput, months: Month[]): Promise<void> {
      const loaded = await ingestRuns.find(warehouse, run.orgId, run.runId);
      // An earlier attempt has recorded the end, with the notes.
      if (loaded?.status !== 'running') return;
      const notes = [
        ...loaded.notes,
        ...(await notesOfComputation(warehouse, run, await notedMonths(run, months))),
      ];
      const finished_at = clock.now().toISOString();
      await record(run, { status: 'completed', finished_at, error: null, months, notes });
      await count(run, 'completed');
    },

    /** Records that the run has failed, with the reason. */
    async failRun(run: IngestRunInput, reason: FailureReason): Promise<void> {
      const error = openReason(sealer, reason, run) ?? reason.text;
      await record(run, { status: 'failed', finished_at: clock.now().toISOString(), error });
      await count(run, 'failed');
      const { orgId: organisation, sourceId: source } = run;
      logFailure(log, { kind: 'ingest', organisation, source, run: run.runId, reason: error });
    },
  };
}

/** Records why a step of an ingest is retried; see {@link noteRetryOn}. */
export const noteRetryOnRun = ({ warehouse, log }: Pick<IngestDependencies, 'warehouse' | 'log'>) =>
  noteRetryOn({ warehouse, log }, ingestRuns, (workflowId) => ingestOf(workflowId)?.orgId ?? null);

/** The names and shapes of the ingest activities, for workflows. */
export type IngestActivities = ReturnType<typeof createIngestActivities>;

/** What a workflow knows of a load. Workflow history stores it, so that it has no cells and no amounts. */
interface LoadedRows extends Omit<FeedCounts, 'rejectedSamples'> {
  months: Month[];
}

const runCounts = ({ rowsRead, rowsRejected, rowsLeftOut, rejectedSamples }: FeedCounts) => ({
  rows_read: rowsRead,
  rows_rejected: rowsRejected,
  rows_left_out: rowsLeftOut,
  rejected_samples: rejectedSamples,
});

const MOST_NOTES = 50;

/** Returns notes on what the computation of the spend has found: spend that counts twice, and assets without a bill line. */
async function notesOfComputation(
  warehouse: Warehouse,
  { orgId, sourceId }: IngestRunInput,
  months: readonly Month[],
): Promise<string[]> {
  const source = await COST_SOURCES.find(warehouse, orgId, sourceId);
  if (source === null) return [];
  const notes = [
    ...(await doubledNotes(warehouse, orgId, source, months)),
    ...(await assetNotesOfRun(warehouse, orgId, source, months)),
  ];
  if (notes.length <= MOST_NOTES) return notes;
  return [
    ...notes.slice(0, MOST_NOTES),
    `and ${notes.length - MOST_NOTES} more of this kind; see reconciliation`,
  ];
}

async function sourceAndOrganisation(
  warehouse: Warehouse,
  { orgId, sourceId }: IngestRunInput,
): Promise<{ source: CostSource; organisation: Organisation }> {
  const organisation = await findOrganisation(warehouse, orgId);
  if (organisation === null) throw notFound('organisation', orgId);
  const source = await COST_SOURCES.find(warehouse, orgId, sourceId);
  if (source === null) throw notFound('cost source', sourceId);
  return { source, organisation };
}
