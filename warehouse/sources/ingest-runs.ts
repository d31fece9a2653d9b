import type { Month } from '../../domain/shared/calendar.ts';
import type { DecimalText } from '../../domain/shared/decimals.ts';
import { RunLog, type Run } from '../engine/records/run-log.ts';
import type { Warehouse } from '../engine/warehouse.ts';
import type { RejectedSample } from './feeds/rejected-rows.ts';

/** One ingest of one cost source, and its progress. */
export interface IngestRun extends Run {
  source_id: string;
  months: Month[];
  rows_read: number;
  rows_rejected: number;
  /** Rows that were read but that the run did not want. */
  rows_left_out: number;
  /** Samples of unreadable rows, one for each reason. */
  rejected_samples: RejectedSample[];
  cost_total: DecimalText | null;
  /** Data files that the run has read, and those that had not changed; null in runs of earlier versions. */
  files_read: number | null;
  files_unchanged: number | null;
  /** The bytes of the files that the run has read. */
  bytes_read: number | null;
  /** Sentences on decisions of the run that a reader should know. */
  notes: string[];
}

export const ingestRuns = new RunLog<IngestRun, 'source_id'>('ingest', 'source_id', {
  source_id: 'VARCHAR',
  months: 'JSON',
  rows_read: 'BIGINT',
  rows_rejected: 'BIGINT',
  rows_left_out: 'BIGINT',
  rejected_samples: 'JSON',
  cost_total: 'DECIMAL(38,15)',
  files_read: 'BIGINT',
  files_unchanged: 'BIGINT',
  bytes_read: 'BIGINT',
  notes: 'JSON',
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
  files_read: 0,
  files_unchanged: 0,
  bytes_read: 0,
  notes: [],
  error: null,
});

/** Returns the runs of a source before `cursor`, newest first. */
export async function listRuns(
  warehouse: Warehouse,
  orgId: string,
  sourceId: string,
  page: { limit: number; cursor: string | null },
): Promise<IngestRun[]> {
  const rows = await warehouse.query<Record<string, unknown>>(
    `WITH runs AS (FROM ${ingestRuns.inOrder} WHERE source_id = $source)
     SELECT ${ingestRuns.columns} FROM runs
     WHERE first_event < coalesce(
       (SELECT first_event FROM runs WHERE run_id = $cursor), 'ffffffff-ffff-ffff-ffff-ffffffffffff'::UUID)
     ORDER BY first_event DESC LIMIT $limit`,
    { org: orgId, source: sourceId, ...page },
  );
  return rows.map((row) => ingestRuns.runOf(row));
}

/** Returns the newest run of each of the organisation's sources, by source id. */
export async function lastRuns(warehouse: Warehouse, orgId: string): Promise<Map<string, IngestRun>> {
  const rows = await warehouse.query<Record<string, unknown>>(
    `SELECT ${ingestRuns.columns} FROM ${ingestRuns.inOrder}
     QUALIFY row_number() OVER (PARTITION BY source_id ORDER BY first_event DESC) = 1`,
    { org: orgId },
  );
  return new Map(
    rows.map((row) => {
      const run = ingestRuns.runOf(row);
      return [run.source_id, run];
    }),
  );
}
