import { CancelledFailure, Context } from '@temporalio/activity';
import type { Logger } from 'pino';
import type { Clock } from '../domain/clock.ts';
import { invalid, notFound } from '../domain/errors.ts';
import type { IngestProgress, IngestRunInput } from '../domain/ingest.ts';
import type { SourceRules } from '../egress/source-location.ts';
import { findCostSource, type CostSource } from '../warehouse/cost-sources.ts';
import { describeFile } from '../warehouse/export-files.ts';
import { loadFocusExport, type LoadResult } from '../warehouse/focus-load.ts';
import { missingColumns } from '../warehouse/focus-roll-up.ts';
import { findRun, recordRun, startedRun, type IngestRun } from '../warehouse/ingest-runs.ts';
import { findOrganisation, type Organisation } from '../warehouse/organisations.ts';
import type { Session } from '../warehouse/session.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { exportFiles } from './export-location.ts';
import { toFailure } from './failures.ts';

export interface IngestDependencies {
  warehouse: Warehouse;
  clock: Clock;
  sourceRules: SourceRules;
  /** Makes remote locations readable, through the guard; called before each one. */
  openRemoteFiles: () => Promise<void>;
  log: Logger;
}

const HEARTBEAT_MS = 1_000;

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

    /** Reads the source's export and publishes its loads; see `loadFocusExport`. */
    async loadExport(run: IngestRunInput): Promise<LoadResult> {
      try {
        const { source, organisation } = await ingested(warehouse, run);
        if (/^(s3|https?):/i.test(source.location)) await openRemoteFiles();
        return await warehouse.session((session) =>
          withHeartbeats(session, async (isCurrent) => {
            const { files, notes } = await readableFiles(session, source, sourceRules);
            const result = await loadFocusExport(
              session,
              {
                orgId: run.orgId,
                sourceId: run.sourceId,
                runId: run.runId,
                files,
                costColumn: source.options.cost_column,
                currency: organisation.currency,
                startMonth: run.startMonth,
                endMonth: run.endMonth,
                now: clock.now(),
              },
              isCurrent,
            );
            log.info(
              { run: run.runId, organisation: run.orgId, files: files.length, rows: result.rowsRead },
              'loaded',
            );
            return { ...result, notes: [...notes, ...result.notes] };
          }),
        );
      } catch (error) {
        throw toFailure(error);
      }
    },

    /** Records that the run has ended well, once the months it touched have settled. */
    async completeRun(run: IngestRunInput, load: LoadResult): Promise<void> {
      await record(run, {
        status: 'completed',
        finished_at: clock.now().toISOString(),
        months: load.months,
        rows_read: load.rowsRead,
        rows_rejected: load.rowsRejected,
        rejected_samples: load.rejectedSamples,
        cost_total: load.costTotal,
        notes: load.notes,
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

/** The files to read, each with all mandatory columns; blanked ones are left out, with a note. */
const readableFiles = async (session: Session, source: CostSource, rules: SourceRules) => {
  const described = [];
  for (const path of await exportFiles(session, source.location, rules))
    described.push(await describeFile(session, path));
  const files = described.filter(({ columns }) => columns.length > 0);
  const notes = described
    .filter(({ columns }) => columns.length === 0)
    .map(({ path }) => `${withoutQuery(path)} is empty and was left out`);
  if (files.length === 0) throw invalid('location: every file is empty');
  for (const file of files) {
    const missing = missingColumns(file, source.options.cost_column);
    if (missing.length > 0) {
      throw invalid(
        `${withoutQuery(file.path)}: mandatory column ${missing.join('; ')} is missing; nothing was loaded`,
      );
    }
  }
  return { files, notes };
};

/** A signed URL's query is a credential. */
const withoutQuery = (path: string): string => path.replace(/\?.*$/, '');

/**
 * Tells Temporal once a second how many rows have been read, and stops the statement when the attempt is
 * given up, so that a newer attempt has the machine to itself. `isCurrent` tells whether it still counts.
 */
const withHeartbeats = async <Result>(
  session: Session,
  work: (isCurrent: () => boolean) => Promise<Result>,
): Promise<Result> => {
  const { cancellationSignal, heartbeat } = Context.current();
  const beat = (): void => {
    heartbeat({ rowsRead: session.rowsRead } satisfies IngestProgress);
  };
  const stop = (): void => {
    session.interrupt();
  };
  beat();
  const timer = setInterval(beat, HEARTBEAT_MS);
  cancellationSignal.addEventListener('abort', stop);
  try {
    return await work(() => !cancellationSignal.aborted);
  } catch (error) {
    if (cancellationSignal.aborted)
      throw new CancelledFailure('the attempt was given up; nothing was published');
    throw error;
  } finally {
    clearInterval(timer);
    cancellationSignal.removeEventListener('abort', stop);
  }
};
