import type { Month } from '../../domain/shared/calendar.ts';
import type { DecimalText } from '../../domain/shared/decimals.ts';
import { idAfter } from '../engine/sql/ids.ts';
import { instant, instantOrNull } from '../engine/sql/instant.ts';
import type { Warehouse } from '../engine/warehouse.ts';
import type { RejectedSample } from './feeds/rejected-rows.ts';

type RunStatus = 'running' | 'completed' | 'failed';

/** One ingest of one cost source, and its progress. */
export interface IngestRun {
  run_id: string;
  source_id: string;
  workflow_id: string;
  status: RunStatus;
  started_at: string;
  finished_at: string | null;
  months: Month[];
  rows_read: number;
  rows_rejected: number;
  /** Rows that were read but that the run did not want; null in runs of an earlier version. */
  rows_left_out: number | null;
  /** Samples of unreadable rows, one for each reason. */
  rejected_samples: RejectedSample[];
  cost_total: DecimalText | null;
  /** Sentences on decisions of the run that a reader should know. */
  notes: string[];
  error: string | null;
}

type Row = Omit<
  IngestRun,
  'months' | 'rows_read' | 'rows_rejected' | 'rows_left_out' | 'rejected_samples' | 'notes'
> & {
  months: string;
  rows_read: string;
  rows_rejected: string;
  rows_left_out: string | null;
  rejected_samples: string;
  notes: string;
};

const COLUMNS = `run_id, source_id, workflow_id, status, started_at, finished_at, months, rows_read, rows_rejected,
  rows_left_out, rejected_samples, cost_total, notes, error`;

const toRun = (row: Row): IngestRun => ({
  ...row,
  started_at: instant(row.started_at),
  finished_at: instantOrNull(row.finished_at),
  months: JSON.parse(row.months) as Month[],
  rows_read: Number(row.rows_read),
  rows_rejected: Number(row.rows_rejected),
  rows_left_out: row.rows_left_out === null ? null : Number(row.rows_left_out),
  rejected_samples: JSON.parse(row.rejected_samples) as RejectedSample[],
  notes: JSON.parse(row.notes) as string[],
});

/** Returns a run that has just begun. */
export const startedRun = (
  run: Pick<IngestRun, 'run_id' | 'source_id' | 'workflow_id'>,
  now: Date,
): IngestRun => ({
  ...run,
  status: 'running',
  started_at: now.toISOString(),
  finished_at: null,
  months: [],
  rows_read: 0,
  rows_rejected: 0,
  rows_left_out: 0,
  rejected_samples: [],
  cost_total: null,
  notes: [],
  error: null,
});

/** Records the progress of a run. The newest record counts, and an end is final. */
export const recordRun = async (warehouse: Warehouse, orgId: string, run: IngestRun): Promise<void> => {
  await warehouse.run(
    `INSERT INTO ingest_run_events BY NAME
      SELECT $org AS org_id, $run_id AS run_id, $event::UUID AS event_id, $source_id AS source_id,
        $workflow_id AS workflow_id, $status AS status, $started_at::TIMESTAMP AS started_at,
        $finished_at::TIMESTAMP AS finished_at, $months::JSON AS months, $rows_read::BIGINT AS rows_read,
        $rows_rejected::BIGINT AS rows_rejected, $rows_left_out::BIGINT AS rows_left_out, $rejected_samples::JSON AS rejected_samples,
        $cost_total::DECIMAL(38,15) AS cost_total, $notes::JSON AS notes, $error AS error`,
    {
      org: orgId,
      ...run,
      event: idAfter(null),
      months: JSON.stringify(run.months),
      rejected_samples: JSON.stringify(run.rejected_samples),
      notes: JSON.stringify(run.notes),
    },
  );
};

/** Returns the runs of a source before `cursor`, newest first. */
export const listRuns = async (
  warehouse: Warehouse,
  orgId: string,
  sourceId: string,
  page: { limit: number; cursor: string | null },
): Promise<IngestRun[]> => {
  const rows = await warehouse.query<Row>(
    `WITH runs AS (
       SELECT *, (SELECT min(event_id) FROM ingest_run_events e
                  WHERE e.org_id = $org AND e.run_id = r.run_id) AS first_event
       FROM ingest_runs r WHERE org_id = $org AND source_id = $source)
     SELECT ${COLUMNS} FROM runs
     WHERE first_event < coalesce(
       (SELECT first_event FROM runs WHERE run_id = $cursor), 'ffffffff-ffff-ffff-ffff-ffffffffffff'::UUID)
     ORDER BY first_event DESC LIMIT $limit`,
    { org: orgId, source: sourceId, ...page },
  );
  return rows.map(toRun);
};

/** Returns a run of the organisation, or null if it has no such run. */
export const findRun = async (
  warehouse: Warehouse,
  orgId: string,
  runId: string,
): Promise<IngestRun | null> => {
  const [row] = await warehouse.query<Row>(
    `SELECT ${COLUMNS} FROM ingest_runs WHERE org_id = $org AND run_id = $run`,
    { org: orgId, run: runId },
  );
  return row === undefined ? null : toRun(row);
};

/** Returns the newest run of each of the organisation's sources, by source id. */
export const lastRuns = async (warehouse: Warehouse, orgId: string): Promise<Map<string, IngestRun>> => {
  const rows = await warehouse.query<Row>(
    `WITH first_events AS (
       SELECT run_id, min(event_id) AS first_event FROM ingest_run_events WHERE org_id = $org GROUP BY ALL)
     SELECT ${COLUMNS} FROM ingest_runs JOIN first_events USING (run_id) WHERE org_id = $org
     QUALIFY row_number() OVER (PARTITION BY source_id ORDER BY first_event DESC) = 1`,
    { org: orgId },
  );
  return new Map(rows.map((row) => [row.source_id, toRun(row)]));
};

/** A run that the warehouse records as running, in any organisation. */
export type OpenRun = Pick<IngestRun, 'run_id' | 'source_id' | 'workflow_id'> & { org_id: string };

/** Returns all runs that have not ended, oldest first: for the worker that compares them with Temporal, never for a tenant. */
export const openRuns = (warehouse: Warehouse): Promise<OpenRun[]> =>
  warehouse.query<OpenRun>(
    `SELECT org_id, run_id, source_id, workflow_id FROM ingest_run_events AS opened
     WHERE status = 'running' AND NOT EXISTS (FROM ingest_run_events AS ended
       WHERE ended.org_id = opened.org_id AND ended.run_id = opened.run_id AND ended.status <> 'running')
     GROUP BY ALL ORDER BY min(event_id)`,
  );

/** Records the failure of a run that could not record its own end. Returns false if the run has ended after all. */
export const failOpenRun = async (
  warehouse: Warehouse,
  { org_id, run_id }: Pick<OpenRun, 'org_id' | 'run_id'>,
  error: string,
  now: Date,
): Promise<boolean> => {
  const run = await findRun(warehouse, org_id, run_id);
  if (run?.status !== 'running') return false;
  await recordRun(warehouse, org_id, { ...run, status: 'failed', finished_at: now.toISOString(), error });
  return true;
};
