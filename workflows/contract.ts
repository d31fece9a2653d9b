import { defineSearchAttributeKey, SearchAttributeType, TypedSearchAttributes } from '@temporalio/common';
import { defineSignal, type Sinks } from '@temporalio/workflow';
import type { DeliveryInput, DeliveryStatus } from '../domain/events/webhook.ts';
import { importWorkflowId, type ImportInput } from '../domain/imports/connection.ts';
import type { Month } from '../domain/shared/calendar.ts';
import { ingestWorkflowId, type IngestInput, type IngestOutcome } from '../domain/sources/ingest.ts';

/** Every workflow with its input and its result. Starts and implementations use these types. */
export interface Workflows {
  ingestCosts: (input: IngestInput) => Promise<IngestOutcome>;
  ingestCostsOnSchedule: (input: IngestInput) => Promise<void>;
  importMetricValues: (input: ImportInput) => Promise<void>;
  importMetricValuesOnSchedule: (input: ImportInput) => Promise<void>;
  settleMonths: (input: { orgId: string }) => Promise<Month[]>;
  raiseEvents: (input: { orgId: string }) => Promise<void>;
  deliverWebhook: (delivery: DeliveryInput) => Promise<DeliveryStatus>;
  maintainWarehouse: () => Promise<number>;
  flushWarehouse: () => Promise<number>;
  backUpWarehouse: () => Promise<void>;
  exportData: (input: { orgId: string }) => Promise<void>;
}

export type WorkflowName = keyof Workflows;

/** The task queue of all workflows, and of the activities that work on the warehouse. */
export const TASK_QUEUE = 'cost-analytics';

/** The task queue of the delivery attempts, because endpoints that hang must not keep ingests from running. */
export const DELIVERY_TASK_QUEUE = 'cost-analytics-webhooks';

/** The task queue for the steps of another one whose worker ended during an attempt (workflows/set-aside.ts). */
export const aloneQueueOf = (taskQueue: string): string => `${taskQueue}-alone`;

/** Signals to `raiseEvents` that numbers of its organisation have changed. */
export const numbersChanged = defineSignal('numbersChanged');

/** Where workflows report to their worker how they end. */
export interface ResultSinks extends Sinks {
  results: { ended: (result: 'completed' | 'failed' | 'cancelled') => void };
}

/** The search attributes of workflows, with their types: the ids of the organisation and of the cost source. */
export const SEARCH_ATTRIBUTES = { Organisation: 'Keyword', Source: 'Keyword' } as const;

const attribute = (name: keyof typeof SEARCH_ATTRIBUTES, value: string) => ({
  key: defineSearchAttributeKey(name, SearchAttributeType.KEYWORD),
  value,
});

const attributesOf = ({ orgId, sourceId }: { orgId: string; sourceId?: string }): TypedSearchAttributes =>
  new TypedSearchAttributes([
    attribute('Organisation', orgId),
    ...(sourceId === undefined ? [] : [attribute('Source', sourceId)]),
  ]);

/** The id of each workflow. Temporal runs at most one workflow under an id at a time. */
const IDS: { [Name in WorkflowName]: (...args: Parameters<Workflows[Name]>) => string } = {
  ingestCosts: ({ orgId, sourceId }) => ingestWorkflowId(orgId, sourceId),
  // A schedule adds its time to the id.
  ingestCostsOnSchedule: ({ orgId, sourceId }) => `scheduled-${ingestWorkflowId(orgId, sourceId)}`,
  importMetricValues: importWorkflowId,
  importMetricValuesOnSchedule: (input) => `scheduled-${importWorkflowId(input)}`,
  settleMonths: ({ orgId }) => `settle/${orgId}`,
  raiseEvents: ({ orgId }) => `raise-events/${orgId}`,
  deliverWebhook: ({ orgId, webhookId, eventId }) => `webhook/${orgId}/${eventId}/${webhookId}`,
  maintainWarehouse: () => 'maintain-warehouse',
  flushWarehouse: () => 'flush-warehouse',
  backUpWarehouse: () => 'back-up-warehouse',
  exportData: ({ orgId }) => `export/${orgId}`,
};

/** The names of all workflows. */
export const WORKFLOW_NAMES = Object.keys(IDS) as WorkflowName[];

/** Returns the id under which a workflow runs for an input. */
export const workflowIdOf = <Name extends WorkflowName>(
  name: Name,
  ...args: Parameters<Workflows[Name]>
): string => IDS[name](...args);

/** Returns what a start of a workflow needs beside its name. */
export function startOf<Name extends WorkflowName>(name: Name, ...args: Parameters<Workflows[Name]>) {
  const [input] = args as [{ orgId: string; sourceId?: string }?];
  return {
    workflowId: workflowIdOf(name, ...args),
    taskQueue: TASK_QUEUE,
    args,
    ...(input === undefined ? {} : { typedSearchAttributes: attributesOf(input) }),
  };
}
