import { importedDays, type ImportRunInput } from '../../domain/imports/connection.ts';
import type { Day } from '../../domain/shared/calendar.ts';
import { NOTHING, type Uncounted } from '../../domain/imports/uncounted.ts';
import { RunLog, type Run } from '../engine/records/run-log.ts';
import type { Queries } from '../engine/session.ts';
import type { Warehouse } from '../engine/warehouse.ts';
import type { RevenueVault } from '../metrics/revenue-vault.ts';

/** One import of a metric's values (docs/concepts.md#daily-imports). */
export interface ImportRun extends Run {
  metric_id: string;
  /** Identifies what was imported: each change of the connection stores a new credential. */
  credential_id: string;
  /** The days that the run reads, both inclusive. */
  start_day: Day;
  end_day: Day;
  /** Rows that the platform gave, values that the run created or replaced, and values that it removed. */
  rows_read: number;
  changed: number;
  removed: number;
  notes: string[];
  /** Sealed; see {@link uncountedOf}. */
  sealed_totals: string | null;
}

export const importRuns = new RunLog<ImportRun, 'metric_id'>('import', 'metric_id', {
  metric_id: 'VARCHAR',
  credential_id: 'VARCHAR',
  start_day: 'DATE',
  end_day: 'DATE',
  rows_read: 'BIGINT',
  changed: 'BIGINT',
  removed: 'BIGINT',
  notes: 'JSON',
  sealed_totals: 'VARCHAR',
});

/** What the runs of a connection have led to. */
export interface ImportHistory {
  last: ImportRun | null;
  /** The newest run that completed. */
  lastCompleted: ImportRun | null;
  /** The days since then on which runs failed. */
  failedDays: number;
}

/** Returns the history of an organisation's connections, by the id of their credential. Those without runs are left out. */
export async function importHistories(
  warehouse: Queries,
  orgId: string,
): Promise<Map<string, ImportHistory>> {
  const rows = await warehouse.query<Record<string, unknown> & { is_last: boolean; failed_days: string }>(
    `WITH runs AS (
       SELECT *, row_number() OVER newest = 1 AS is_last,
         status = 'completed' AND row_number() OVER (PARTITION BY credential_id, status ORDER BY first_event DESC) = 1 AS is_last_completed,
         max(first_event) FILTER (status = 'completed') OVER (PARTITION BY credential_id) AS completed_event
       FROM ${importRuns.inOrder}
       WINDOW newest AS (PARTITION BY credential_id ORDER BY first_event DESC)),
     failures AS (
       SELECT credential_id, count(DISTINCT CAST(started_at AS DATE)) AS failed_days FROM runs
       WHERE status = 'failed' AND (completed_event IS NULL OR first_event > completed_event) GROUP BY credential_id)
     SELECT ${importRuns.columns}, is_last, COALESCE(failed_days, 0) AS failed_days
     FROM runs LEFT JOIN failures USING (credential_id) WHERE is_last OR is_last_completed`,
    { org: orgId },
  );
  const histories = new Map<string, ImportHistory>();
  for (const { is_last, failed_days, ...row } of rows) {
    const run = importRuns.runOf(row);
    const known = histories.get(run.credential_id) ?? { last: null, lastCompleted: null, failedDays: 0 };
    histories.set(run.credential_id, {
      last: is_last ? run : known.last,
      lastCompleted: run.status === 'completed' ? run : known.lastCompleted,
      failedDays: Number(failed_days),
    });
  }
  return histories;
}

/**
 * Records that a run is under way, unless it is recorded already. The days that it reads are fixed here: another attempt reads the
 * same days, even after midnight, so that it finds the query's job and Stripe's pages.
 */
export async function openImportRun(
  warehouse: Warehouse,
  run: ImportRunInput,
  credentialId: string,
  now: Date,
): Promise<void> {
  const { orgId, runId, metricId, workflowId, startMonth } = run;
  if ((await importRuns.find(warehouse, orgId, runId)) !== null) return;
  const history = (await importHistories(warehouse, orgId)).get(credentialId);
  const { start, end } = importedDays(startMonth, history?.lastCompleted?.end_day ?? null, now);
  await importRuns.record(warehouse, orgId, {
    run_id: runId,
    metric_id: metricId,
    credential_id: credentialId,
    workflow_id: workflowId,
    status: 'running',
    started_at: now.toISOString(),
    finished_at: null,
    start_day: start,
    end_day: end,
    rows_read: 0,
    changed: 0,
    removed: 0,
    notes: [],
    sealed_totals: null,
    error: null,
  });
}

/** Seals what a run does not count, because it is revenue. Returns null if the run counts everything. */
export const sealUncounted = (vault: RevenueVault, runId: string, uncounted: Uncounted): string | null =>
  uncounted.other_currencies.length + uncounted.left_out.length === 0
    ? null
    : vault.sealUncounted(runId, JSON.stringify(uncounted));

/** Returns what an import does not count, after a run; null if it is sealed and cannot be opened. */
export function uncountedOf(
  vault: RevenueVault,
  run: Pick<ImportRun, 'run_id' | 'sealed_totals'> | null | undefined,
): Uncounted | null {
  if (run?.sealed_totals == null) return NOTHING;
  const text = vault.openUncounted(run.run_id, run.sealed_totals);
  return text === null ? null : (JSON.parse(text) as Uncounted);
}
