import { Context } from '@temporalio/activity';
import type { Logger } from 'pino';
import { organisationOfImport, pauseReason, type ImportRunInput } from '../domain/imports/connection.ts';
import { PLATFORMS } from '../domain/imports/platforms.ts';
import { NOTHING, totalsByCategory, uncountedAfter, type Uncounted } from '../domain/imports/uncounted.ts';
import type { Day } from '../domain/shared/calendar.ts';
import type { Clock } from '../domain/shared/clock.ts';
import { conflict } from '../domain/shared/errors.ts';
import type { FailureReason } from '../domain/shared/failure-reason.ts';
import type { Sealer } from '../security/sealing.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { requireOpeningKey } from '../warehouse/engine/records/require-key.ts';
import type { Warehouse } from '../warehouse/engine/warehouse.ts';
import {
  importHistories,
  importRuns,
  openImportRun,
  sealUncounted,
  uncountedOf,
  type ImportRun,
} from '../warehouse/imports/import-runs.ts';
import { changesOfRun, storeImported } from '../warehouse/imports/import-values.ts';
import {
  CREDENTIAL_UNREADABLE,
  credentialOf,
  findImport,
  type ImportConnection,
} from '../warehouse/imports/imports.ts';
import { METRICS, type Metric } from '../warehouse/metrics/metrics.ts';
import { RevenueVault } from '../warehouse/metrics/revenue-vault.ts';
import { findOrganisation } from '../warehouse/organisations/organisations.ts';
import { driverOf, type PlatformAddresses } from './imports/drivers.ts';
import { ImportProgress, type ImportBeat } from './imports/import-progress.ts';
import { logFailure } from './shared/log-failure.ts';
import { noteRetryOn } from './shared/note-retry.ts';
import { reportBy, withHeartbeats } from './shared/with-heartbeats.ts';
import { openReason } from './shared/seal-failures.ts';

export interface ImportDependencies {
  warehouse: Warehouse;
  clock: Clock;
  sealer: Sealer;
  platforms: PlatformAddresses;
  metrics: Metrics;
  log: Logger;
}

/** A run, and what it reads. */
interface ImportReading {
  run: ImportRunInput;
  metric: Metric;
  connection: ImportConnection;
  /** Both inclusive. */
  days: { start: Day; end: Day };
}

