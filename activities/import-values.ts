import { Context } from '@temporalio/activity';
import type { Logger } from 'pino';
import {
  organisationOfImport,
  pauseReason,
  PLATFORM_NAMES,
  type ImportRunInput,
} from '../domain/imports/connection.ts';
import type { ImportedValue } from '../domain/imports/imported-value.ts';
import {
  totalsByCategory,
  uncountedAfter,
  type NetSales,
  type Uncounted,
} from '../domain/imports/stripe/net-sales.ts';
import { addDays } from '../domain/shared/calendar.ts';
import type { Clock } from '../domain/shared/clock.ts';
import { conflict } from '../domain/shared/errors.ts';
import type { FailureReason } from '../domain/shared/failure-reason.ts';
import type { Sealer } from '../security/sealing.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { requireOpeningKey } from '../warehouse/engine/records/require-key.ts';
import type { Session } from '../warehouse/engine/session.ts';
import type { Warehouse } from '../warehouse/engine/warehouse.ts';
import {
  importHistories,
  importRuns,
  NOTHING,
  openImportRun,
  sealUncounted,
  uncountedOf,
} from '../warehouse/imports/import-runs.ts';
import { changesOfRun, storeImported } from '../warehouse/imports/import-values.ts';
import {
  CREDENTIAL_UNREADABLE,
  credentialOf,
  definitionOf,
  findImport,
  type ImportConnection,
} from '../warehouse/imports/imports.ts';
import { findMetric, type Metric } from '../warehouse/metrics/metrics.ts';
import { RevenueVault } from '../warehouse/metrics/revenue-vault.ts';
import { findOrganisation } from '../warehouse/organisations/organisations.ts';
import { queryOf, type Platforms } from './imports/drivers.ts';
import { ImportProgress, type ImportBeat } from './imports/import-progress.ts';
import { logFailure } from './shared/log-failure.ts';
import { noteRetryOn } from './shared/note-retry.ts';
import { reportBy, withHeartbeats } from './shared/with-heartbeats.ts';
import { openReason } from './shared/seal-failures.ts';

export interface ImportDependencies {
  warehouse: Warehouse;
  clock: Clock;
  sealer: Sealer;
  platforms: Platforms;
  metrics: Metrics;
  log: Logger;
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
      await findMetric(warehouse, orgId, metricId),
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
    metrics.sourceRuns.inc({ kind: connection?.type ?? 'disconnected', result });
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
      const { rows, sales } = await withHeartbeats([], ({ signal }) =>
        readAndStore(reading, credential, progress, signal),
      );
      const completed = (await importHistories(warehouse, run.orgId)).get(
        connection.credential_id,
      )?.lastCompleted;
      const vault = new RevenueVault(sealer, run.orgId);
      const earlier = uncountedOf(vault, completed);
      const uncounted = sales === null ? null : uncountedAfter(earlier ?? NOTHING, sales, reading.days);
      const changes = await changesOfRun(warehouse, run.orgId, run.metricId, run.runId);
      await importRuns.record(warehouse, run.orgId, {
        ...opened,
        rows_read: rows,
        ...changes,
        notes: sales === null ? [] : [...notesOf(sales), ...(earlier === null ? [EARLIER_LOST] : [])],
        sealed_totals: uncounted === null ? null : sealUncounted(vault, run.runId, uncounted),
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

  /** What a step of a run works on. */
  interface Reading {
    run: ImportRunInput;
    metric: Metric;
    connection: ImportConnection;
    days: { start: string; end: string };
  }

  async function readAndStore(
    { run, metric, connection, days }: Reading,
    credential: string,
    progress: ImportProgress,
    signal: AbortSignal,
  ): Promise<{ rows: number; sales: NetSales | null }> {
    const { orgId, metricId, runId } = run;
    const definition = definitionOf(connection);
    const sales =
      definition.type === 'stripe' ? await netSalesOf(metric, days, credential, progress, signal) : null;
    const parts =
      definition.type === 'stripe'
        ? onePart(sales?.values ?? [])
        : (await import('./imports/bigquery/driver.ts')).runQuery({
            apiEndpoint: platforms.bigQuery,
            ...queryOf(definition, credential),
            labelled: metric.label_key !== null,
            ...days,
            jobId: `cost-analytics-${runId}`,
            onProgress: (rowsRead) => {
              progress.noteRows(rowsRead);
            },
            signal,
          });
    const rows = await storeImported(
      {
        orgId,
        metric,
        credentialId: connection.credential_id,
        ...(sales === null ? {} : { rows: sales.transactions }),
        vault: metric.kind === 'revenue' ? new RevenueVault(sealer, orgId) : undefined,
        days,
        parts,
        change: {
          source: definition.type === 'stripe' ? 'payments' : 'warehouse',
          by: { type: 'import', id: runId, name: PLATFORM_NAMES[definition.type] },
          now: clock.now(),
        },
        check: async (session: Session) => {
          const now = await findImport(session, orgId, metricId);
          if (now?.credential_id !== connection.credential_id) throw changedMeanwhile();
        },
        signal,
      },
      warehouse,
    );
    return { rows, sales };
  }

  async function netSalesOf(
    { currency }: Metric,
    { start, end }: { start: string; end: string },
    apiKey: string,
    progress: ImportProgress,
    signal: AbortSignal,
  ): Promise<NetSales> {
    const { readNetSales } = await import('./imports/stripe/read-net-sales.ts');
    return readNetSales({
      apiBase: platforms.stripe,
      apiKey,
      currency: currency ?? '',
      from: start,
      to: addDays(end, 1),
      resume: progress.before,
      onPage: (read) => {
        progress.notePage(read);
      },
      signal,
    });
  }
}

/** Records why a step of an import is retried; see {@link noteRetryOn}. */
export const noteRetryOnImport = ({ warehouse, log }: Pick<ImportDependencies, 'warehouse' | 'log'>) =>
  noteRetryOn({ warehouse, log }, importRuns, organisationOfImport);

/** The names and shapes of the import activities, for workflows. */
export type ImportActivities = ReturnType<typeof createImportActivities>;

const changedMeanwhile = () =>
  conflict('the connection was changed, paused or removed while the run was under way');

const onePart = async function* (values: readonly ImportedValue[]): AsyncGenerator<readonly ImportedValue[]> {
  yield values;
};

/** Returns what a run leaves out by category. Notes are not sealed, so they have no amounts. */
const EARLIER_LOST =
  'what earlier runs did not count cannot be opened: run the import from its first month on to count it again';

function notesOf({ left_out }: Uncounted): string[] {
  const counts = new Map<string, number>();
  for (const { category, transactions } of totalsByCategory(left_out))
    counts.set(category, (counts.get(category) ?? 0) + transactions);
  return [...counts].map(
    ([category, transactions]) =>
      `transactions of the category ${category} were not counted (${transactions}), because it is not known whether they are sales`,
  );
}
