import type { Month } from '../shared/calendar.ts';

/** The input of an ingest. It stays small, because workflow history stores it. */
export interface IngestInput {
  orgId: string;
  sourceId: string;
  /** First and last month of the billing periods to load; null loads all that the export has. */
  startMonth: Month | null;
  endMonth: Month | null;
  /** Whether the load may lack days that an earlier load had. Schedules leave it out, because they never accept that. */
  acceptShrink?: boolean;
  /** Whether files that have not changed are read, too. */
  readAll?: boolean;
}

/** The progress of an ingest, in the heartbeats of its activity. */
export interface IngestProgress {
  rowsRead: number;
}

export interface IngestOutcome {
  runId: string;
  months: Month[];
  settledMonths: Month[];
}

/** The input of the activities of a running ingest. */
export interface IngestRunInput extends IngestInput {
  runId: string;
  workflowId: string;
}

/** Returns the id of a source's ingest workflow. A source has at most one running (docs/workflows.md#all-workflows). */
export const ingestWorkflowId = (orgId: string, sourceId: string): string => `ingest/${orgId}/${sourceId}`;

/** Returns the organisation and the source of an ingest workflow's id; null for another workflow. */
export function ingestOf(workflowId: string): { orgId: string; sourceId: string } | null {
  const [, orgId, sourceId] = /^ingest\/([^/]+)\/([^/]+)$/.exec(workflowId) ?? [];
  return orgId === undefined || sourceId === undefined ? null : { orgId, sourceId };
}

/** Returns a run's id, from the id that Temporal gave to the workflow's execution. */
export const runIdOf = (executionId: string): string => `run_${executionId.replaceAll('-', '')}`;

export const executionIdOf = (runId: string): string =>
  runId.replace(/^run_(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
