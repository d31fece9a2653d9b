import type { Logger } from 'pino';
import type { Month } from '../domain/calendar.ts';
import type { Clock } from '../domain/clock.ts';
import { notFound } from '../domain/errors.ts';
import type { IngestRunInput } from '../domain/ingest.ts';
import type { SourceRules } from '../egress/source-location.ts';
import { assetNotesOfRun } from '../warehouse/asset-notes.ts';
import { findCostSource, type CostSource } from '../warehouse/cost-sources.ts';
import { doubledNotes } from '../warehouse/doubled-spend.ts';
import type { LoadResult } from '../warehouse/focus-load.ts';
import { findRun, recordRun, startedRun, type IngestRun } from '../warehouse/ingest-runs.ts';
import { findOrganisation, type Organisation } from '../warehouse/organisations.ts';
import { RejectedFeed, type FeedCounts } from '../warehouse/read-feed.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { toFailure } from './failures.ts';
import { fileLocations, loadSource } from './load-source.ts';
import { withHeartbeats } from './with-heartbeats.ts';

export interface IngestDependencies {
  warehouse: Warehouse;
  clock: Clock;
  sourceRules: SourceRules;
  /** Makes remote locations readable, through the guard; called before each one. */
  openRemoteFiles: () => Promise<void>;
  log: Logger;
}

/** The steps of an ingest, each of which can run twice, or half and again, and leave the same (design §3). */
export const createIngestActivities = ({
  warehouse,
  clock,
  sourceRules,
  openRemoteFiles,
  log,
}: IngestDependencies) => {
  const record = async (run: IngestRunInput, changes: Partial<IngestRun>): Promise<void> => {
    const before = await findRun(warehouse, run.orgId, run.runId);
    const begun = startedRun(
      { run_id: run.runId, source_id: run.sourceId, workflow_id: run.workflowId },
      clock.now(),
    );
    await recordRun(warehouse, run.orgId, { ...begun, ...before, ...changes });
  };

  return {
    /** Records that the run is under way. */
    async openRun(run: IngestRunInput): Promise<void> {
      await record(run, {});
    },

    /** Reads the source and publishes its loads; see `loadSource`. */
    async loadExport(run: IngestRunInput): Promise<LoadResult> {
      try {
        const { source, organisation } = await ingested(warehouse, run);
        if (fileLocations(source).some((location) => /^(s3|https?):/i.test(location)))
          await openRemoteFiles();
        return await warehouse.session((session) =>
          withHeartbeats(session, async (attempt) => {
            const result = await loadSource(source, {
              session,
              scope: {
                orgId: run.orgId,
                sourceId: run.sourceId,
                runId: run.runId,
                startMonth: run.startMonth,
                endMonth: run.endMonth,
                acceptShrink: run.acceptShrink === true,
                now: clock.now(),
              },
              currency: organisation.currency,
              rules: sourceRules,
              attempt,
            });
            log.info({ run: run.runId, organisation: run.orgId, rows: result.rowsRead }, 'loaded');
            return result;
          }),
        );
      } catch (error) {
        if (error instanceof RejectedFeed) await record(run, runCounts(error.counts));
        throw toFailure(error);
      }
    },

    /** Records that the run has ended well, once the months it touched have settled. */
    async completeRun(run: IngestRunInput, load: LoadResult): Promise<void> {
      const notes = [...load.notes, ...(await notesOfSpend(warehouse, run, load.months))];
      await record(run, {
        status: 'completed',
        finished_at: clock.now().toISOString(),
        months: load.months,
        ...runCounts(load),
        cost_total: load.costTotal,
        notes,
      });
    },

    /** Records that the run has failed, and why. */
    async failRun(run: IngestRunInput, error: string): Promise<void> {
      await record(run, { status: 'failed', finished_at: clock.now().toISOString(), error });
    },
  };
};

/** The names and shapes of the ingest activities, for workflows. */
export type IngestActivities = ReturnType<typeof createIngestActivities>;

const runCounts = ({ rowsRead, rowsRejected, rejectedSamples }: FeedCounts) => ({
  rows_read: rowsRead,
  rows_rejected: rowsRejected,
  rejected_samples: rejectedSamples,
});

const MOST_NOTES = 50;

/** What the computation of the months has shown beside what the load noted: assets without a line, what counts twice. */
const notesOfSpend = async (
  warehouse: Warehouse,
  { orgId, sourceId }: IngestRunInput,
  months: readonly Month[],
): Promise<string[]> => {
  const source = await findCostSource(warehouse, orgId, sourceId);
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
};

const ingested = async (
  warehouse: Warehouse,
  { orgId, sourceId }: IngestRunInput,
): Promise<{ source: CostSource; organisation: Organisation }> => {
  const organisation = await findOrganisation(warehouse, orgId);
  if (organisation === null) throw notFound('organisation', orgId);
  const source = await findCostSource(warehouse, orgId, sourceId);
  if (source === null) throw notFound('cost source', sourceId);
  return { source, organisation };
};
