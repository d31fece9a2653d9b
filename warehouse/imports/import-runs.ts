import { importedDays, type ImportRunInput } from '../../domain/imports/connection.ts';
import type { Day } from '../../domain/shared/calendar.ts';
import type { OtherCurrency } from '../../domain/imports/net-sales.ts';
import type { Sealer } from '../../security/sealing.ts';
import { idAfter } from '../engine/sql/ids.ts';
import { instant, instantOrNull } from '../engine/sql/instant.ts';
import type { Session } from '../engine/session.ts';
import type { Warehouse } from '../engine/warehouse.ts';

/** One import of a metric's values (contract §3, Import). */
export interface ImportRun {
  run_id: string;
  metric_id: string;
  /** Identifies what was imported: each change of the connection stores a new credential. */
  credential_id: string;
  workflow_id: string;
  status: 'running' | 'completed' | 'failed';
  started_at: string;
  finished_at: string | null;
  /** The days that the run reads, both inclusive. */
  start_day: Day;
  end_day: Day;
  /** Rows that the platform gave, values that the run created or replaced, and values that it removed. */
  rows: number;
  changed: number;
  removed: number;
  notes: string[];
  /** Sealed; see {@link otherCurrenciesOf}. */
  sealed_totals: string | null;
  error: string | null;
}

type Row = Omit<ImportRun, 'rows' | 'changed' | 'removed' | 'notes'> & {
  rows: string;
  changed: string;
  removed: string;
  notes: string;
};

const COLUMNS = `run_id, metric_id, credential_id, workflow_id, status, started_at, finished_at, start_day, end_day,
  rows_read AS rows, changed, removed, notes, sealed_totals, error`;

const toRun = (row: Row): ImportRun => ({
  ...row,
  started_at: instant(row.started_at),
  finished_at: instantOrNull(row.finished_at),
  rows: Number(row.rows),
  changed: Number(row.changed),
  removed: Number(row.removed),
  notes: JSON.parse(row.notes) as string[],
});

/** Records the progress of a run. The newest record counts, and an end is final. */
export const recordImport = async (warehouse: Warehouse, orgId: string, run: ImportRun): Promise<void> => {
  await warehouse.run(
    `INSERT INTO import_run_events BY NAME
      SELECT $org AS org_id, $run_id AS run_id, $event::UUID AS event_id, $metric_id AS metric_id, $credential_id AS credential_id,
        $workflow_id AS workflow_id, $status AS status, $started_at::TIMESTAMP AS started_at,
        $finished_at::TIMESTAMP AS finished_at, $start_day::DATE AS start_day, $end_day::DATE AS end_day,
        $rows::BIGINT AS rows_read, $changed::BIGINT AS changed, $removed::BIGINT AS removed, $notes::JSON AS notes,
        $sealed_totals AS sealed_totals, $error AS error`,
    { org: orgId, ...run, notes: JSON.stringify(run.notes), event: idAfter(null) },
  );
};

/** Returns a run of the organisation, or null if it has no such run. */
export const findImportRun = async (
  warehouse: Pick<Session, 'query'>,
  orgId: string,
  runId: string,
): Promise<ImportRun | null> => {
  const [row] = await warehouse.query<Row>(
    `SELECT ${COLUMNS} FROM import_runs WHERE org_id = $org AND run_id = $run`,
    { org: orgId, run: runId },
  );
  return row === undefined ? null : toRun(row);
};

/** What the runs of a connection have led to. */
export interface ImportHistory {
  last: ImportRun | null;
  /** The newest run that completed. */
  lastCompleted: ImportRun | null;
  /** The days since then on which runs failed. */
  failedDays: number;
}

