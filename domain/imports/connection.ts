import { includes, planMessage, type Feature, type Tier } from '../organisations/tiers.ts';
import { addMonths, dayOf, firstDay, monthOf, type Day, type Month } from '../shared/calendar.ts';
import type { MetricKind } from '../metrics/metric.ts';

/** The input of an import workflow. It stays small, because workflow history stores it. */
export interface ImportInput {
  orgId: string;
  metricId: string;
  /** The first month to read; null leaves it to the run. */
  startMonth: Month | null;
}

/** The input of the activities of a running import. */
export interface ImportRunInput extends ImportInput {
  runId: string;
  workflowId: string;
}

/** Returns the id of a metric's import workflow. A metric has at most one running (docs/workflows.md#all-workflows). */
export const importWorkflowId = ({ orgId, metricId }: Pick<ImportInput, 'orgId' | 'metricId'>): string =>
  `import/${orgId}/${metricId}`;

/** Returns the organisation of an import workflow's id; null for another workflow. */
export const organisationOfImport = (workflowId: string): string | null =>
  /^import\/([^/]+)\/[^/]+$/.exec(workflowId)?.[1] ?? null;

/** The months that the first run of a connection reads, the running one included (docs/concepts.md#daily-imports). */
const FIRST_MONTHS = 12;

/** Returns the first month that a new connection reads. */
export const firstImportedMonth = (now: Date): Month => addMonths(monthOf(dayOf(now)), 1 - FIRST_MONTHS);

/**
 * Returns the days that a run reads, both inclusive: whole months up to today. A run reads the running month and the one before
 * it. After an outage it also reads the months since the last run that succeeded.
 *
 * @param lastRead the day of the connection's last successful run; null before the first.
 */
export function importedDays(
  startMonth: Month | null,
  lastRead: Day | null,
  now: Date,
): { start: Day; end: Day } {
  const today = dayOf(now);
  const before = addMonths(monthOf(today), -1);
  const missed = lastRead === null ? firstImportedMonth(now) : monthOf(lastRead);
  return { start: firstDay(startMonth ?? (missed < before ? missed : before)), end: today };
}

/** Days in a row on which all runs failed, after which a connection counts as failed (docs/concepts.md#daily-imports). */
const FAILED_DAYS = 3;

export type ImportStatus = 'connected' | 'paused' | 'failed';

const featureOf = (kind: MetricKind): Feature => (kind === 'revenue' ? 'revenue' : 'unit_economics');

/** Returns why the imports of a metric pause, or null. An upgrade resumes them. */
export const pauseReason = (kind: MetricKind, tier: Tier): string | null =>
  includes(tier, featureOf(kind)) ? null : planMessage(tier, featureOf(kind));

/**
 * Returns the status of a connection.
 *
 * @param failedDays the days since the last successful run on which runs failed.
 */
export const importStatus = (pausedReason: string | null, failedDays: number): ImportStatus =>
  pausedReason !== null ? 'paused' : failedDays >= FAILED_DAYS ? 'failed' : 'connected';

/** The time of the daily imports in UTC (docs/concepts.md#daily-imports). */
export const IMPORT_TIME = { hour: 5, minute: 45 } as const;

/** Returns when the next daily import runs. */
export function nextImportAt(now: Date): Date {
  const next = new Date(now);
  next.setUTCHours(IMPORT_TIME.hour, IMPORT_TIME.minute, 0, 0);
  if (next <= now) next.setUTCDate(next.getUTCDate() + 1);
  return next;
}
