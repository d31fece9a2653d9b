import type { Client } from '@temporalio/client';
import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
  type ScheduleOptions,
  type WorkflowExecutionDescription,
  type WorkflowExecutionStatusName,
} from '@temporalio/client';
import { rootCause } from '@temporalio/common';
import { conflict } from '../domain/shared/errors.ts';
import type { DeliveryInput } from '../domain/events/webhook.ts';
import {
  executionIdOf,
  ingestWorkflowId,
  runIdOf,
  type IngestInput,
  type IngestProgress,
} from '../domain/sources/ingest.ts';
import {
  numbersChanged,
  startOf,
  workflowIdOf,
  type WorkflowName,
  type Workflows,
} from '../workflows/contract.ts';

const CALL_DEADLINE_MS = 5_000;

/** What Temporal knows of a run that the warehouse shows as running. */
export type RunLife =
  | { state: 'running'; progress: IngestProgress | null }
  /** `how`, in words: completed, failed, terminated, timed out …, with Temporal's reason. */
  | { state: 'closed'; how: string }
  /** It never had such a run, or has forgotten it. */
  | { state: 'unknown' };

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
    try {
      const handle = await this.#soon(() =>
        this.#client.workflow.start<Workflows['ingestCosts']>('ingestCosts', startOf('ingestCosts', input)),
      );
      return { runId: runIdOf(handle.firstExecutionRunId), workflowId: handle.workflowId };
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) {
        throw conflict(
          'an ingest of this cost source is running; wait until it has ended (GET …/runs shows it)',
        );
      }
      throw error;
    }
  }

  /** Starts the delivery of an event to a webhook; it happens once, however often it is started. */
  async startDelivery(delivery: DeliveryInput): Promise<void> {
    try {
      await this.#soon(() =>
        this.#client.workflow.start<Workflows['deliverWebhook']>('deliverWebhook', {
          ...startOf('deliverWebhook', delivery),
          workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
        }),
      );
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  }

  /**
   * Has an organisation's events evaluated: by the evaluation that is running, once it has done what it is at, or by a
   * new one. Nothing that was written before this call is missed.
   */
  async numbersChanged(orgId: string): Promise<void> {
    await this.#soon(() =>
      this.#client.workflow.signalWithStart<Workflows['raiseEvents']>('raiseEvents', {
        ...startOf('raiseEvents', { orgId }),
        signal: numbersChanged,
        signalArgs: [],
      }),
    );
  }

  /** Waits, not for long, until a workflow that has said its end is closed, however it ended. */
  async untilClosed(workflowId: string): Promise<void> {
    try {
      await this.#soon(() => this.#client.workflow.getHandle(workflowId).result());
    } catch (error) {
      if (!(error instanceof WorkflowFailedError)) throw error;
    }
  }

  /** What has become of a run. Throws if Temporal does not answer. */
  async lifeOf(workflowId: string, runId: string): Promise<RunLife> {
    const newest = await this.#describe(workflowId);
    const own =
      newest !== null && runOf(newest, newest.raw.workflowExecutionInfo) === runId
        ? newest
        : await this.#describe(workflowId, executionIdOf(runId));
    if (own === null) return { state: 'unknown' };
    if (!CLOSED.has(own.status.name))
      return { state: 'running', progress: heartbeat(own.raw.pendingActivities) };
    const words = own.status.name.toLowerCase().replaceAll('_', ' ');
    const reason = await this.#reasonOfEnd(workflowId, own.runId);
    return { state: 'closed', how: reason === null ? words : `${words} (${reason})` };
  }

  /** The ids of the runs that Temporal has as running. A run that has just begun may be missing. */
  async runningIngests(): Promise<ReadonlySet<string>> {
    const query = `WorkflowType = 'ingestCosts' AND ExecutionStatus = 'Running'`;
    return this.#soon(async () => {
      const running = new Set<string>();
      for await (const execution of this.#client.workflow.list({ query, pageSize: 1000 }))
        running.add(runOf(execution, execution.raw));
      return running;
    });
  }

  /** An execution of a workflow, the newest one if none is named; null if Temporal has no such one. */
  async #describe(workflowId: string, executionId?: string): Promise<WorkflowExecutionDescription | null> {
    try {
      return await this.#soon(() => this.#client.workflow.getHandle(workflowId, executionId).describe());
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return null;
      throw error;
    }
  }

  /** Why a closed execution ended, as far as Temporal was told. */
  async #reasonOfEnd(workflowId: string, executionId: string): Promise<string | null> {
    try {
      await this.#soon(() => this.#client.workflow.getHandle(workflowId, executionId).result());
      return null;
    } catch (error) {
      if (!(error instanceof WorkflowFailedError)) throw error;
      return rootCause(error.cause) ?? null;
    }
  }

  /** Schedules a source's daily ingest, paused or not; one that is there becomes paused or not. Idempotent. */
  async scheduleIngest(input: { orgId: string; sourceId: string; paused: boolean }): Promise<void> {
    const schedule = ingestSchedule(input);
    await this.#soon(async () => {
      if (await this.#create(schedule)) return;
      const handle = this.#client.schedule.getHandle(schedule.scheduleId);
      await (input.paused
        ? handle.pause('paused through the API')
        : handle.unpause('resumed through the API'));
    });
  }

  /** Removes a source's schedule; one that is not there is fine. */
  async unscheduleIngest(orgId: string, sourceId: string): Promise<void> {
    try {
      await this.#soon(() => this.#client.schedule.getHandle(ingestWorkflowId(orgId, sourceId)).delete());
    } catch (error) {
      if (!(error instanceof ScheduleNotFoundError)) throw error;
    }
  }

  /** Schedules the daily settlement of an organisation's months. Idempotent. */
  async scheduleSettlement(orgId: string): Promise<void> {
    await this.#soon(() => this.#create(settlementSchedule(orgId)));
  }

  /**
   * Makes Temporal's schedules those that the warehouse asks for, and the nightly maintenance: reads what there is
   * once, and changes only what differs.
   */
  async reconcileSchedules(wanted: {
    organisations: readonly string[];
    sources: readonly { orgId: string; sourceId: string; paused: boolean }[];
  }): Promise<void> {
    const paused = new Map<string, boolean>();
    for await (const { scheduleId, state } of this.#client.schedule.list())
      paused.set(scheduleId, state.paused);
    for (const schedule of [MAINTENANCE_SCHEDULE, ...wanted.organisations.map(settlementSchedule)]) {
      if (!paused.has(schedule.scheduleId)) await this.#create(schedule);
    }
    for (const source of wanted.sources) {
      if (paused.get(ingestWorkflowId(source.orgId, source.sourceId)) !== source.paused)
        await this.scheduleIngest(source);
    }
  }

  /** Creates a schedule; false when it is there already. */
  async #create(schedule: ScheduleOptions): Promise<boolean> {
    try {
      await this.#client.schedule.create(schedule);
      return true;
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
      return false;
    }
  }

  /** A caller of the API does not wait long for a Temporal that does not answer. */
  #soon<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#client.connection.withDeadline(Date.now() + CALL_DEADLINE_MS, work);
  }
}