/** Returns the history of an organisation's connections, by the id of their credential. Those without runs are left out. */
export const importHistories = async (
  warehouse: Pick<Session, 'query'>,
  orgId: string,
): Promise<Map<string, ImportHistory>> => {
  const rows = await warehouse.query<Row & { is_last: boolean; failed_days: string }>(
    `WITH first_events AS (
       SELECT run_id, min(event_id) AS first_event FROM import_run_events WHERE org_id = $org GROUP BY ALL),
     runs AS (
       SELECT *, row_number() OVER newest = 1 AS is_last,
         status = 'completed' AND row_number() OVER (PARTITION BY credential_id, status ORDER BY first_event DESC) = 1 AS is_last_completed,
         max(first_event) FILTER (status = 'completed') OVER (PARTITION BY credential_id) AS completed_event
       FROM import_runs JOIN first_events USING (run_id) WHERE org_id = $org
       WINDOW newest AS (PARTITION BY credential_id ORDER BY first_event DESC)),
     failures AS (
       SELECT credential_id, count(DISTINCT CAST(started_at AS DATE)) AS failed_days FROM runs
       WHERE status = 'failed' AND (completed_event IS NULL OR first_event > completed_event) GROUP BY credential_id)
     SELECT ${COLUMNS}, is_last, COALESCE(failed_days, 0) AS failed_days
     FROM runs LEFT JOIN failures USING (credential_id) WHERE is_last OR is_last_completed`,
    { org: orgId },
  );
  const histories = new Map<string, ImportHistory>();
  for (const { is_last, failed_days, ...row } of rows) {
    const run = toRun(row);
    const known = histories.get(run.credential_id) ?? { last: null, lastCompleted: null, failedDays: 0 };
    histories.set(run.credential_id, {
      last: is_last ? run : known.last,
      lastCompleted: run.status === 'completed' ? run : known.lastCompleted,
      failedDays: Number(failed_days),
    });
  }
  return histories;
};

/**
 * Records that a run is under way, unless it is recorded already. The days that it reads are fixed here: another attempt reads the
 * same days, even after midnight, so that it finds the query's job and Stripe's pages.
 */
export const openImportRun = async (
  warehouse: Warehouse,
  run: ImportRunInput,
  credentialId: string,
  now: Date,
): Promise<void> => {
  const { orgId, runId, metricId, workflowId, startMonth } = run;
  if ((await findImportRun(warehouse, orgId, runId)) !== null) return;
  const history = (await importHistories(warehouse, orgId)).get(credentialId);
  const { start, end } = importedDays(startMonth, history?.lastCompleted?.end_day ?? null, now);
  await recordImport(warehouse, orgId, {
    run_id: runId,
    metric_id: metricId,
    credential_id: credentialId,
    workflow_id: workflowId,
    status: 'running',
    started_at: now.toISOString(),
    finished_at: null,
    start_day: start,
    end_day: end,
    rows: 0,
    changed: 0,
    removed: 0,
    notes: [],
    sealed_totals: null,
    error: null,
  });
};

const placeOf = (orgId: string, runId: string) => ({ orgId, record: runId, field: 'other currencies' });

/** Seals the totals in other currencies for a run, because they are revenue. */
export const sealTotals = (
  sealer: Sealer,
  orgId: string,
  runId: string,
  totals: readonly OtherCurrency[],
): string => sealer.seal(placeOf(orgId, runId), JSON.stringify(totals));

/** Returns the totals in other currencies after a run. */
export const otherCurrenciesOf = (
  sealer: Sealer,
  orgId: string,
  { run_id, sealed_totals }: ImportRun,
): OtherCurrency[] =>
  sealed_totals === null
    ? []
    : (JSON.parse(sealer.open(placeOf(orgId, run_id), sealed_totals)) as OtherCurrency[]);

/** A run that the warehouse records as running, in any organisation. */
export type OpenImport = Pick<ImportRun, 'run_id' | 'workflow_id'> & { org_id: string };

/** Returns all runs that have not ended, oldest first: for the worker that compares them with Temporal, never for a tenant. */
export const openImports = (warehouse: Warehouse): Promise<OpenImport[]> =>
  warehouse.query<OpenImport>(
    `SELECT org_id, run_id, workflow_id FROM import_run_events AS opened
     WHERE status = 'running' AND NOT EXISTS (FROM import_run_events AS ended
       WHERE ended.org_id = opened.org_id AND ended.run_id = opened.run_id AND ended.status <> 'running')
     GROUP BY ALL ORDER BY min(event_id)`,
  );

/** Records the failure of a run. Returns false if the run has ended already. */
export const failImport = async (
  warehouse: Warehouse,
  { org_id, run_id }: Pick<OpenImport, 'org_id' | 'run_id'>,
  error: string,
  now: Date,
): Promise<boolean> => {
  const run = await findImportRun(warehouse, org_id, run_id);
  if (run?.status !== 'running') return false;
  await recordImport(warehouse, org_id, { ...run, status: 'failed', finished_at: now.toISOString(), error });
  return true;
};
