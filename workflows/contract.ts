import { defineSearchAttributeKey, SearchAttributeType, TypedSearchAttributes } from '@temporalio/common';
import type { ScheduleSpec } from '@temporalio/client';
import { defineSignal, type Sinks } from '@temporalio/workflow';
import type { DeliveryInput, DeliveryStatus } from '../domain/events/webhook.ts';
import { IMPORT_TIME, importWorkflowId, type ImportInput } from '../domain/imports/connection.ts';
import type { Month } from '../domain/shared/calendar.ts';
import { ingestWorkflowId, type IngestInput, type IngestOutcome } from '../domain/sources/ingest.ts';
import { IMPORT, INGEST, ORGANISATION, TEXT, type Field } from './input-fields.ts';

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

/** The task queue for the steps of another one whose worker ended during an attempt (workflows/running/set-aside.ts). */
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

/** What the service must know of a workflow to start it. */
interface WorkflowFacts<Name extends WorkflowName> {
  /** Returns its id for an input. Temporal runs at most one workflow under an id at a time. */
  id: (...args: Parameters<Workflows[Name]>) => string;
  /** The fields of its input, and no others. */
  fields: Record<keyof NonNullable<Parameters<Workflows[Name]>[0]>, Field>;
  /** When its schedule starts it, in UTC; null if it has no schedule. */
  schedule: ScheduleSpec | null;
  /**
   * Whether it fails at an error in its code, or at a history that an upgrade's code cannot continue, because the next one begins
   * anew. Otherwise Temporal retries the step for ever.
   */
  beginsAnew: boolean;
}

/** Every workflow of the service. */
export const WORKFLOWS: { readonly [Name in WorkflowName]: WorkflowFacts<Name> } = {
  ingestCosts: {
    id: ({ orgId, sourceId }) => ingestWorkflowId(orgId, sourceId),
    fields: INGEST,
    schedule: null,
    beginsAnew: true,
  },
  ingestCostsOnSchedule: {
    id: ({ orgId, sourceId }) => `scheduled-${ingestWorkflowId(orgId, sourceId)}`,
    fields: INGEST,
    schedule: { calendars: [{ hour: 4 }], jitter: '45m' },
    beginsAnew: true,
  },
  importMetricValues: { id: importWorkflowId, fields: IMPORT, schedule: null, beginsAnew: true },
  importMetricValuesOnSchedule: {
    id: (input) => `scheduled-${importWorkflowId(input)}`,
    fields: IMPORT,
    schedule: { calendars: [IMPORT_TIME] },
    beginsAnew: true,
  },
  settleMonths: {
    id: ({ orgId }) => `settle/${orgId}`,
    fields: ORGANISATION,
    schedule: { calendars: [{ hour: 6, minute: 15 }] },
    beginsAnew: true,
  },
  raiseEvents: {
    id: ({ orgId }) => `raise-events/${orgId}`,
    fields: ORGANISATION,
    schedule: null,
    beginsAnew: true,
  },
  deliverWebhook: {
    id: ({ orgId, webhookId, eventId }) => `webhook/${orgId}/${eventId}/${webhookId}`,
    fields: { ...ORGANISATION, webhookId: TEXT, eventId: TEXT },
    schedule: null,
    // A delivery has no next one.
    beginsAnew: false,
  },
  maintainWarehouse: {
    id: () => 'maintain-warehouse',
    fields: {},
    schedule: { calendars: [{ hour: 2, minute: 30 }] },
    beginsAnew: true,
  },
  flushWarehouse: {
    id: () => 'flush-warehouse',
    fields: {},
    // Often, because each read of a table also reads its small writes that are not in files yet.
    schedule: { intervals: [{ every: '10m' }] },
    beginsAnew: true,
  },
  // The operator sets the hour.
  backUpWarehouse: { id: () => 'back-up-warehouse', fields: {}, schedule: {}, beginsAnew: true },
  exportData: {
    id: ({ orgId }) => `export/${orgId}`,
    fields: ORGANISATION,
    // After the night's ingests and the settlement.
    schedule: { calendars: [{ hour: 7 }], jitter: '30m' },
    beginsAnew: true,
  },
};

/** The names of all workflows. */
export const WORKFLOW_NAMES = Object.keys(WORKFLOWS) as WorkflowName[];

/** Returns the id under which a workflow runs for an input. */
export const workflowIdOf = <Name extends WorkflowName>(
  name: Name,
  ...args: Parameters<Workflows[Name]>
): string => WORKFLOWS[name].id(...args);

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
