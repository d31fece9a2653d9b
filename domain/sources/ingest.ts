import type { Month } from '../shared/calendar.ts';

/** What an ingest is asked to do; travels through workflow history, so it stays small. */
export interface IngestInput {
  orgId: string;
  sourceId: string;
  /** First and last month of the billing periods to load; null loads all that the export holds. */
  startMonth: Month | null;
  endMonth: Month | null;
  /** Whether days that an earlier load had may go. Schedules leave it out: they never accept that. */
  acceptShrink?: boolean;
}

/** How far an ingest has come, as its activity's heartbeats tell. */
export interface IngestProgress {
  rowsRead: number;
}

/** What an ingest did, as its workflow answers. */
export interface IngestOutcome {
  runId: string;
  months: Month[];
  settledMonths: Month[];
}

/** An ingest that is under way. */
export interface IngestRunInput extends IngestInput {
  runId: string;
  workflowId: string;
}

/** The id of a source's ingest workflow: one source has at most one running (design §3). */
export const ingestWorkflowId = (orgId: string, sourceId: string): string => `ingest/${orgId}/${sourceId}`;

/** The organisation and the source of an ingest workflow, by its id; null for another workflow. */
export const ingestOf = (workflowId: string): { orgId: string; sourceId: string } | null => {
  const [, orgId, sourceId] = /^ingest\/([^/]+)\/([^/]+)$/.exec(workflowId) ?? [];
  return orgId === undefined || sourceId === undefined ? null : { orgId, sourceId };
};

/** A run's id, from the id that Temporal gave the workflow's execution. */
export const runIdOf = (executionId: string): string => `run_${executionId.replaceAll('-', '')}`;

/** The id of the workflow's execution, from the id of its run. */
export const executionIdOf = (runId: string): string =>
  runId.replace(/^run_(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
