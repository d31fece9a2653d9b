import type { Client } from '@temporalio/client';
import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type ScheduleOptions,
} from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType, TypedSearchAttributes } from '@temporalio/common';
import { conflict } from '../domain/errors.ts';
import {
  ingestWorkflowId,
  ORGANISATION_ATTRIBUTE,
  runIdOf,
  TASK_QUEUE,
  type IngestInput,
  type IngestProgress,
} from '../domain/ingest.ts';

const ORGANISATION = defineSearchAttributeKey(ORGANISATION_ATTRIBUTE, SearchAttributeType.KEYWORD);

/** What Temporal knows of a run that the warehouse still shows as running. */
export type RunLife =
  | { state: 'running'; progress: IngestProgress | null }
  /** Ended without a word of its own: terminated, cancelled or timed out by an operator or the server. */
  | { state: 'ended'; how: string }
  | { state: 'finishing' };

/** The one place that speaks to Temporal for the API and the command: starts, looks, schedules. */
export class Orchestration {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Throws unless Temporal answers. */
  async ping(): Promise<void> {
    await this.#client.connection.withDeadline(Date.now() + 2_000, () =>
      this.#client.workflowService.getSystemInfo({}),
    );
  }

  /**
   * Starts an ingest now. A source has at most one running: throws a conflict while one is (design §3).
   */
  async startIngest(input: IngestInput): Promise<{ runId: string; workflowId: string }> {
    const workflowId = ingestWorkflowId(input.orgId, input.sourceId);
    try {
      const handle = await this.#client.workflow.start('ingestCosts', {
        workflowId,
        taskQueue: TASK_QUEUE,
        args: [input],
        typedSearchAttributes: organisation(input.orgId),
      });
      return { runId: runIdOf(handle.firstExecutionRunId), workflowId };
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) {
        throw conflict(
          'an ingest of this cost source is running; wait until it has ended (GET …/runs shows it)',
        );
      }
      throw error;
    }
  }

  /** What has become of a run. */
  async lifeOf(workflowId: string, runId: string): Promise<RunLife> {
    try {
      const description = await this.#client.workflow.getHandle(workflowId).describe();
      // The workflow id has gone on to a newer execution, so this one has ended.
      if (runIdOf(description.runId) !== runId) return { state: 'ended', how: 'ended' };
      if (description.status.name === 'RUNNING') {
        return { state: 'running', progress: heartbeat(description.raw.pendingActivities) };
      }
      const said = ['COMPLETED', 'FAILED'].includes(description.status.name);
      return said ? { state: 'finishing' } : { state: 'ended', how: description.status.name.toLowerCase() };
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return { state: 'ended', how: 'forgotten' };
      throw error;
    }
  }

  /** Makes sure that a source's daily ingest is scheduled, paused or not. Idempotent. */
  async scheduleIngest(input: { orgId: string; sourceId: string; paused: boolean }): Promise<void> {
    const { orgId, sourceId, paused } = input;
    await this.#ensure(ingestWorkflowId(orgId, sourceId), {
      spec: { calendars: [{ hour: 4 }], jitter: '45m' },
      action: {
        type: 'startWorkflow',
        workflowType: 'ingestCostsOnSchedule',
        taskQueue: TASK_QUEUE,
        args: [{ orgId, sourceId, startMonth: null, endMonth: null } satisfies IngestInput],
        workflowId: `scheduled-${ingestWorkflowId(orgId, sourceId)}`,
        typedSearchAttributes: organisation(orgId),
      },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 day' },
      state: { paused },
    });
  }

  /** Removes a source's schedule; one that is not there is fine. */
  async unscheduleIngest(orgId: string, sourceId: string): Promise<void> {
    try {
      await this.#client.schedule.getHandle(ingestWorkflowId(orgId, sourceId)).delete();
    } catch (error) {
      if (!(error instanceof ScheduleNotFoundError)) throw error;
    }
  }

  /** Makes sure that an organisation's months settle daily. Idempotent. */
  async scheduleSettlement(orgId: string): Promise<void> {
    await this.#ensure(`settle/${orgId}`, {
      spec: { calendars: [{ hour: 6, minute: 15 }] },
      action: {
        type: 'startWorkflow',
        workflowType: 'settleMonths',
        taskQueue: TASK_QUEUE,
        args: [{ orgId }],
        workflowId: `settle/${orgId}`,
        typedSearchAttributes: organisation(orgId),
      },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 day' },
    });
  }

  /** Makes sure that the warehouse is maintained nightly. Idempotent. */
  async scheduleMaintenance(): Promise<void> {
    await this.#ensure('maintain-warehouse', {
      spec: { calendars: [{ hour: 2, minute: 30 }] },
      action: {
        type: 'startWorkflow',
        workflowType: 'maintainWarehouse',
        taskQueue: TASK_QUEUE,
        args: [],
        workflowId: 'maintain-warehouse',
      },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 day' },
    });
  }

  async #ensure(scheduleId: string, options: Omit<ScheduleOptions, 'scheduleId'>): Promise<void> {
    try {
      await this.#client.schedule.create({ scheduleId, ...options });
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
      const handle = this.#client.schedule.getHandle(scheduleId);
      const { state } = await handle.describe();
      const paused = options.state?.paused ?? false;
      if (paused && !state.paused) await handle.pause('paused through the API');
      if (!paused && state.paused) await handle.unpause('resumed through the API');
    }
  }
}

const organisation = (orgId: string): TypedSearchAttributes =>
  new TypedSearchAttributes([{ key: ORGANISATION, value: orgId }]);

const heartbeat = (
  pending:
    | readonly { heartbeatDetails?: { payloads?: readonly { data?: Uint8Array | null }[] | null } | null }[]
    | null
    | undefined,
): IngestProgress | null => {
  for (const activity of pending ?? []) {
    const data = activity.heartbeatDetails?.payloads?.[0]?.data;
    if (data) return JSON.parse(Buffer.from(data).toString()) as IngestProgress;
  }
  return null;
};
