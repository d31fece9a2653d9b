import { workflowSummary } from '../domain/shared/workflow-summary.ts';
import type { Month } from '../domain/shared/calendar.ts';
import type { Warehouse } from '../warehouse/engine/warehouse.ts';
import { WEBHOOKS } from '../warehouse/events/webhooks.ts';
import { METRICS } from '../warehouse/metrics/metrics.ts';
import { findOrganisation } from '../warehouse/organisations/organisations.ts';
import { COST_SOURCES } from '../warehouse/sources/cost-sources.ts';

/** The fields of workflows' inputs that a summary shows. */
interface WorkflowInput {
  orgId: string;
  sourceId?: string;
  metricId?: string;
  webhookId?: string;
  startMonth?: Month | null;
  endMonth?: Month | null;
}

/** The step that reads the names for the summary of a workflow. */
export const createSummaryActivities = ({ warehouse }: { warehouse: Warehouse }) => ({
  async summariseWorkflow(input: WorkflowInput): Promise<string | null> {
    return summaryOf(warehouse, input);
  },
});

/** The names and shapes of these activities, for workflows. */
export type SummaryActivities = ReturnType<typeof createSummaryActivities>;

/**
 * Returns the summary of a workflow, such as "AWS of Acme, 2026-01". Returns null for an organisation that is not stored yet,
 * because its schedules come first. An id stands for anything else that does not exist.
 */
export async function summaryOf(
  warehouse: Warehouse,
  { orgId, startMonth, endMonth, ...of }: WorkflowInput,
): Promise<string | null> {
  const organisation = await findOrganisation(warehouse, orgId);
  if (organisation === null) return null;
  const subject = await subjectOf(warehouse, orgId, of);
  return workflowSummary({ organisation: organisation.name, subject, startMonth, endMonth });
}

async function subjectOf(
  warehouse: Warehouse,
  orgId: string,
  { sourceId, metricId, webhookId }: Pick<WorkflowInput, 'sourceId' | 'metricId' | 'webhookId'>,
): Promise<string | null> {
  if (sourceId !== undefined) return (await COST_SOURCES.find(warehouse, orgId, sourceId))?.name ?? sourceId;
  if (metricId !== undefined) return (await METRICS.find(warehouse, orgId, metricId))?.name ?? metricId;
  if (webhookId === undefined) return null;
  const webhook = await WEBHOOKS.find(warehouse, orgId, webhookId);
  // The rest of the URL can be a secret.
  return webhook === null ? webhookId : new URL(webhook.url).host;
}