const DAILY = { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 day' } as const;

/** What a schedule does: it starts a workflow. */
const actionOf = <Name extends WorkflowName>(
  workflowType: Name,
  ...args: Parameters<Workflows[Name]>
): ScheduleOptions['action'] => ({ type: 'startWorkflow', workflowType, ...startOf(workflowType, ...args) });

const MAINTENANCE_SCHEDULE: ScheduleOptions = {
  scheduleId: workflowIdOf('maintainWarehouse'),
  spec: { calendars: [{ hour: 2, minute: 30 }] },
  action: actionOf('maintainWarehouse'),
  policies: DAILY,
};

const settlementSchedule = (orgId: string): ScheduleOptions => ({
  scheduleId: workflowIdOf('settleMonths', { orgId }),
  spec: { calendars: [{ hour: 6, minute: 15 }] },
  action: actionOf('settleMonths', { orgId }),
  policies: DAILY,
});

const ingestSchedule = ({
  orgId,
  sourceId,
  paused,
}: {
  orgId: string;
  sourceId: string;
  paused: boolean;
}): ScheduleOptions => ({
  scheduleId: ingestWorkflowId(orgId, sourceId),
  spec: { calendars: [{ hour: 4 }], jitter: '45m' },
  action: actionOf('ingestCostsOnSchedule', { orgId, sourceId, startMonth: null, endMonth: null }),
  policies: DAILY,
  state: { paused },
});

const CLOSED: ReadonlySet<WorkflowExecutionStatusName> = new Set([
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'TERMINATED',
  'TIMED_OUT',
]);

/** The run that an execution belongs to: one that an operator has reset goes on as the same run. */
const runOf = (
  { runId }: { runId: string },
  info: { firstRunId?: string | null } | null | undefined,
): string => {
  const first = info?.firstRunId;
  return runIdOf(first === undefined || first === null || first === '' ? runId : first);
};

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