/** The steps of an import. Each is idempotent, even if an earlier attempt stopped halfway. */
export function createImportActivities({
  warehouse,
  clock,
  sealer,
  platforms,
  metrics,
  log,
}: ImportDependencies) {
  const connected = async ({ orgId, metricId }: ImportRunInput) => {
    const [organisation, metric, connection] = [
      await findOrganisation(warehouse, orgId),
      await METRICS.find(warehouse, orgId, metricId),
      await findImport(warehouse, orgId, metricId),
    ];
    if (organisation === null || metric === null || connection === null) return null;
    return pauseReason(metric.kind, organisation.tier) === null ? { metric, connection } : null;
  };

  const count = async (
    { orgId, metricId }: ImportRunInput,
    result: 'completed' | 'failed',
  ): Promise<void> => {
    const connection = await findImport(warehouse, orgId, metricId);
    metrics.sourceRuns.inc({ kind: connection?.definition.type ?? 'disconnected', result });
  };

  return {
    /** Records that the run is under way. Returns false if the metric is not connected, or its imports pause. */
    async openImport(run: ImportRunInput): Promise<boolean> {
      const found = await connected(run);
      if (found === null) return false;
      await openImportRun(warehouse, run, found.connection.credential_id, clock.now());
      return true;
    },

    /**
     * Reads the platform's values of the run's days, and stores them.
     *
     * @param last the last report of an attempt whose worker has ended; this one continues from there.
     */
    async readImport(run: ImportRunInput, last?: unknown): Promise<void> {
      const found = await connected(run);
      const opened = await importRuns.find(warehouse, run.orgId, run.runId);
      if (found === null || opened?.credential_id !== found.connection.credential_id)
        throw changedMeanwhile();
      const { metric, connection } = found;
      await requireOpeningKey(warehouse, sealer);
      const reading = { run, metric, connection, days: { start: opened.start_day, end: opened.end_day } };
      const credential = await credentialOf(warehouse, sealer, run.orgId, connection);
      // Another worker may have the key, so that this is tried again.
      if (credential === null) throw new Error(CREDENTIAL_UNREADABLE);
      const before = (Context.current().info.heartbeatDetails ?? last) as ImportBeat | undefined;
      const progress = new ImportProgress(sealer, run, before);
      reportBy(() => progress.beat);
      const { rows, uncounted } = await withHeartbeats([], ({ signal }) =>
        readAndStore(reading, credential, progress, signal),
      );
      await importRuns.record(warehouse, run.orgId, {
        ...opened,
        rows_read: rows,
        ...(await changesOfRun(warehouse, run.orgId, run.metricId, run.runId)),
        ...(uncounted === null ? {} : await recordOf(reading, uncounted)),
      });
      log.info({ run: run.runId, organisation: run.orgId, rows }, 'imported');
    },

    /** Records that the run has completed. */
    async completeImport(input: ImportRunInput): Promise<void> {
      const { orgId, runId } = input;
      const run = await importRuns.find(warehouse, orgId, runId);
      if (run === null) return;
      const finished_at = clock.now().toISOString();
      await importRuns.record(warehouse, orgId, { ...run, status: 'completed', finished_at, error: null });
      await count(input, 'completed');
    },

    /** Records that the run has failed, with the reason. */
    async failImport(input: ImportRunInput, reason: FailureReason): Promise<void> {
      const { orgId, runId } = input;
      const error = openReason(sealer, reason, input) ?? reason.text;
      await importRuns.fail(warehouse, { org_id: orgId, run_id: runId }, error, clock.now());
      await count(input, 'failed');
      const { metricId: metric } = input;
      logFailure(log, { kind: 'import', organisation: orgId, metric, run: runId, reason: error });
    },
  };

  async function readAndStore(
    { run, metric, connection, days }: ImportReading,
    credential: string,
    progress: ImportProgress,
    signal: AbortSignal,
  ): Promise<{ rows: number; uncounted: Uncounted | null }> {
    const { orgId, metricId, runId } = run;
    const { definition, credential_id: credentialId } = connection;
    const { name, source } = PLATFORMS[definition.type];
    const driver = await driverOf(definition.type);
    const { currency, label_key } = metric;
    const { uncounted, ...given } = await driver.values(
      {
        definition,
        credential,
        labelled: label_key !== null,
        currency,
        days,
        runId,
        resume: progress.before,
        report: (rowsRead, state) => {
          progress.report(rowsRead, state);
        },
      },
      { address: platforms[definition.type], signal },
    );
    const rows = await storeImported(
      {
        orgId,
        metric,
        credentialId,
        vault: metric.kind === 'revenue' ? new RevenueVault(sealer, orgId) : undefined,
        days,
        ...given,
        change: { source, by: { type: 'import', id: runId, name }, now: clock.now() },
        check: async (session) => {
          const now = await findImport(session, orgId, metricId);
          if (now?.credential_id !== credentialId) throw changedMeanwhile();
        },
        signal,
      },
      warehouse,
    );
    return { rows, uncounted };
  }

  /** Returns what the run records of what does not count, together with earlier runs. */
  async function recordOf(
    { run, connection, days }: ImportReading,
    uncounted: Uncounted,
  ): Promise<Pick<ImportRun, 'notes' | 'sealed_totals'>> {
    const histories = await importHistories(warehouse, run.orgId);
    const vault = new RevenueVault(sealer, run.orgId);
    const earlier = uncountedOf(vault, histories.get(connection.credential_id)?.lastCompleted);
    return {
      notes: [...notesOf(uncounted), ...(earlier === null ? [EARLIER_LOST] : [])],
      sealed_totals: sealUncounted(vault, run.runId, uncountedAfter(earlier ?? NOTHING, uncounted, days)),
    };
  }
}

/** Records why a step of an import is retried; see {@link noteRetryOn}. */
export const noteRetryOnImport = ({ warehouse, log }: Pick<ImportDependencies, 'warehouse' | 'log'>) =>
  noteRetryOn({ warehouse, log }, importRuns, organisationOfImport);

/** The names and shapes of the import activities, for workflows. */
export type ImportActivities = ReturnType<typeof createImportActivities>;

const changedMeanwhile = () =>
  conflict('the connection was changed, paused or removed while the run was under way');

const EARLIER_LOST =
  'what earlier runs did not count cannot be opened: run the import from its first month on to count it again';

/** Returns what a run leaves out by category. Notes are not sealed, so they have no amounts. */
function notesOf({ left_out }: Uncounted): string[] {
  const counts = new Map<string, number>();
  for (const { category, transactions } of totalsByCategory(left_out))
    counts.set(category, (counts.get(category) ?? 0) + transactions);
  return [...counts].map(
    ([category, transactions]) =>
      `transactions of the category ${category} were not counted (${transactions}), because it is not known whether they are sales`,
  );
}
